// Kernels of a device as OpenCL C, to be read by people and compiled by a driver. The text keeps to OpenCL C 1.2 and
// what 3.0 took from it; of extensions it asks for cl_khr_fp64 where a kernel computes in double precision.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/lower/device_lowering.h"
#include "core/runtime/kernel_fault.h"

namespace rx::codegen {

/// One place of a kernel that looks at what it does, by its number in the text.
struct FaultSite {
  vm::KernelFault fault = vm::KernelFault::Bounds;
  std::string text;       ///< name of the buffer that is accessed; else what is said
  int64_t dimension = 0;  ///< of the access
};

/// The words of a kernel's last argument, 64 bits each: the number of the site plus one (0: all went well), the index,
/// the extent that it should be below.
constexpr int64_t kFaultWords = 3;

/// Kernels in one text, with what they need before them.
struct DeviceText {
  std::string text;
  std::vector<FaultSite> sites;
};

/// Collects kernels; each has its helpers once in the text.
class OpenClWriter {
 public:
  struct Options {
    bool checkAccess = true;  ///< whether marked accesses are looked at
  };
  explicit OpenClWriter(Options options);
  ~OpenClWriter();
  /// Adds the kernels of a function. Fails with codegen.unsupported, each with its place, and leaves the text as it
  /// was.
  Result<Unit> add(const lower::DeviceForm& form);
  DeviceText finish() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace rx::codegen
