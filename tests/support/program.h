// Programs that tests start, and what they answer.
#pragma once

#include <QProcess>
#include <functional>

namespace rx::test {

struct Answer {
  int code = -1;  ///< -1: ended by a signal, never started, or not done in time
  QString out, err;
  bool crashed = false;  ///< ended by a signal
};

/// How a program is started; what is empty is as for this process.
struct Start {
  QString folder = {};  ///< it works in
  QProcessEnvironment environment = {};
  QString output = {};                 ///< a file that takes its standard output
  std::function<void()> prepare = {};  ///< called in the child, before the program
  int limit = 60000;                   ///< milliseconds, after which it is killed
};

inline Answer runProgram(const QString& program, const QStringList& arguments, const Start& start = {}) {
  QProcess process;
  process.setWorkingDirectory(start.folder);
  if (!start.environment.isEmpty()) process.setProcessEnvironment(start.environment);
  if (!start.output.isEmpty()) process.setStandardOutputFile(start.output);
  if (start.prepare) process.setChildProcessModifier(start.prepare);
  process.start(program, arguments);
  if (!process.waitForFinished(start.limit)) {
    const bool started = process.state() != QProcess::NotRunning;
    process.kill();
    process.waitForFinished();
    return {-1, {}, program + (started ? " does not end" : ": " + process.errorString())};
  }
  const bool crashed = process.exitStatus() == QProcess::CrashExit;
  return {crashed ? -1 : process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
          QString::fromUtf8(process.readAllStandardError()), crashed};
}

inline Answer rxs(const QStringList& arguments, const Start& start = {}) {
  return runProgram(QStringLiteral(RX_BINARY_DIR "/bin/rxs"), arguments, start);
}

/// The rule of the first error on standard error; "" where there is none.
inline QString ruleOf(const Answer& answer) { return answer.err.section("error[", 1, 1).section("]", 0, 0); }

}  // namespace rx::test
