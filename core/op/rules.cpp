#include "core/op/rules.h"

#include "core/op/tir_intrinsics.h"

namespace rx::op {

Failure refuse(const Call& call, std::string message) {
  const OpRow* row = rowOf(call);
  std::string text = row ? fmt::format("{}: {}", row->name(), message) : std::move(message);
  return fail(errorAt(call.span, "relax.infer", std::move(text)));
}

std::string argName(const Call& call, size_t index) {
  const OpRow* row = rowOf(call);
  size_t at = 0;
  for (size_t i = 0; row && i < row->params.size(); ++i) {
    const OpParam& param = row->params[i];
    if (!isArgument(param.kind)) continue;
    if (param.variadic || at == index) return param.name.string();
    ++at;
  }
  return std::to_string(index);
}

namespace {
Failure wrongArgument(const Call& call, size_t index, std::string_view expected) {
  if (index >= call.args.size()) {
    return refuse(call, fmt::format("argument '{}' is missing: it must be {}", argName(call, index), expected));
  }
  return refuse(call, fmt::format("argument '{}' must be {}, but is {}", argName(call, index), expected,
                                  sinfoText(infoAt(call, index))));
}
}  // namespace

Result<const TensorStructInfo*> tensorAt(const Call& call, size_t index) {
  if (index < call.args.size()) {
    if (const auto* info = as<TensorStructInfo>(infoAt(call, index))) return info;
  }
  return wrongArgument(call, index, "a tensor");
}

Result<std::vector<const TensorStructInfo*>> tensorsOf(const Call& call, size_t count) {
  std::vector<const TensorStructInfo*> infos;
  for (size_t i = 0; i < (count ? count : call.args.size()); ++i) {
    RX_TRY(info, tensorAt(call, i));
    infos.push_back(info);
  }
  return infos;
}

Result<std::vector<const TensorStructInfo*>> tensorTupleAt(const Call& call, size_t index) {
  const auto* tuple = index < call.args.size() ? as<TupleStructInfo>(infoAt(call, index)) : nullptr;
  if (!tuple) return wrongArgument(call, index, "a tuple of tensors");
  std::vector<const TensorStructInfo*> infos;
  for (const StructInfo& item : tuple->items) {
    const auto* info = as<TensorStructInfo>(item);
    if (!info) return wrongArgument(call, index, "a tuple of tensors");
    infos.push_back(info);
  }
  return infos;
}

Result<const ShapeStructInfo*> shapeAt(const Call& call, size_t index) {
  if (index < call.args.size()) {
    if (const auto* info = as<ShapeStructInfo>(infoAt(call, index))) return info;
  }
  return wrongArgument(call, index, "a shape");
}

Result<PrimExpr> primAt(const Call& call, size_t index) {
  if (index < call.args.size()) {
    if (const auto* value = as<relax::PrimValue>(call.args[index])) return value->value;
    if (const auto* info = as<PrimStructInfo>(infoAt(call, index))) return info->value;
  }
  return wrongArgument(call, index, "a number");
}

const Array<PrimExpr>* dimsOf(const TensorStructInfo& info) {
  const auto* literal = as<ShapeExpr>(info.shape);
  return literal ? &literal->values : nullptr;
}

const Array<PrimExpr>* dimsOf(const StructInfo& info) {
  const auto* tensor = as<TensorStructInfo>(info);
  return tensor ? dimsOf(*tensor) : nullptr;
}

const Array<PrimExpr>* valuesOf(const TensorStructInfo& info) {
  if (!info.shape) return nullptr;
  if (const Array<PrimExpr>* dims = dimsOf(info)) return dims;
  const auto* shape = as<ShapeStructInfo>(info.shape->sinfo);
  return shape && shape->known ? &shape->values : nullptr;
}

Result<Unit> needRank(const Call& call, size_t index, int64_t rank) {
  RX_TRY(info, tensorAt(call, index));
  if (knownRank(*info) && info->ndim != rank) {
    return refuse(
        call, fmt::format("argument '{}' must have {} dimensions, but has {}", argName(call, index), rank, info->ndim));
  }
  return Unit{};
}

Result<Unit> needFloat(const Call& call, size_t index) {
  RX_TRY(info, tensorAt(call, index));
  if (!info->dtype.isVoid() && !info->dtype.isFloat()) {
    return refuse(call, fmt::format("argument '{}' must have a float type, but is {}", argName(call, index),
                                    dtypeText(info->dtype)));
  }
  return Unit{};
}

StructInfo tensor(Dims dims, DataType dtype, const Device& device) {
  return make<TensorStructInfo>(Expr(make<ShapeExpr>(Array<PrimExpr>(std::move(dims)))), dtype, device);
}

StructInfo tensorOfRank(int64_t rank, DataType dtype, const Device& device) {
  return make<TensorStructInfo>(dtype, rank, device);
}

StructInfo withType(const StructInfo& info, const TensorStructInfo& tensor, DataType dtype, const Device& device) {
  if (tensor.dtype == dtype && tensor.vdevice == device && info.get() == &tensor) return info;
  if (tensor.shape) return make<TensorStructInfo>(tensor.shape, dtype, device);
  return make<TensorStructInfo>(dtype, tensor.ndim, device);
}

StructInfo withType(const StructInfo& info, const TensorStructInfo& tensor, DataType dtype) {
  return withType(info, tensor, dtype, tensor.vdevice);
}

const NodeRef& attr(const Call& call, std::string_view name) {
  static const NodeRef none = ir::nullAttr();
  for (size_t i = 0; call.attrs && i < call.attrs->size(); ++i) {
    if (call.attrs->keys[i] == name) return call.attrs->values[i];
  }
  return none;
}

int64_t intAttr(const Call& call, std::string_view name) { return intOrNone(call, name).value_or(0); }

std::optional<int64_t> intOrNone(const Call& call, std::string_view name) {
  const NodeRef& value = attr(call, name);
  if (const auto* number = as<ir::IntAttr>(value)) return number->value;
  if (const auto* truth = as<ir::BoolAttr>(value)) return truth->value ? 1 : 0;
  if (const auto* imm = as<tir::IntImm>(value)) return imm->value;
  return std::nullopt;
}

bool boolAttr(const Call& call, std::string_view name) { return intAttr(call, name) != 0; }

double floatAttr(const Call& call, std::string_view name) {
  const NodeRef& value = attr(call, name);
  if (const auto* real = as<ir::FloatAttr>(value)) return real->value;
  if (const auto* imm = as<tir::FloatImm>(value)) return imm->value;
  return static_cast<double>(intAttr(call, name));
}

std::string_view strAttr(const Call& call, std::string_view name) {
  const auto* text = as<ir::StrAttr>(attr(call, name));
  return text ? text->value.view() : std::string_view();
}

DataType typeAttr(const Call& call, std::string_view name) {
  const auto* type = as<ir::TypeAttr>(attr(call, name));
  return type ? type->value : DataType::Void();
}

Dims dimsAttr(const Call& call, std::string_view name) {
  Dims dims;
  const NodeRef& value = attr(call, name);
  if (const auto* list = as<ir::ArrayAttr>(value)) {
    for (const NodeRef& item : list->items) {
      PrimExpr dim = toPrimExpr(item);
      dims.push_back(dim ? dim : int64(0));
    }
  } else if (PrimExpr dim = toPrimExpr(value)) {
    dims.push_back(dim);
  }
  return dims;
}

std::optional<std::vector<int64_t>> intsOrNone(const Call& call, std::string_view name) {
  if (isa<ir::NullAttr>(attr(call, name))) return std::nullopt;
  std::vector<int64_t> values;
  for (const PrimExpr& dim : dimsAttr(call, name)) values.push_back(tir::asInt(dim).value_or(0));
  return values;
}

std::vector<int64_t> ints(const Call& call, std::string_view name) {
  return intsOrNone(call, name).value_or(std::vector<int64_t>());
}

Result<int64_t> normalAxis(const Call& call, int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    return refuse(call, fmt::format("axis {} is out of range for {} dimensions", axis, rank));
  }
  return axis < 0 ? axis + rank : axis;
}

