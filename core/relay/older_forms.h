// Calls of operators as texts of TVM before 0.12 have them, where names and attributes were others than those of 0.18.
#pragma once

#include <string_view>
#include <vector>

#include "core/ir/relay.h"

namespace rx::relay {

/// A call that is being read.
struct WrittenCall {
  std::vector<Expr> args;
  ir::Attrs attrs;           ///< null: none
  bool isOfOldText = false;  ///< of a text whose version is below 0.0.5
};

struct OlderForm {
  std::string_view name;        ///< as it is written
  std::string_view op;          ///< the operator's name now
  void (*amend)(WrittenCall&);  ///< brings the call into today's form; leaves one that has it
};

/// The row of a name that had another meaning or other attributes; null where it always had today's.
const OlderForm* findOlderForm(std::string_view name);

}  // namespace rx::relay
