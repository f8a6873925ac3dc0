// core/device/maker: programs of devices for a process that may start none. Compilers of drivers start linkers
// (kinds.def says whose); a confined process has its programs made by one that it was given before, which sees texts
// and gives images, runs none of them, and is confined itself: it may start programs and write to folders of its own
// alone.
#pragma once

#include <string>
#include <vector>

#include "core/device/run/program.h"

namespace rx::device {

/// Starts that process, and says in the environment of this one where to ask it; it goes when this one goes. To be
/// called before this process is confined and while it has one thread. Fails with device.maker.
Result<Unit> startProgramMaker();

/// Where programs come from here: those that are kept, where `keeps`, and the process that makes them, where this one
/// was given one. What it fails with is what the driver's compiler said, or device.maker.
ProgramSources programSources(bool keeps);

/// Tells drivers by the environment that this process writes to `folder` alone, and starts programs or not.
void tellDrivers(const std::string& folder, bool startsPrograms);

/// The files by which the drivers of this machine reach its devices.
std::vector<std::string> driverFiles();

}  // namespace rx::device
