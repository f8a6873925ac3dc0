#include "views/models/diagnostics_report.h"

#include <QFile>
#include <QLibraryInfo>
#include <QRegularExpression>
#include <QSysInfo>
#include <QThread>

#include "views/models/numbers.h"

namespace rx::views {
namespace {

/// A value of a file such as /proc/cpuinfo: the text behind the first "key … :".
QString factOf(const QString& path, const QString& key) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  for (const QString& line : QString::fromUtf8(file.read(1 << 16)).split('\n')) {
    if (line.startsWith(key)) return line.section(':', 1).simplified();
  }
  return {};
}

}  // namespace

QString logLevel(LogLine::Kind kind) {
  static constexpr const char* kLevels[] = {"note", "output", "error"};
  return QString::fromLatin1(kLevels[static_cast<size_t>(kind)]);
}

QString logText(const LogLine& line) {
  return QStringLiteral("%1 %2 %3").arg(line.time.toString(Qt::ISODateWithMs), logLevel(line.kind), line.text);
}

QString withoutPaths(const QString& text) {
  // A path begins at a slash that no name stands before, or with "~/"; "file=" and quotes may stand before it. Names of
  // folders may hold blanks, so of words between two paths some may go with them: better than a name that stays.
  static const QRegularExpression kPath(
      QStringLiteral("(?<![\\w.])~?/(?:[^\\s'\"<>|:/](?:[^'\"<>|:/\\n]*[^\\s'\"<>|:/])?/)+([^\\s'\"<>|:/]*)"));
  QString out = text;
  return out.replace(kPath, QStringLiteral("…/\\1"));
}

QString diagnosticsText(const DiagnosticFacts& facts, const std::vector<LogLine>& log) {
  const QString memory = factOf("/proc/meminfo", "MemTotal");
  const std::pair<QString, QString> rows[] = {
      {"relaxscope", facts.program},
      {"engine", facts.engine.simplified()},
      {"allocator", facts.allocator},
      {"Qt", QStringLiteral("%1 (built with %2)").arg(QString::fromLatin1(qVersion()), QStringLiteral(QT_VERSION_STR))},
      {"system", QSysInfo::prettyProductName() + ", " + QSysInfo::kernelType() + ' ' + QSysInfo::kernelVersion()},
      {"processor", factOf("/proc/cpuinfo", "model name") + ", " + QSysInfo::currentCpuArchitecture() +
                        QStringLiteral(", %1 threads").arg(QThread::idealThreadCount())},
      {"memory", memory},
      {"display", qEnvironmentVariable("QT_QPA_PLATFORM", qEnvironmentVariable("XDG_SESSION_TYPE", "unknown"))},
      {"written", QDateTime::currentDateTime().toString(Qt::ISODate)},
  };
  QString text = QStringLiteral("relaxscope diagnostics\n\n");
  for (const auto& [name, value] : rows) text += QStringLiteral("%1 %2\n").arg(name, -12).arg(value);
  text += facts.withData ? QStringLiteral("\nLog, with paths and what programs printed:\n")
                         : QStringLiteral("\nLog, without folders and without what programs printed:\n");
  for (const LogLine& line : log) {
    if (line.kind == LogLine::Kind::Output && !facts.withData) continue;
    text += (facts.withData ? logText(line) : withoutPaths(logText(line))) + '\n';
  }
  return text;
}

}  // namespace rx::views
