// Bounds of symbolic variables that passes gave a function: its memory was planned for them.
#pragma once

#include <string_view>
#include <vector>

#include "core/ir/relax.h"
#include "core/runtime/value.h"

namespace rx::cli {

/// What is said where a symbol's size is above the bound that a function states for it, or below it (run.bound). `by`
/// names what gives the size ("x, axis 0"); empty where nothing alone does.
Diagnostic beyondBound(std::string_view symbol, int64_t size, std::string_view by, std::string_view function,
                       bool above, int64_t bound);

/// Whether the sizes of these values of the parameters are within the bounds (tir_var_lower_bound and
/// tir_var_upper_bound) that a later form of the function states. Fails with run.bound, all of them at once.
Result<Unit> checkPlannedBounds(const relax::Function& function, std::string_view name,
                                const std::vector<vm::Value>& values, const relax::Function& later);

}  // namespace rx::cli
