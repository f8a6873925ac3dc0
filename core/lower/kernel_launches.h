// Calls from code of one target to functions of another.
#pragma once

#include <string>
#include <vector>

#include "core/ir/module.h"
#include "core/support/result.h"

namespace rx::lower {

/// Turns each call of a function for another kind of device into a launch, T.call_packed("kernel", arguments, extents
/// of threads), of another target for the same kind of device into T.call_extern; calls within a target stay. The
/// functions that are so called get the attributes that the launch needs. Fails (lower.kernel) where a function would
/// be both.
Result<ir::Module> withKernelLaunches(const ir::Module& module);

/// What a launch of a kernel says behind its arguments, in order: "blockIdx.x", "threadIdx.x", what it asks for beside.
std::vector<std::string> launchTagsOf(const tir::PrimFunc& kernel);

}  // namespace rx::lower
