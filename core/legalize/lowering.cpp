#include "core/legalize/lowering.h"

#include <fmt/format.h>

#include "core/arith/equal.h"
#include "core/ir/all_nodes.h"
#include "core/legalize/function.h"
#include "core/op/make_call.h"
#include "core/op/rules.h"

namespace rx::legalize {

using namespace tir;

Failure refuse(const relax::Call& call, std::string message) {
  const auto* op = as<relax::Op>(call.op);
  std::string name = op ? op->name.string() : "call";
  return fail(errorAt(call.span, "legalize.refused", fmt::format("{}: {}", name, message)));
}

std::optional<size_t> normalAxis(int64_t axis, size_t rank) {
  int64_t n = static_cast<int64_t>(rank);
  if (axis < 0) axis += n;
  if (axis < 0 || axis >= n) return std::nullopt;
  return static_cast<size_t>(axis);
}

double Lowering::floatAttr(std::string_view key, double fallback) const {
  NodeRef value = ir::attrOf(call.attrs, key);
  if (const auto* real = as<ir::FloatAttr>(value)) return real->value;
  if (const auto* imm = as<FloatImm>(value)) return imm->value;
  if (!value || isa<ir::NullAttr>(value)) return fallback;
  return static_cast<double>(ir::intAttrOf(call.attrs, key, static_cast<int64_t>(fallback)));
}

namespace {
std::optional<int64_t> intOf(const NodeRef& value) {
  if (const auto* i = as<ir::IntAttr>(value)) return i->value;
  if (const auto* b = as<ir::BoolAttr>(value)) return b->value;
  if (const auto* imm = as<IntImm>(value)) return imm->value;
  if (const auto* prim = as<relax::PrimValue>(value)) return asInt(prim->value);
  return std::nullopt;
}
}  // namespace

std::optional<int64_t> Lowering::optionalInt(std::string_view key) const { return intOf(ir::attrOf(call.attrs, key)); }

std::optional<std::vector<int64_t>> Lowering::ints(std::string_view key) const {
  NodeRef value = ir::attrOf(call.attrs, key);
  std::vector<int64_t> out;
  if (auto one = intOf(value)) return std::vector<int64_t>{*one};
  const auto* list = as<ir::ArrayAttr>(value);
  if (!list) return std::nullopt;
  for (const NodeRef& item : list->items) {
    auto one = intOf(item);
    if (!one) return std::nullopt;
    out.push_back(*one);
  }
  return out;
}

DataType Lowering::dtypeAttr(std::string_view key) const {
  NodeRef value = ir::attrOf(call.attrs, key);
  if (const auto* type = as<ir::TypeAttr>(value)) return type->value;
  if (const auto* text = as<ir::StrAttr>(value)) return DataType::parse(text->value.view()).value_or(DataType::Void());
  return DataType::Void();
}

const relax::TensorStructInfo* Lowering::tensorInfo(const relax::Expr& expr) {
  return as<relax::TensorStructInfo>(expr->sinfo);
}

PrimExpr Lowering::inside(const PrimExpr& expr) {
  for (const VarRef& var : arith::freeVars(expr)) {
    if (toFunction_.contains(var.get())) continue;
    VarRef fresh = isa<SizeVar>(var) ? VarRef(make<SizeVar>(var->name, var->dtype)) : make<Var>(var->name, var->dtype);
    toFunction_[var.get()] = fresh;
    toCaller_[fresh.get()] = var;
  }
  return arith::substitute(expr, toFunction_);
}

Shape Lowering::inside(std::span<const PrimExpr> shape) {
  Shape out;
  for (const PrimExpr& dim : shape) out.push_back(inside(dim));
  return out;
}

Tensor Lowering::tensor(const relax::Expr& expr, bool offset, int64_t alignment) {
  const auto* info = tensorInfo(expr);
  const auto* shape = info ? as<relax::ShapeExpr>(info->shape) : nullptr;
  RX_ASSERT(shape, "arguments of a legalized call have known shapes");
  const auto* var = as<relax::Var>(expr);
  // Arguments without a name are called by their place, A, B, C.
  std::string name = var ? var->name.string() : std::string(1, static_cast<char>('A' + params_.size() % 26));
  Tensor t = graph.param(inside(shape->values), info->dtype, Str(name), offset, alignment);
  params_.emplace_back(t);
  args_.push_back(expr);
  return t;
}

std::vector<Tensor> Lowering::tensors(const relax::Expr& tuple) {
  std::vector<Tensor> out;
  if (const auto* inner = as<relax::Tuple>(tuple)) {
    for (const relax::Expr& item : inner->items) out.push_back(tensor(item));
    return out;
  }
  const auto* info = as<relax::TupleStructInfo>(tuple->sinfo);
  RX_ASSERT(info, "a tuple argument has the StructInfo of a tuple");
  for (size_t i = 0; i < info->items.size(); ++i) {
    relax::Expr item = make<relax::TupleGetItem>(tuple, static_cast<int64_t>(i), info->items[i]);
    out.push_back(tensor(builder.inSeq() ? builder.normalizeArgument(item) : item));
  }
  return out;
}

PrimExpr Lowering::scalarConstant(const relax::Expr& expr) {
  const auto* constant = as<relax::Constant>(expr);
  if (!constant || !constant->data || constant->data->rank() != 0) return nullptr;
  DataType type = constant->data->dtype();
  if (type.isFloat()) return floatImm(constant->data->at(0), type);
  if (type.isIntegral()) return intImm(constant->data->intAt(0), type);
  return nullptr;
}

PrimExpr Lowering::primArg(const relax::Expr& expr) {
  if (const auto* prim = as<relax::PrimValue>(expr)) {
    PrimExpr value = inside(prim->value);
    extras_.push_back(value);
    return value;
  }
  const auto* info = as<relax::PrimStructInfo>(expr->sinfo);
  if (info && info->value) {
    PrimExpr value = inside(info->value);
    extras_.push_back(value);
    return value;
  }
  if (!info) return nullptr;
  const auto* var = as<relax::Var>(expr);
  auto param = make<Var>(var ? var->name : Str("scalar"), info->dtype);
  params_.emplace_back(VarRef(param));
  args_.push_back(expr);
  return param;
}

Operand Lowering::operand(size_t i, bool constants) {
  const relax::Expr& expr = call.args[i];
  if (constants) {
    if (PrimExpr scalar = scalarConstant(expr)) return {{}, scalar};
  }
  if (isa<relax::PrimValue>(expr) || isa<relax::PrimStructInfo>(expr->sinfo)) return {{}, primArg(expr)};
  return {tensor(expr), nullptr};
}

Shape Lowering::shapeArg(const relax::Expr& expr) {
  Shape out;
  const auto* shape = as<relax::ShapeExpr>(expr);
  const auto* info = as<relax::ShapeStructInfo>(expr->sinfo);
  std::span<const PrimExpr> values = shape  ? shape->values.span()
                                     : info ? info->values.span()
                                            : std::span<const PrimExpr>();
  for (const PrimExpr& value : values) {
    out.push_back(inside(value));
    extras_.push_back(out.back());
  }
  return out;
}

Shape Lowering::primArgs(const relax::Expr& expr) {
  Shape out;
  const auto* tuple = as<relax::Tuple>(expr);
  if (!tuple) return shapeArg(expr);
  for (const relax::Expr& item : tuple->items) out.push_back(primArg(item));
  return out;
}

std::optional<Shape> Lowering::resultShape() {
  const Array<PrimExpr>* dims = op::dimsOf(call.sinfo);
  if (!dims) return std::nullopt;
  return inside(*dims);
}
DataType Lowering::resultType() const {
  const auto* info = as<relax::TensorStructInfo>(call.sinfo);
  return info ? info->dtype : DataType::Void();
}

Outcome Lowering::finish(std::string_view name, const std::vector<Tensor>& outputs) {
  RX_ASSERT(builder.module(), "legalization adds functions to a module");
  std::vector<std::variant<Tensor, VarRef>> params = params_;
  // Symbols that no tensor has as a dimension of its own come as further parameters.
  std::vector<VarRef> used;
  std::unordered_map<const Var*, int> bound;
  auto use = [&](const PrimExpr& e) {
    for (const VarRef& var : arith::freeVars(e)) {
      if (toCaller_.contains(var.get()) && std::find(used.begin(), used.end(), var) == used.end()) used.push_back(var);
    }
  };
  auto dims = [&](const Tensor& t) {
    for (const PrimExpr& dim : t.shape()) {
      use(dim);
      if (const auto* var = as<Var>(dim)) bound[var] = 1;
    }
  };
  for (const PrimExpr& e : extras_) use(e);
  for (const auto& param : params_) {
    if (const auto* t = std::get_if<Tensor>(&param)) dims(*t);
  }
  for (const Tensor& t : outputs) dims(t);
  for (const Tensor& t : outputs) params.emplace_back(t);
  std::vector<PrimExpr> symbols;
  for (const VarRef& var : used) {
    if (bound.contains(var.get())) continue;
    params.emplace_back(var);
    symbols.push_back(toCaller_[var.get()]);
  }
  PrimFuncRef function = te::makeFunction(graph, params, outputs);
  const ir::BaseFunc ready =
      launches ? ir::withFunctionAttr(function, Str("tirx.is_scheduled"), ir::boolAttr(true)) : ir::BaseFunc(function);
  relax::GlobalVarRef global = builder.module()->add(ready, name);
  const auto* own = as<relax::TensorStructInfo>(call.sinfo);
  const auto* ownTuple = as<relax::TupleStructInfo>(call.sinfo);
  std::vector<relax::StructInfo> infos;
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::vector<PrimExpr> shape;
    for (const PrimExpr& dim : outputs[i].shape()) shape.push_back(arith::substitute(dim, toCaller_));
    const auto* field = ownTuple && i < ownTuple->items.size() ? as<relax::TensorStructInfo>(ownTuple->items[i]) : own;
    infos.push_back(make<relax::TensorStructInfo>(relax::Expr(make<relax::ShapeExpr>(Array<PrimExpr>(shape))),
                                                  outputs[i].dtype(), field ? field->vdevice : nullptr));
  }
  relax::StructInfo out =
      infos.size() == 1 && !ownTuple ? infos[0] : relax::tupleSinfo(Array<relax::StructInfo>(infos));
  relax::Expr vars = symbols.empty() ? nullptr : relax::Expr(make<relax::ShapeExpr>(Array<PrimExpr>(symbols)));
  return relax::Expr(op::makeCallTir(global, args_, out, vars));
}

}  // namespace rx::legalize