Result<std::vector<int64_t>> normalAxes(const Call& call, const std::vector<int64_t>& axes, int64_t rank) {
  std::vector<int64_t> normal;
  for (int64_t axis : axes) {
    RX_TRY(one, normalAxis(call, axis, rank));
    if (std::find(normal.begin(), normal.end(), one) != normal.end()) {
      return refuse(call, fmt::format("axis {} is given twice", axis));
    }
    normal.push_back(one);
  }
  return normal;
}

bool plainlyInto(std::span<const PrimExpr> a, std::span<const PrimExpr> b) {
  if (b.size() > a.size()) return false;
  for (size_t i = 1; i <= b.size(); ++i) {
    const PrimExpr& x = a[a.size() - i];
    const PrimExpr& y = b[b.size() - i];
    if (!plainlyEqual(x, y) && !isConstInt(y, 1)) return false;
  }
  return true;
}

Result<std::optional<Dims>> broadcast(const Call& call, std::span<const PrimExpr> a, std::span<const PrimExpr> b,
                                      InferContext& context) {
  const size_t rank = std::max(a.size(), b.size());
  const size_t common = std::min(a.size(), b.size());
  Dims dims(rank);
  for (size_t i = 1; i <= rank; ++i) {
    if (i > common) {
      dims[rank - i] = i <= a.size() ? a[a.size() - i] : b[b.size() - i];
      continue;
    }
    const PrimExpr& x = a[a.size() - i];
    const PrimExpr& y = b[b.size() - i];
    if (isConstInt(x, 1)) {
      dims[rank - i] = y;
    } else if (isConstInt(y, 1)) {
      dims[rank - i] = x;
    } else {
      const Match match = matchValues(x, y, context);
      if (match == Match::Equal) {
        dims[rank - i] = x;
      } else if (isa<tir::IntImm>(x) && isa<tir::IntImm>(y)) {
        return refuse(call,
                      fmt::format("shapes {} and {} can not be broadcast: {} against {} in dimension {} from the right",
                                  shapeText(a), shapeText(b), primText(x), primText(y), i - 1));
      } else {
        return std::optional<Dims>();
      }
    }
  }
  return std::optional<Dims>(std::move(dims));
}

