// Kernels for the device where their results live.
#pragma once

#include "core/build/module_context.h"

namespace rx::transform {

/// Gives calls of kernels one that says for which target it is, where a result names its device.
class DeviceKernels {
 public:
  /// The call as it is where no result of it names a device, or the kernel is for a target of that kind already.
  relax::Expr bound(const relax::Expr& call, build::ModuleContext& module);
  /// Whether a call got one: the kernel that it called before may have no caller now.
  bool any() const { return any_; }

 private:
  bool any_ = false;
};

}  // namespace rx::transform
