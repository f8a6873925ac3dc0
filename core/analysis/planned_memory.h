// How much memory a function plans for what it makes: the storages that it allocates, and the tensors that it allocates
// without one.
#pragma once

#include <optional>

#include "core/ir/module.h"

namespace rx::analysis {

/// Bytes; nothing where the function allocates nothing, or a size is not known before it runs.
std::optional<int64_t> plannedBytes(const relax::Function& function);

/// Of the function of the module that plans the most.
std::optional<int64_t> mostPlannedBytes(const ir::IRModule& module);

}  // namespace rx::analysis