Result<DataType> commonType(const Call& call, DataType a, DataType b) {
  if (a.isVoid() || b.isVoid()) return DataType::Void();
  if (a != b && !a.isBool() && !b.isBool()) {
    return refuse(call, fmt::format("both operands must have the same type, but they are {} and {}", a.str(), b.str()));
  }
  return a;
}

Device commonDevice(const Device& a, const Device& b) {
  if (!a) return b;
  return !b || sameDevice(a, b) ? a : nullptr;
}

Device commonDevice(std::span<const TensorStructInfo* const> infos) {
  Device device;
  for (const TensorStructInfo* info : infos) {
    if (!info->vdevice) continue;
    if (device && !sameDevice(device, info->vdevice)) return nullptr;
    device = info->vdevice;
  }
  return device;
}

Device statedDevice(const Call& call) {
  const auto* stated = call.sinfoArgs.empty() ? nullptr : as<TensorStructInfo>(call.sinfoArgs[0]);
  return stated ? stated->vdevice : nullptr;
}

Result<Device> oneDevice(const Call& call, const Device& a, const Device& b) {
  if (!call.sinfoArgs.empty()) return statedDevice(call);
  if (a && b && !sameDevice(a, b)) return refuse(call, "the operands are on different devices");
  return a ? a : b;
}

PrimExpr simplify(const PrimExpr& expr, InferContext& context) {
  if (isa<tir::IntImm>(expr) || isa<tir::Var>(expr)) return expr;
  return context.analyzer().simplify(expr);
}

PrimExpr int64(int64_t value) { return tir::intImm(value); }

PrimExpr product(std::span<const PrimExpr> dims) {
  PrimExpr all = int64(1);
  for (const PrimExpr& dim : dims) all = arith::mul(all, dim);
  return all;
}

PrimExpr ifThenElse(const PrimExpr& condition, const PrimExpr& a, const PrimExpr& b) {
  if (const auto* known = as<tir::IntImm>(condition)) return known->value ? a : b;
  return make<tir::Call>(a->dtype, tirOp("if_then_else"), Array<PrimExpr>{condition, a, b});
}

PrimExpr ceilDiv(const PrimExpr& a, const PrimExpr& b) {
  return arith::floorDiv(arith::add(a, arith::sub(b, int64(1))), b);
}

Inferred inferFirstArg(const Call& call, InferContext&) { return infoAt(call, 0); }
Inferred inferObject(const Call&, InferContext&) { return relax::objectSinfo(); }
Inferred inferVoid(const Call&, InferContext&) { return relax::voidSinfo(); }

}  // namespace rx::op
