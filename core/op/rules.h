// What the StructInfo rules of the family files share: reading arguments and attributes, refusals, making results.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "core/arith/fold.h"
#include "core/op/infer.h"
#include "core/op/make_call.h"
#include "core/op/op_table.h"
#include "core/op/shape_check.h"
#include "core/op/sinfo_text.h"

namespace rx::op {

using relax::Call;
using relax::Expr;
using relax::kUnknownDim;
using relax::PrimStructInfo;
using relax::ShapeExpr;
using relax::ShapeStructInfo;
using relax::StructInfo;
using relax::TensorStructInfo;
using relax::TupleStructInfo;
using tir::PrimExpr;
using Inferred = Result<StructInfo>;
using Dims = std::vector<PrimExpr>;
using Device = Ref<ir::VDevice>;

/// A refusal that names the operator.
Failure refuse(const Call& call, std::string message);
/// Name of the parameter that argument `index` fills, for messages.
std::string argName(const Call& call, size_t index);

/// StructInfo of an argument as a tensor, or a refusal. The pointers live as long as the call.
Result<const TensorStructInfo*> tensorAt(const Call& call, size_t index);
/// All of the first `count` arguments (0: all).
Result<std::vector<const TensorStructInfo*>> tensorsOf(const Call& call, size_t count = 0);
/// Fields of a tuple argument as tensors.
Result<std::vector<const TensorStructInfo*>> tensorTupleAt(const Call& call, size_t index);
Result<const ShapeStructInfo*> shapeAt(const Call& call, size_t index);
/// The value of a PrimValue argument where it is known; null otherwise. Refuses anything that is no number.
Result<PrimExpr> primAt(const Call& call, size_t index);

/// The dimensions that a tensor's StructInfo states, null where it states none or a shape variable.
const Array<PrimExpr>* dimsOf(const TensorStructInfo& info);
/// The same of any StructInfo: null of what is no tensor.
const Array<PrimExpr>* dimsOf(const StructInfo& info);
/// The same, and those of a shape variable with known values.
const Array<PrimExpr>* valuesOf(const TensorStructInfo& info);
inline bool knownRank(const TensorStructInfo& info) { return info.ndim != kUnknownDim; }
/// Refuses a known rank other than `rank`.
Result<Unit> needRank(const Call& call, size_t index, int64_t rank);
Result<Unit> needFloat(const Call& call, size_t index);

/// The StructInfo of an argument as it stands (not copied).
inline const StructInfo& infoAt(const Call& call, size_t index) { return call.args[index]->sinfo; }

StructInfo tensor(Dims dims, DataType dtype, const Device& device);
StructInfo tensorOfRank(int64_t rank, DataType dtype, const Device& device);
/// The same shape (or rank) with another type; the argument's own object where nothing differs.
StructInfo withType(const StructInfo& info, const TensorStructInfo& tensor, DataType dtype);
StructInfo withType(const StructInfo& info, const TensorStructInfo& tensor, DataType dtype, const Device& device);

/// Attributes by name; a missing one is a bug of the table.
const NodeRef& attr(const Call& call, std::string_view name);
int64_t intAttr(const Call& call, std::string_view name);
bool boolAttr(const Call& call, std::string_view name);
double floatAttr(const Call& call, std::string_view name);
std::string_view strAttr(const Call& call, std::string_view name);
DataType typeAttr(const Call& call, std::string_view name);
/// Nothing when the attribute is None.
std::optional<int64_t> intOrNone(const Call& call, std::string_view name);
/// A list of integers; nothing when None. A lone integer is a list of one. Symbolic elements count as 0.
std::optional<std::vector<int64_t>> intsOrNone(const Call& call, std::string_view name);
std::vector<int64_t> ints(const Call& call, std::string_view name);
/// A list of integers or symbolic integers.
Dims dimsAttr(const Call& call, std::string_view name);

/// An axis in [-rank, rank) as one in [0, rank), or a refusal.
Result<int64_t> normalAxis(const Call& call, int64_t axis, int64_t rank);
/// Axes without duplicates, each in range.
Result<std::vector<int64_t>> normalAxes(const Call& call, const std::vector<int64_t>& axes, int64_t rank);

/// Broadcast of two shapes from the right: nothing when a pair of dimensions is neither equal nor 1 for sure; a refusal
/// when two different constants meet.
Result<std::optional<Dims>> broadcast(const Call& call, std::span<const PrimExpr> a, std::span<const PrimExpr> b,
                                      InferContext& context);
/// Type of the result of two operands: unknown when one is; a refusal when they differ and neither is bool.
Result<DataType> commonType(const Call& call, DataType a, DataType b);
/// Device of the result: the known one; none when two differ.
Device commonDevice(const Device& a, const Device& b);
Device commonDevice(std::span<const TensorStructInfo* const> infos);
/// The device that a call states for its result (where values lie in several memories, a pass does); may be null.
Device statedDevice(const Call& call);
/// The stated one, or that of operands that must not differ: a refusal when they do.
Result<Device> oneDevice(const Call& call, const Device& a, const Device& b);

PrimExpr simplify(const PrimExpr& expr, InferContext& context);
PrimExpr int64(int64_t value);
/// Product of dimensions, folded but not simplified, as texts have it; 1 of none.
PrimExpr product(std::span<const PrimExpr> dims);
PrimExpr ceilDiv(const PrimExpr& a, const PrimExpr& b);
inline bool isConstInt(const PrimExpr& expr, int64_t value) {
  const auto* imm = as<tir::IntImm>(expr);
  return imm && imm->value == value;
}

/// `T.if_then_else(condition, a, b)`, folded where the condition is a constant.
PrimExpr ifThenElse(const PrimExpr& condition, const PrimExpr& a, const PrimExpr& b);

/// The same object or the same constant: equal without asking the analyzer.
inline bool plainlyEqual(const PrimExpr& a, const PrimExpr& b) {
  if (a == b) return true;
  const auto* x = as<tir::IntImm>(a);
  const auto* y = as<tir::IntImm>(b);
  return x && y && x->value == y->value && x->dtype == y->dtype;
}
/// True when broadcasting `b` to `a` plainly gives `a`: the common case, which needs no new shape.
bool plainlyInto(std::span<const PrimExpr> a, std::span<const PrimExpr> b);

/// Rules that many rows share.
Inferred inferFirstArg(const Call& call, InferContext& context);
Inferred inferObject(const Call& call, InferContext& context);
Inferred inferVoid(const Call& call, InferContext& context);

}  // namespace rx::op
