// Operators that read at computed places: take, gather, dynamic slices, quantization parameters by axis.
#include <algorithm>
#include <limits>

#include "core/legalize/families.h"
#include "core/legalize/legalize.h"
#include "core/op/make_call.h"
#include "core/op/rules.h"

namespace rx::legalize {

using namespace te;

namespace {

Outcome take(Lowering& l) {
  Tensor x = l.arg(0);
  Operand indices = l.operand(1);
  auto given = l.optionalInt("axis");
  if (!given && x.rank() != 1) return refuse(l.call, "an axis is needed for more than one dimension");
  auto axis = normalAxis(given.value_or(0), x.rank());
  if (!axis) return refuse(l.call, "the axis is out of range");
  std::string_view mode = l.strAttr("mode");
  size_t inner = indices.dims().size();
  Shape shape = x.dims();
  Shape middle = indices.dims();
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), middle.begin(), middle.end());
  PrimExpr size = x.dim(*axis);
  auto body = [&](const Indices& i) {
    Indices at(i.begin() + static_cast<std::ptrdiff_t>(*axis), i.begin() + static_cast<std::ptrdiff_t>(*axis + inner));
    PrimExpr place = indices.isScalar() ? indices.scalar : indices.tensor(at);
    if (mode == "wrap") {
      place = arith::truncMod(arith::add(arith::truncMod(place, size), size), size);
    } else if (mode == "clip") {
      place = arith::min(arith::max(arith::constantInt(place->dtype, 0), place), arith::sub(size, i64(1)));
    }
    Indices in(i.begin(), i.begin() + static_cast<std::ptrdiff_t>(*axis));
    in.push_back(place);
    in.insert(in.end(), i.begin() + static_cast<std::ptrdiff_t>(*axis + inner), i.end());
    if (mode != "nan") return x(in);
    PrimExpr valid = arith::logicalAnd(arith::ge(place, arith::constantInt(place->dtype, 0)), arith::lt(place, size));
    return ifThenElse(valid, x(in), tir::floatImm(std::numeric_limits<double>::quiet_NaN(), x.dtype()));
  };
  return l.finish("take", l.graph.compute(shape, body, {"T_take"}));
}

Outcome gatherElements(Lowering& l) {
  Tensor x = l.arg(0), indices = l.arg(1);
  auto axis = normalAxis(l.intAttr("axis"), x.rank());
  if (!axis || indices.rank() != x.rank()) return refuse(l.call, "axis or rank do not fit");
  auto body = [&](const Indices& i) {
    Indices in = i;
    in[*axis] = indices(i);
    return x(in);
  };
  return l.finish("gather", l.graph.compute(indices.dims(), body, {"T_gather"}));
}

Outcome gatherNd(Lowering& l) {
  Tensor x = l.arg(0), given = l.arg(1);
  // The last dimension of the indices, which holds the coordinates, comes first.
  std::vector<size_t> axes{given.rank() - 1};
  for (size_t i = 0; i + 1 < given.rank(); ++i) axes.push_back(i);
  Tensor indices = transposeStage(l, given, axes);
  auto depth = tir::asInt(indices.dim(0));
  int64_t batch = l.intAttr("batch_dims");
  if (!depth || batch < 0 || batch + *depth > static_cast<int64_t>(x.rank())) {
    return refuse(l.call, "the depth of the indices is not known");
  }
  Shape shape(indices.shape().begin() + 1, indices.shape().end());
  size_t outer = shape.size(), first = static_cast<size_t>(batch + *depth);
  for (size_t i = first; i < x.rank(); ++i) shape.push_back(x.dim(i));
  auto body = [&](const Indices& i) {
    Indices in(i.begin(), i.begin() + batch);
    for (int64_t d = 0; d < *depth; ++d) {
      Indices at{i64(d)};
      at.insert(at.end(), i.begin(), i.begin() + static_cast<std::ptrdiff_t>(outer));
      in.push_back(indices(at));
    }
    in.insert(in.end(), i.begin() + static_cast<std::ptrdiff_t>(outer), i.end());
    return x(in);
  };
  return l.finish("te_gather_nd", l.graph.compute(shape, body, {"T_gather_nd"}));
}

