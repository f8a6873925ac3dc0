// Small makers and tests that several passes share.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/build/mutator.h"
#include "core/op/make_call.h"

namespace rx::transform {

/// True for a call of the operator with this full name.
bool isOp(const relax::Expr& expr, std::string_view name);
/// The call when the expression is one of that operator, else null.
Ref<relax::Call> callOf(const relax::Expr& expr, std::string_view name);

relax::Expr primInt(int64_t value);
relax::Expr textImm(std::string_view text);
relax::Expr typeImm(DataType dtype);
/// Call of a packed function by name.
Ref<relax::Call> callPacked(std::string_view name, std::vector<relax::Expr> args,
                            Array<relax::StructInfo> sinfoArgs = {});
/// A call that returns nothing, bound to `_`.
void emitVoid(build::BlockBuilder& builder, const relax::Expr& call);

/// The call with the StructInfo of its arguments and of its result: changed arguments may have changed what is known.
/// Null where it can not be deduced.
Ref<relax::Call> callWithInfo(const Ref<relax::Call>& call, build::BlockBuilder& builder);

/// Fields of a tuple expression; a variable of tuple StructInfo gives TupleGetItems, anything else itself.
std::vector<relax::Expr> fieldsOf(const relax::Expr& tuple);

/// A tensor of zeros, or a tuple of them, with this StructInfo; null where a shape is not known.
relax::Expr zerosLike(const relax::StructInfo& info);

/// True where every dimension is a number.
bool allConstant(std::span<const tir::PrimExpr> dims);
/// The shape of a tensor type in numbers; nothing where it is not known.
std::optional<std::vector<int64_t>> numbersOf(const relax::StructInfo& info);

}  // namespace rx::transform
