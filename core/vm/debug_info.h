// DebugInfo: what an executable knows of the program it came from. TVM's file has no place for it; ours adds a section.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/ir/origin.h"

namespace rx::vm {

/// The binding that an instruction computes, in the module that code was generated from.
struct DebugSite {
  uint32_t block = 0;  ///< as in OriginSite
  uint32_t binding = 0;
  bool known = false;    ///< false for code that no binding asked for (returns, the glue of branches)
  std::string variable;  ///< name of the variable bound
  Span span;             ///< in the sources of the module
  OriginRef origin;      ///< the bindings of the imported module, may be null
  bool operator==(const DebugSite& other) const;
};

struct FunctionDebug {
  std::vector<std::string> registers;        ///< name of the variable of each register, may be ""
  std::map<int64_t, std::string> heapSlots;  ///< text of the expression in each slot of the shape heap ("n", "n * 4")
  bool operator==(const FunctionDebug&) const = default;
};

/// Either empty or as long as the executable's instructions and function table.
struct DebugInfo {
  std::vector<DebugSite> instructions;
  std::vector<FunctionDebug> functions;
  bool empty() const { return instructions.empty() && functions.empty(); }
  bool operator==(const DebugInfo&) const = default;
};

}  // namespace rx::vm