/// Reads a quantization parameter: one for all, or one an element of the axis.
PrimExpr parameter(const Operand& p, const Indices& i, size_t axis) {
  if (p.isScalar()) return p.scalar;
  if (p.tensor.rank() == 0) return p.tensor({});
  return p.tensor({isConstOne(p.tensor.dim(0)) ? i64(0) : i[axis]});
}
bool isZeroParameter(const Operand& p) { return p.isScalar() && arith::isZero(p.scalar); }

PrimExpr clampTo(PrimExpr value, DataType type) {
  auto bound = [&](const PrimExpr& e) { return arith::cast(value->dtype, e); };
  return arith::max(arith::min(value, bound(arith::maxValue(type))), bound(arith::minValue(type)));
}

Outcome quantize(Lowering& l) {
  Tensor x = l.arg(0);
  Operand scale = l.operand(1, true), zero = l.operand(2, true);
  auto axis = normalAxis(l.intAttr("axis", -1), x.rank());
  DataType type = l.dtypeAttr("out_dtype");
  if (!axis) return refuse(l.call, "the axis is out of range");
  auto body = [&](const Indices& i) {
    PrimExpr value = arith::div(x(i), parameter(scale, i, *axis));
    if (!type.isFloat()) value = math("round", value);
    PrimExpr shift = parameter(zero, i, *axis);
    value = arith::add(value, arith::cast(value->dtype, shift));
    return arith::cast(type, clampTo(value, type));
  };
  return l.finish("quantize", l.graph.compute(x.dims(), body, {"quantized", {"i"}}));
}

Outcome dequantize(Lowering& l) {
  Tensor x = l.arg(0);
  Operand scale = l.operand(1, true), zero = l.operand(2, true);
  auto axis = normalAxis(l.intAttr("axis", -1), x.rank());
  DataType type = l.dtypeAttr("out_dtype");
  if (!axis) return refuse(l.call, "the axis is out of range");
  DataType wide = DataType::Float(32);
  auto body = [&](const Indices& i) {
    PrimExpr value = x(i);
    if (!x.dtype().isFloat()) {
      value = arith::cast(DataType::Int(32), value);
      if (!isZeroParameter(zero)) {
        value = arith::sub(value, arith::cast(DataType::Int(32), parameter(zero, i, *axis)));
      }
    } else if (!isZeroParameter(zero)) {
      value = arith::sub(value, arith::cast(value->dtype, parameter(zero, i, *axis)));
    }
    value = arith::mul(arith::cast(wide, value), arith::cast(wide, parameter(scale, i, *axis)));
    if (type == DataType::Float(32)) return value;
    return arith::cast(type, clampTo(value, type));
  };
  return l.finish("dequantize", l.graph.compute(x.dims(), body, {"dequantized", {"i"}}));
}

relax::Expr packed(std::string_view name, const relax::Expr& argument, const relax::StructInfo& result) {
  return op::makeCall("relax.call_pure_packed", {make<relax::ExternFunc>(Str(name)), argument}, {}, {result});
}

/// Operators whose result is found by a function of the runtime.
template <const auto& kName>
Outcome byPacked(Lowering& l) {
  std::vector<relax::Expr> args{make<relax::ExternFunc>(Str(kName))};
  args.insert(args.end(), l.call.args.begin(), l.call.args.end());
  return relax::Expr(op::makeCall("relax.call_pure_packed", std::move(args), {}, {l.call.sinfo}));
}
constexpr char kNonzero[] = "relax.run.nonzero", kUnique[] = "relax.run.unique";

/// Statements that only the runtime can do; the text comes where the operator has it.
template <const auto& kName>
Outcome byImpurePacked(Lowering& l) {
  std::vector<relax::Expr> args = l.call.args.vector();
  auto call = make<relax::Call>(make<relax::ExternFunc>(Str(kName)), Array<relax::Expr>(std::move(args)), nullptr,
                                Array<relax::StructInfo>{relax::voidSinfo()});
  return relax::Expr(call);
}
constexpr char kPrint[] = "relax.run.print", kAssert[] = "relax.run.assert_op";

relax::Expr dpsPacked(Lowering& l, std::string_view name, std::vector<relax::Expr> args) {
  std::vector<relax::StructInfo> infos;
  for (const relax::Expr& arg : args) infos.push_back(arg->sinfo);
  relax::Expr tuple = make<relax::Tuple>(Array<relax::Expr>(std::move(args)),
                                         relax::tupleSinfo(Array<relax::StructInfo>(std::move(infos))));
  return op::makeCall("relax.call_dps_packed", {make<relax::ExternFunc>(Str(name)), tuple}, {}, {l.call.sinfo});
}

