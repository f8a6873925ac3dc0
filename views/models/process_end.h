// How a program that the window started ended, in words, for all of them.
#pragma once

#include <QProcess>
#include <QString>

namespace rx::views {

/// "exit code 3", or "killed by signal 9 (as the system does when no memory is left)".
QString processEnd(int code, QProcess::ExitStatus status);

}  // namespace rx::views
