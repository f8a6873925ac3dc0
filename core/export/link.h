// Linking by the LLD library: no linker is needed on the user's machine.
#pragma once

#include <string>
#include <vector>

#include "core/support/result.h"
#include "core/target/processor.h"

namespace rx::exporter {

/// Links objects of that architecture to a shared library that shows only the names rxs_* of the package header, and
/// needs libc and libm. Fails with export.link and what the linker said. Not for several threads at once.
Result<Unit> linkLibrary(target::Architecture architecture, const std::vector<std::string>& objects,
                         const std::string& output);

}  // namespace rx::exporter
