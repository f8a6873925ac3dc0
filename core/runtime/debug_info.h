// DebugInfo: what an executable knows of the program it came from. TVM's file has no place for it; ours adds a section.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/support/ref.h"
#include "core/support/source.h"

namespace rx::vm {

/// The binding that an instruction computes, in the module that code was generated from.
struct DebugSite {
  uint32_t block = 0;  ///< as in OriginSite
  uint32_t binding = 0;
  bool known = false;    ///< false for code that no binding asked for (returns, the glue of branches)
  std::string variable;  ///< name of the variable bound
  std::string from;      ///< where that names nothing: the imported binding that is computed, as for a call that writes
                         ///< into what it is given
  Span span;             ///< in the sources of the module
  Ref<Object> origin;    ///< the bindings of the imported module (core/vm/site_origin.h), may be null
  /// As with the IR, equality does not look at origins.
  bool operator==(const DebugSite& other) const {
    return block == other.block && binding == other.binding && known == other.known && variable == other.variable &&
           from == other.from && span == other.span;
  }
  /// What a person calls it by; "" where nothing is known.
  const std::string& name() const { return bindsName() ? variable : from; }
  bool bindsName() const { return known && !variable.empty() && variable != "_"; }
  /// `from` has a section of its own in the file.
  static void parts(auto& io, auto& self) {
    io(self.known, self.block, self.binding, self.span.begin, self.span.end, self.span.file, self.variable);
  }
};

struct FunctionDebug {
  std::vector<std::string> registers;  ///< name of the variable of each register, may be ""
  /// Text of the expression in a slot of the shape heap ("n", "n * 4"), by slot.
  std::vector<std::pair<int64_t, std::string>> heapSlots;
  bool operator==(const FunctionDebug&) const = default;
  static void parts(auto& io, auto& self) { io(self.registers, self.heapSlots); }
};

/// Either empty or as long as the executable's instructions and function table.
struct DebugInfo {
  std::vector<DebugSite> instructions;
  std::vector<FunctionDebug> functions;
  bool empty() const { return instructions.empty() && functions.empty(); }
  bool operator==(const DebugInfo&) const = default;
  static void parts(auto& io, auto& self) { io(self.instructions, self.functions); }
};

}  // namespace rx::vm