Outcome allReduce(Lowering& l) {
  constexpr std::string_view kKinds[] = {"sum", "prod", "min", "max", "avg"};
  auto found = std::find(std::begin(kKinds), std::end(kKinds), l.strAttr("op_type"));
  if (found == std::end(kKinds)) return refuse(l.call, "the kind of reduction is not known");
  relax::Expr kind = make<relax::ShapeExpr>(Array<PrimExpr>{i64(found - std::begin(kKinds))});
  relax::Expr group = make<relax::PrimValue>(tir::intImm(l.boolAttr("in_group", true)));
  return dpsPacked(l, "runtime.disco.allreduce", {l.call.args[0], kind, group});
}
Outcome allGather(Lowering& l) {
  relax::Expr group = make<relax::PrimValue>(tir::intImm(l.boolAttr("in_group", true)));
  return dpsPacked(l, "runtime.disco.allgather", {l.call.args[0], group});
}
Outcome broadcastFromWorker(Lowering& l) {
  relax::Expr group = make<relax::PrimValue>(tir::intImm(0));
  return dpsPacked(l, "runtime.disco.broadcast_from_worker0", {l.call.args[0], group});
}

/// What one operator is as a kernel, bound to a variable.
Outcome emitted(Lowering& l, const relax::Expr& call) {
  relax::Expr ready = l.builder.normalize(call);
  RX_TRY(kernel, legalizeCall(*as<relax::Call>(ready), l.builder));
  return l.builder.emit(kernel);
}

/// Each worker gets a part of an axis. What sends them takes parts that lie one behind the other.
Outcome scatterFromWorker(Lowering& l) {
  const Array<PrimExpr>* dims = op::dimsOf(l.call.args[0]->sinfo);
  const auto axis = dims ? normalAxis(l.intAttr("axis"), dims->size()) : std::nullopt;
  const PrimExpr workers = i64(l.intAttr("num_workers", 1));
  if (!axis || !l.analyzer.canProveEqual(arith::floorMod((*dims)[*axis], workers), i64(0)))
    return refuse(l.call, "the axis is not known to have equal parts for all workers");
  std::vector<PrimExpr> shape = dims->vector();
  shape[*axis] = l.analyzer.simplify(arith::floorDiv(shape[*axis], workers));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), workers);
  const relax::Expr split = make<relax::ShapeExpr>(Array<PrimExpr>(shape));
  RX_TRY(parts, emitted(l, op::makeCall("relax.reshape", {l.call.args[0], split})));
  if (*axis > 0) {
    std::vector<NodeRef> order{ir::intAttr(static_cast<int64_t>(*axis))};
    for (size_t k = 0; k < shape.size(); ++k) {
      if (k != *axis) order.push_back(ir::intAttr(static_cast<int64_t>(k)));
    }
    RX_TRY(turned, emitted(l, op::makeCall("relax.permute_dims", {parts}, {{"axes", ir::arrayAttr(std::move(order))}})));
    parts = turned;
  }
  return dpsPacked(l, "runtime.disco.scatter_from_worker0", {parts, make<relax::PrimValue>(tir::intImm(0))});
}

Outcome shapeToTensor(Lowering& l) { return packed("relax.run.shape_to_tensor", l.call.args[0], l.call.sinfo); }

constexpr LegalizeRow kRows[] = {
    {"relax.print", byImpurePacked<kPrint>, true},
    {"relax.assert_op", byImpurePacked<kAssert>, true},
    {"relax.nonzero", byPacked<kNonzero>, true},
    {"relax.unique", byPacked<kUnique>, true},
    {"relax.ccl.allreduce", allReduce},
    {"relax.ccl.allgather", allGather},
    {"relax.ccl.broadcast_from_worker0", broadcastFromWorker},
    {"relax.ccl.scatter_from_worker0", scatterFromWorker},
    {"relax.take", take},
    {"relax.gather_elements", gatherElements},
    {"relax.gather_nd", gatherNd},
    {"relax.quantize", quantize},
    {"relax.dequantize", dequantize},
    {"relax.shape_to_tensor", shapeToTensor, true},
};

}  // namespace

std::span<const LegalizeRow> indexRows() { return kRows; }

}  // namespace rx::legalize
