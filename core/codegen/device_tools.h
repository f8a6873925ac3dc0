// The tools of a device's vendor, where the machine has them: what they say of the text of kernels.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/codegen/assembly_text.h"

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
  /// The instructions of the device, by lines of the text, where its disassembler is there too.
  ListedText disassembled;
};

/// Assembles a text of PTX for an architecture ("sm_80") with the `ptxas` of the path, and takes what that makes apart
/// with `nvdisasm`. Nothing where there is no assembler, or it refuses the text.
std::optional<AssembledText> assembled(std::string_view text, const std::string& architecture);

/// A text of PTX in which each instruction says that it is of its line, which the assembler keeps.
std::string withLinesMarked(std::string_view text);
/// What `nvdisasm -g` says of the same: the instructions without those notes, and where they came from.
ListedText readDisassembly(std::string_view listing);
/// What `ptxas -v` says, by kernel.
std::map<std::string, AssembledKernel, std::less<>> readAssemblerReport(std::string_view report);

}  // namespace rx::codegen
