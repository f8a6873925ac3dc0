// core/op: the operator table. One row an operator: how it is called in text (its signature), what its arguments and
// attributes are, its StructInfo rule, its purity, what it may refuse. Rows stand in files by family (unary.cpp,
// manipulate.cpp, ...); the parser, the deduction, the legalizer, the printer and the documentation read the same row.
//
// A signature is the Python parameter list of the operator: `x: expr, axis: int? = None, keepdims: bool = False`.
// Kinds of arguments (they become Call::args, in signature order):
//   expr      any expression; a literal becomes PrimValue, StringImm, DataTypeImm or Tuple
//   shape     a shape: a list of integers becomes a ShapeExpr
//   tuple     a tuple of expressions: a list becomes a Tuple
//   prims     a tuple of integers: a list becomes a Tuple of PrimValues, a lone number a Tuple of one
//   prim      a number: becomes a PrimValue
//   strarg    text: becomes a StringImm          dtypearg  a type name: becomes a DataTypeImm
//   func      a function: text becomes an ExternFunc, all else as expr
// Kinds of attributes (they become Call::attrs, in signature order or in OpSpec::attrOrder):
//   int float bool str dtype   one value         ints floats prims_attr   a list (a lone value becomes a list of one)
//   attr      any attribute value as it stands
// Others: sinfo (one StructInfo, several become a tuple), sinfos (a list of StructInfo): Call::sinfoArgs.
// A `?` after the kind admits None: an argument is then left out, an attribute is NullAttr. A `*` before the name takes
// all further positional values. A parameter without `= default` and without `?` must be given.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/ir/relax.h"
#include "core/support/result.h"

namespace rx::op {

class InferContext;
struct BoundCall;
struct OpRow;

/// The StructInfo rule: of a call whose arguments have StructInfo. Refusals are diagnostics without a place.
using InferRule = Result<relax::StructInfo> (*)(const relax::Call& call, InferContext& context);
/// Brings bound values to the form that the operator's maker gives them (padding as begin and end, -1 in a shape
/// resolved, ...). May change the row.
using MakeRule = Result<Unit> (*)(BoundCall& bound, InferContext& context);

enum OpFlags : uint32_t {
  kPure = 0,
  kImpure = 1,          ///< may not be reordered, removed, or stand in a dataflow block
  kDataDependent = 2,   ///< the result's shape depends on values; legalized even where shapes are unknown
  kNoShapesNeeded = 4,  ///< legalized even where the shapes of arguments are unknown
  kCallsFunction = 8,   ///< the first argument is a function that it calls (call_tir family, closures)
  kNormalizes = 16,     ///< has a normal form of its own (core/build/op_normalize.h)
  kDistributed = 32,    ///< takes and gives distributed tensors by its own rule
};

/// A row as it is written down in a family file.
struct OpSpec {
  std::string_view name;       ///< "relax.nn.conv2d"
  std::string_view signature;  ///< see the top of this file
  InferRule infer;
  std::string_view doc;  ///< one sentence
  MakeRule make = nullptr;
  uint32_t flags = kPure;
  std::string_view attrOrder = {};  ///< attribute names in printed order, where it is not the signature's
  std::string_view argOrder = {};   ///< argument names in the order of Call::args, where it is not the signature's
};

enum class ParamKind : uint8_t {
  Expr,
  Shape,
  Tuple,
  Prims,
  Prim,
  StrArg,
  DTypeArg,
  Func,  // arguments
  Int,
  Float,
  Bool,
  String,
  DType,
  Ints,
  Floats,
  PrimsAttr,
  Attr,  // attributes
  Sinfo,
  Sinfos,  // StructInfo
};
inline bool isArgument(ParamKind kind) { return kind <= ParamKind::Func; }
inline bool isAttribute(ParamKind kind) { return kind >= ParamKind::Int && kind <= ParamKind::Attr; }

struct OpParam {
  Str name;
  ParamKind kind = ParamKind::Expr;
  bool optional = false;  ///< admits None
  bool variadic = false;
  NodeRef fallback;  ///< the default; null where there is none
};

/// A row ready for use.
struct OpRow {
  OpSpec spec;
  std::vector<OpParam> params;       ///< in signature order
  std::vector<uint16_t> attrParams;  ///< params that are attributes, in printed order
  std::vector<uint16_t> argParams;   ///< params that are arguments, in the order of Call::args
  ir::Attrs defaultAttrs;            ///< all attributes at their defaults; null where one has none or there are none
  relax::OpRef op;

  std::string_view name() const { return spec.name; }
  bool has(OpFlags flag) const { return (spec.flags & flag) != 0; }
  bool pure() const { return !has(kImpure); }
  /// Index of a parameter by name, or -1.
  int paramIndex(std::string_view param) const;
};

/// The row of an operator: by its full name ("relax.add"; without "relax." it is found too), or null.
const OpRow* findOp(std::string_view name);
/// The row of an operator node or of a call's callee; null for anything else (TIR intrinsics included).
const OpRow* rowOf(const relax::Op* op);
const OpRow* rowOf(const relax::Expr& callee);
/// The row of a call whose callee is an operator, else null.
const OpRow* rowOf(const relax::Call& call);
/// The operator node of a name that is in the table.
relax::OpRef opRef(std::string_view name);
/// All rows, ordered by family file.
std::span<const OpRow> allOps();
/// True when the call is of the operator with this name. The fast way to test one: keep the row.
bool isCallTo(const relax::Call* call, std::string_view name);

}  // namespace rx::op
