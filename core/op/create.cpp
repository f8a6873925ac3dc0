// Operators that make tensors.
#include <cmath>

#include "core/arith/fold.h"
#include "core/op/families.h"
#include "core/op/rules.h"
#include "core/op/tir_intrinsics.h"
#include "core/tensor/host_tensor.h"

namespace rx::op {

namespace {

/// An argument that is a dimension of the result: an integer, as int64; null where its value is not known.
Result<PrimExpr> sizeAt(const Call& call, size_t index, std::string_view name) {
  RX_TRY(size, primAt(call, index));
  if (!size || size->dtype == DataType::Int(64)) return size;
  if (size->dtype.isIntegral()) return arith::cast(DataType::Int(64), size);
  return refuse(call, fmt::format("{} must be an integer, but is of type {}", name, size->dtype.str()));
}

/// A number of the text in the place of a scalar tensor becomes a constant of the type that is asked for.
Result<Unit> makeFill(BoundCall& bound, InferContext&) {
  const auto* number = as<relax::PrimValue>(bound.get("fill_value"));
  if (!number) return Unit{};
  const auto* whole = as<tir::IntImm>(number->value);
  const auto* real = as<tir::FloatImm>(number->value);
  if (!whole && !real) return Unit{};
  const auto* asked = as<ir::TypeAttr>(bound.get("dtype"));
  DataType type = asked ? asked->value : DataType::Void();
  if (type.isVoid()) type = real ? DataType::Float(32) : whole->dtype.isBool() ? DataType::Bool() : DataType::Int(32);
  if (!isStorable(type))
    return fail("relax.call", fmt::format("{}: no constant of type {}", bound.row->name(), type.str()));
  auto constant = HostTensor::scalar(type, whole ? static_cast<double>(whole->value) : real->value);
  bound.set("fill_value", make<relax::Constant>(constant, tensor({}, type, nullptr)));
  return Unit{};
}

Result<Unit> needScalar(const Call& call, size_t index) {
  RX_TRY(info, tensorAt(call, index));
  if (info->ndim != 0) {
    return refuse(call, fmt::format("argument '{}' must be a scalar, but is {}", argName(call, index),
                                    sinfoText(infoAt(call, index))));
  }
  return Unit{};
}

Inferred inferFull(const Call& call, InferContext&) {
  RX_CHECK(shapeAt(call, 0));
  RX_CHECK(needScalar(call, 1));
  RX_TRY(fill, tensorAt(call, 1));
  const DataType type = typeAttr(call, "dtype");
  return make<TensorStructInfo>(call.args[0], type.isVoid() ? fill->dtype : type, fill->vdevice);
}

Inferred inferFullLike(const Call& call, InferContext&) {
  RX_TRY(like, tensorAt(call, 0));
  RX_CHECK(needScalar(call, 1));
  const DataType type = typeAttr(call, "dtype");
  return withType(infoAt(call, 0), *like, type.isVoid() ? like->dtype : type);
}

Inferred inferOnes(const Call& call, InferContext&) {
  RX_CHECK(shapeAt(call, 0));
  const DataType type = typeAttr(call, "dtype");
  if (type.isVoid()) return refuse(call, "attribute 'dtype' must name a type");
  return make<TensorStructInfo>(call.args[0], type);
}

Inferred inferLike(const Call& call, InferContext&) {
  RX_TRY(like, tensorAt(call, 0));
  const DataType type = typeAttr(call, "dtype");
  return withType(infoAt(call, 0), *like, type.isVoid() ? like->dtype : type);
}

Result<Unit> makeEye(BoundCall& bound, InferContext&) {
  if (!bound.get("m")) bound.set("m", bound.get("n"));
  return Unit{};
}

Inferred inferEye(const Call& call, InferContext&) {
  RX_TRY(n, sizeAt(call, 0, "n"));
  RX_TRY(m, sizeAt(call, 1, "m"));
  RX_CHECK(primAt(call, 2));
  const DataType type = typeAttr(call, "dtype");
  if (!n || !m) return tensorOfRank(2, type, nullptr);
  return tensor({n, m}, type, nullptr);
}

Inferred inferEyeLike(const Call& call, InferContext& context) {
  RX_CHECK(needRank(call, 0, 2));
  return inferLike(call, context);
}

bool isWhole(const NodeRef& value) {
  const auto* prim = as<relax::PrimValue>(value);
  return !prim || prim->value->dtype.isIntegral();
}

Result<Unit> makeArange(BoundCall& bound, InferContext&) {
  if (!bound.get("end")) {
    bound.set("end", bound.get("start"));
    bound.set("start", make<relax::PrimValue>(int64(0)));
  }
  const auto* asked = as<ir::TypeAttr>(bound.get("dtype"));
  if (!asked || asked->value.isVoid()) {
    const bool whole = isWhole(bound.get("start")) && isWhole(bound.get("end")) && isWhole(bound.get("step"));
    bound.set("dtype", ir::typeAttr(whole ? DataType::Int(64) : DataType::Float(32)));
  }
  return Unit{};
}

Inferred inferArange(const Call& call, InferContext& context) {
  RX_TRY(start, primAt(call, 0));
  RX_TRY(end, primAt(call, 1));
  RX_TRY(step, primAt(call, 2));
  const DataType type = typeAttr(call, "dtype");
  if (!start || !end || !step) return tensorOfRank(1, type, nullptr);
  PrimExpr count;
  if (start->dtype.isInt() && end->dtype.isInt() && step->dtype.isInt()) {
    if (isConstInt(step, 0)) return refuse(call, "argument 'step' must not be 0");
    count = arith::floorDiv(arith::sub(arith::add(arith::sub(end, start), step), int64(1)), step);
  } else {
    auto real = [](const PrimExpr& e) { return arith::cast(DataType::Float(32), e); };
    if (arith::isZero(real(step))) return refuse(call, "argument 'step' must not be 0");
    PrimExpr quotient = arith::div(real(arith::sub(end, start)), real(step));
    if (const auto* imm = as<tir::FloatImm>(quotient)) {
      count = int64(static_cast<int64_t>(std::ceil(imm->value)));
    } else {
      auto up = make<tir::Call>(DataType::Float(32), tirOp("ceil"), Array<PrimExpr>{quotient});
      count = make<tir::Cast>(DataType::Int(64), up);
    }
  }
  if (count->dtype != DataType::Int(64)) count = arith::cast(DataType::Int(64), count);
  return tensor({simplify(count, context)}, type, nullptr);
}

Inferred inferWindow(const Call& call, InferContext&) {
  const DataType type = typeAttr(call, "dtype");
  RX_TRY(size, sizeAt(call, 0, "window_size"));
  if (!size) return tensorOfRank(1, type, nullptr);
  const auto constant = tir::asInt(size);
  if (constant && *constant <= 0)
    return refuse(call, fmt::format("window_size must be positive, but is {}", *constant));
  return tensor({size}, type, nullptr);
}

Inferred inferTriangle(const Call& call, InferContext&) {
  RX_TRY(info, tensorAt(call, 0));
  if (knownRank(*info) && info->ndim < 2) {
    return refuse(call, fmt::format("argument 'x' must have at least 2 dimensions, but has {}", info->ndim));
  }
  if (call.args.size() > 1) RX_CHECK(primAt(call, 1));
  return infoAt(call, 0);
}

constexpr OpSpec kRows[] = {
    {"relax.full", "shape: shape, fill_value: expr, dtype: dtype = 'void'", inferFull,
     "A tensor filled with one value.", makeFill, kDataDependent},
    {"relax.full_like", "x: expr, fill_value: expr, dtype: dtype = 'void'", inferFullLike,
     "A tensor of the shape of x filled with one value.", makeFill},
    {"relax.ones", "shape: shape, dtype: dtype", inferOnes, "A tensor of ones.", nullptr, kDataDependent},
    {"relax.zeros", "shape: shape, dtype: dtype", inferOnes, "A tensor of zeros.", nullptr, kDataDependent},
    {"relax.ones_like", "x: expr, dtype: dtype = 'void'", inferLike, "Ones of the shape of x."},
    {"relax.zeros_like", "x: expr, dtype: dtype = 'void'", inferLike, "Zeros of the shape of x."},
    {"relax.eye", "n: prim, m: prim?, k: prim = 0, dtype: dtype = 'float32'", inferEye,
     "Ones on a diagonal, zeros elsewhere.", makeEye},
    {"relax.eye_like", "x: expr, k: prim = 0, dtype: dtype = 'void'", inferEyeLike,
     "Ones on a diagonal, in the shape of x."},
    {"relax.arange", "start: prim, end: prim?, step: prim = 1, dtype: dtype = 'void'", inferArange,
     "Evenly spaced values from start to before end.", makeArange},
    {"relax.hamming_window", "window_size: prim, periodic: prim, alpha: prim, beta: prim, dtype: dtype", inferWindow,
     "A Hamming window."},
    {"relax.tril", "x: expr, k: prim = 0", inferTriangle, "The lower triangle, zeros above."},
    {"relax.triu", "x: expr, k: prim = 0", inferTriangle, "The upper triangle, zeros below."},
};

}  // namespace

std::span<const OpSpec> createOps() { return kRows; }

}  // namespace rx::op
