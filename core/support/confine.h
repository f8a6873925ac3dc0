// Confinement: what a process that runs a stranger's code gives up for good.
#pragma once

#include <string>
#include <vector>

#include "core/support/result.h"

namespace rx {

struct Confinement {
  /// Files and folders, and what is below them, that may be written; each is there already.
  std::vector<std::string> writable;
  /// Whether connections may be waited for; none is ever made.
  bool listens = false;
  /// Whether programs may be started, which then are confined in the same way.
  bool startsPrograms = false;
};

/// From here on this process, and every thread and process that it makes, reads what it could before, and writes,
/// removes and makes files in `writable` alone; it starts no program but where that is said, makes no connection,
/// changes no owner, mode or time of a file, asks nothing of other processes, and does not get any of that back. By
/// Landlock and a filter of system calls. To be called before there is a second thread. Fails with confine.unavailable
/// where the system has not got them; what it has is in force even so.
Result<Unit> confine(const Confinement& confinement);

}  // namespace rx
