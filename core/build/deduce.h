// core/build: StructInfo of any expression, normal form, the builder of blocks and functions, and the base rewriter of
// passes: the only way the rest makes Relax code.
#pragma once

#include "core/op/infer.h"
#include "core/op/lattice.h"

namespace rx::build {

/// StructInfo of an expression whose parts have StructInfo (the parts of a call are not deduced again). An expression
/// that has its own keeps it. SeqExpr and Function are made with theirs.
Result<relax::StructInfo> deduce(const relax::Expr& expr, op::InferContext& context);
/// Of a call: the rule of its operator, or the signature of its callee.
Result<relax::StructInfo> deduceCall(const relax::Call& call, op::InferContext& context);
/// Whether an argument is a value of which the StructInfo does not say everything: no type, no rank, no shape.
bool hasUnknownArgument(const relax::Call& call);
/// Signature of what is called: of the function behind a GlobalVar where it is known, else the expression's own.
relax::StructInfo calleeSinfo(const relax::Expr& callee, const op::InferContext& context);

/// False where calling it may have effects: an impure operator, or a function not known to be pure.
bool isPureCall(const relax::Call& call, const op::InferContext& context);

}  // namespace rx::build
