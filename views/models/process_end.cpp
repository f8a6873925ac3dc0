#include "views/models/process_end.h"

#include <QCoreApplication>
#include <csignal>

namespace rx::views {

QString processEnd(int code, QProcess::ExitStatus status) {
  const auto text = [](const char* source) { return QCoreApplication::translate("ProcessEnd", source); };
  if (status != QProcess::CrashExit) return text("exit code %1").arg(code);
  const QString how = text("killed by signal %1").arg(code);
  return code == SIGKILL ? text("%1 (as the system does when no memory is left)").arg(how) : how;
}

}  // namespace rx::views
