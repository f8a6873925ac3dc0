// The lattice of StructInfo: base check with its certainties, unification, erasure, what a call of a function gives.
// Rules: the Relax specification (StructInfo), as TVM v0.25 applies them.
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "core/op/infer.h"

namespace rx::op {

/// How sure it is that `derived` values are `base` values; ordered, worst first.
enum class BaseCheck : uint8_t {
  FailL0,  ///< no value of the derived kind is a base value
  FailL1,  ///< some are not, by category, rank or type; a run-time check would decide
  FailL2,  ///< only the shapes are not proved equal; a run-time check would decide
  Pass,    ///< every derived value is a base value
};
BaseCheck baseCheck(const relax::StructInfo& base, const relax::StructInfo& derived, InferContext& context);
inline bool isBaseOf(const relax::StructInfo& base, const relax::StructInfo& derived, InferContext& context) {
  return baseCheck(base, derived, context) == BaseCheck::Pass;
}

/// The least common ancestor of both.
relax::StructInfo unifyStructInfo(const relax::StructInfo& a, const relax::StructInfo& b, InferContext& context);

/// Structural equality, variables by identity (those that a function StructInfo defines by their place).
bool sameStructInfo(const relax::StructInfo& a, const relax::StructInfo& b);

/// What a symbolic variable becomes; null = it is not known there and what uses it is erased.
using SymbolMap = std::function<tir::PrimExpr(const tir::VarRef&)>;
/// What a shape variable (`R.Tensor(s)`) becomes; null as above.
using ShapeVarMap = std::function<relax::Expr(const relax::VarRef&)>;
/// The StructInfo with symbols and variables mapped; a shape with an unknown dimension keeps only its rank. Either map
/// may be empty: then all stay. The same object when nothing changes.
relax::StructInfo eraseToWellDefined(const relax::StructInfo& info, const SymbolMap& symbols,
                                     const ShapeVarMap& variables, InferContext& context);
/// Keeps what uses only these symbols.
relax::StructInfo eraseToKnown(const relax::StructInfo& info, const std::unordered_set<const tir::Var*>& symbols,
                               const std::unordered_set<const relax::Var*>& variables, InferContext& context);

/// Symbolic variables in dimensions and values, in order of first occurrence: all of them, and those that the
/// StructInfo would define as a parameter (a variable that is a dimension by itself).
std::vector<tir::VarRef> symbolsIn(const relax::StructInfo& info);
std::vector<tir::VarRef> definableSymbolsIn(const relax::StructInfo& info);

/// What the call itself says it gives (`sinfo_args`): several are a tuple; `none` where it says nothing.
relax::StructInfo statedResult(const relax::Call& call, const relax::StructInfo& none);

/// StructInfo of `call` by the signature of its callee; the arguments must have StructInfo. Refuses a wrong count and
/// an argument that can not be what the parameter says.
Result<relax::StructInfo> deriveCallResult(const relax::FuncStructInfo& callee, const relax::Call& call,
                                           InferContext& context);
/// The same for a list of arguments.
Result<relax::StructInfo> deriveCallResult(const relax::FuncStructInfo& callee, std::span<const relax::Expr> args,
                                           const relax::Call& call, InferContext& context);

}  // namespace rx::op
