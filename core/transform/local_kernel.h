// The part of a kernel that one of several devices runs.
#pragma once

#include <span>

#include "core/ir/module.h"
#include "core/support/result.h"

namespace rx::transform {

struct LocalKernel {
  tir::PrimFuncRef function;
  /// How the results of the devices are to be joined ("sum", "max", ...), where each reduces a part; empty elsewhere.
  std::string allReduce;
};
/// The kernel for one device; `placed` says of every parameter how it is distributed, null of those that are no
/// buffers. Fails with pass.sharding where its loops can not be divided so.
Result<LocalKernel> localKernel(const tir::PrimFuncRef& kernel,
                                std::span<const relax::DTensorStructInfo* const> placed);

}  // namespace rx::transform
