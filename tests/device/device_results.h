// What modules give on a device and in the interpreter, which is what they have to give.
#pragma once

#include <string>

#include "core/codegen/device_text.h"
#include "core/compile/compile.h"
#include "core/tensor/host_tensor.h"

namespace rx {

/// How the text of a program for its target is made.
codegen::DeviceOptions deviceOptions(const compile::Program& program);

struct OnDevice {
  Result<Ref<HostTensor>> result;
  int onHost = 0;  ///< kernels that the device has no code for
};

/// What main gives of the numbers of test::argumentsOf. `known`: whether the double of CUDA's driver knows the texts of
/// the module.
Result<OnDevice> onDevice(const std::string& text, const std::string& target, int64_t size = 1, bool known = true,
                          const std::string& pipeline = "default");
Result<Ref<HostTensor>> interpreted(const std::string& text, int64_t size = 1);

}  // namespace rx
