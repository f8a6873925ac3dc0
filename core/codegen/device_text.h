// The kernels of a module as the text that the driver of a device compiles.
#pragma once

#include <functional>
#include <map>
#include <string_view>

#include "core/codegen/assembly_text.h"
#include "core/codegen/device_writer.h"
#include "core/support/cancel.h"
#include "core/target/target.h"

namespace rx::codegen {

struct DeviceOptions {
  target::TargetRef target;
  bool checkAccess = true;
  CancelToken cancel;
  /// Told of a function that runs on the host, and why, whenever it is looked up.
  std::function<void(std::string_view function, const Diagnostic& why)> onHost;
  /// Told of each function that the device runs; may be empty.
  std::function<void(const std::string& function, const lower::DeviceForm& form)> onForm = {};
};

/// Whether texts are made for a kind of target.
bool writesDeviceText(std::string_view kind);

/// The functions of a module for a device, whose kernels are one text. What has none is left out; the diagnostics say
/// of which function and why.
struct DeviceModule {
  device::ModuleCode made;
  std::map<std::string, Diagnostic, std::less<>> left;
};
DeviceModule deviceModule(const ir::Module& module, const DeviceOptions& options);

/// The same for who reads it.
struct ModuleText {
  DeviceText code;
  std::vector<Diagnostic> left;
};
ModuleText deviceText(const ir::Module& module, const DeviceOptions& options);

/// One function alone, line by line with the statements that it came from.
struct DeviceListing {
  ListedText text;  ///< what the driver takes
  device::ModuleCode code;
};
/// `form` is what the function is lowered to for the device. Fails with what deviceModule leaves a function out for.
Result<DeviceListing> listOnDevice(const std::string& name, const tir::PrimFuncRef& function,
                                   const lower::DeviceForm& form, const MarkedText& marked,
                                   const DeviceOptions& options);

}  // namespace rx::codegen
