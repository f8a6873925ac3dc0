// The tools of a device's vendor, where the machine has them: what they say of the text of kernels.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace rx::codegen {

/// What the assembler made of one kernel.
struct AssembledKernel {
  int64_t registers = 0;                    ///< of each thread
  int64_t spillStores = 0, spillLoads = 0;  ///< bytes of each thread
  int64_t stackBytes = 0;                   ///< of each thread
  int64_t sharedBytes = 0;                  ///< that the kernel declares
};

struct AssembledText {
  std::map<std::string, AssembledKernel, std::less<>> kernels;
  /// The instructions of the device, where its disassembler is there too.
  std::string disassembled;
};

/// Assembles a text of PTX for an architecture ("sm_80") with the `ptxas` of the path, and takes what that makes apart
/// with `nvdisasm`. Nothing where there is no assembler, or it refuses the text.
std::optional<AssembledText> assembled(std::string_view text, const std::string& architecture);

/// What `ptxas -v` says, by kernel.
std::map<std::string, AssembledKernel, std::less<>> readAssemblerReport(std::string_view report);

}  // namespace rx::codegen
