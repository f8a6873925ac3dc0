// Making calls of operators: from values as a text or a pass has them to a Call with normalized arguments and
// attributes. StructInfo is not deduced here (core/build does).
#pragma once

#include <initializer_list>
#include <utility>

#include "core/op/infer.h"
#include "core/op/op_table.h"

namespace rx::op {

/// Values of the parameters of a row, in signature order; null = not given. Literals of a text are attribute values
/// (IntAttr, FloatAttr, BoolAttr, StrAttr, TypeAttr, NullAttr for None, ArrayAttr for lists and tuples whose elements
/// may be expressions); symbolic integers are tir::PrimExpr; the rest are relax::Expr or StructInfo. The value of a
/// variadic parameter is an ArrayAttr. `R.device(device_type=1, index=0)` is a DictAttrs with these entries.
struct BoundCall {
  const OpRow* row = nullptr;
  std::vector<NodeRef> values;
  NodeRef sinfoArgs;  ///< StructInfo that a text gives to a call of an operator that has no such parameter
  /// By name; null when not given. The parameter must exist.
  const NodeRef& get(std::string_view param) const;
  void set(std::string_view param, NodeRef value);
};

struct Keyword {
  std::string_view name;
  NodeRef value;
};

/// The parameter that a keyword of a call names, in any of its spellings; -1 is the StructInfo of `sinfo_args` where the
/// operator has no such parameter. Fails with `relax.call`, without a place, where there is none.
Result<int> keywordIndex(const OpRow& row, std::string_view keyword);

/// Binds positional and keyword values to the parameters of the row, converts and normalizes them, and makes the call.
/// Diagnostics name the operator and parameter; they have no place. `out_sinfo`/`out_ty`, `sinfo_args`/`ty_args` and
/// `type_args` are the same keyword.
Result<Ref<relax::Call>> bindCall(const OpRow& row, std::span<const NodeRef> positional,
                                  std::span<const Keyword> keywords, InferContext& context);

/// The same for passes: arguments are given in call order, attributes by name, what is not given is the default.
/// Attributes are taken as they are, without the operator's maker. A name that is not in the table or a wrong attribute
/// is a bug of the caller.
Ref<relax::Call> makeCall(std::string_view opName, std::vector<relax::Expr> args,
                          std::initializer_list<Keyword> attrs = {}, Array<relax::StructInfo> sinfoArgs = {});

/// Whether the attributes of a call of an operator are those of its row, in the form that bindCall gives them: for calls
/// that come from elsewhere than a text or a pass. Fails with `relax.call`, without a place.
Result<Unit> checkAttributes(const relax::Call& call);

/// A literal as an expression: PrimValue (int64, float64, bool), StringImm, DataTypeImm, Tuple; an expression as it is.
/// Null when the value is none of these.
relax::Expr toExpr(const NodeRef& value);
/// A list of integers (or a tuple of PrimValues, or an expression) as a shape; null when it is none. Negative
/// constants are kept.
relax::Expr toShape(const NodeRef& value);
/// An integer of a text as a PrimExpr (int64), or the PrimExpr or PrimValue itself; null when it is none.
tir::PrimExpr toPrimExpr(const NodeRef& value);

/// `R.call_tir(func, args, out_sinfo, tir_vars)`: several StructInfos become a tuple.
Ref<relax::Call> makeCallTir(const relax::GlobalVarRef& func, std::vector<relax::Expr> args, relax::StructInfo out,
                             relax::Expr tirVars = nullptr);

}  // namespace rx::op
