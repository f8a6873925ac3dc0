// What calls of TIR intrinsics become on each kind of target: a table (intrinsic_rules.def) of small functions.
#pragma once

#include <string_view>

#include "core/op/tir_intrinsics.h"

namespace rx::lower {

/// One rule. `detail` is the name (or number) that the rule needs; null where the rule does not apply to this call.
using IntrinsicRule = tir::PrimExpr (*)(const tir::Call& call, std::string_view detail);

/// The rules of one kind of target, strongest first.
class IntrinsicRules {
 public:
  /// `fastMath`: rules that trade precision for speed come first.
  IntrinsicRules(std::string_view targetKind, bool fastMath);
  /// What the call becomes by the first rule that applies; null for none.
  tir::PrimExpr lowered(const tir::Call& call) const;
  /// a * b + c as one call; null where the target has none.
  tir::PrimExpr fusedMultiplyAdd(const tir::PrimExpr& a, const tir::PrimExpr& b, const tir::PrimExpr& c) const;

 private:
  std::vector<std::string_view> columns_;  ///< of the table
};

}  // namespace rx::lower
