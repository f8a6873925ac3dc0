// Where the instructions of a listing lie in the code that runs.
#pragma once

#include <string>
#include <vector>

#include "core/codegen/assembly_text.h"
#include "core/support/result.h"

namespace rx::codegen {

struct CodeLine {
  int64_t begin = 0, end = 0;  ///< bytes from the entry of the kernel; functions before it lie at negative ones
  uint32_t line = 0;           ///< of the listing, from 1
};

/// The instructions of an object of kernelObject, in the order of their bytes; `listing` was made with the same
/// options, for this machine. Fails with codegen.llvm where the object holds other instructions.
Result<std::vector<CodeLine>> codeLines(const std::string& object, const MachineCode& listing);

}  // namespace rx::codegen
