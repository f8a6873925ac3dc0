// The table of kernels as the package runtime reads it: names, parameters, dimensions.
#pragma once

#include <string>

#include "core/ir/module.h"
#include "core/support/result.h"

namespace rx::exporter {

/// In the order of packageObjects' table. Fails with the diagnostics of lower::Signature.
Result<std::string> kernelInfo(const ir::Module& lowered);

}  // namespace rx::exporter
