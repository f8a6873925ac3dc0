#include "core/transform/calls.h"

#include <algorithm>

#include "core/ir/prim_value.h"
#include "core/op/rules.h"
#include "core/support/stack.h"

namespace rx::transform {

Ref<relax::Call> callOf(const relax::Expr& expr, std::string_view name) {
  const auto* call = as<relax::Call>(expr);
  const auto* op = call ? as<relax::Op>(call->op) : nullptr;
  return op && op->name == name ? Ref<relax::Call>(call) : nullptr;
}

bool isOp(const relax::Expr& expr, std::string_view name) { return static_cast<bool>(callOf(expr, name)); }

relax::Expr primInt(int64_t value) { return relax::primValue(value); }
relax::Expr textImm(std::string_view text) { return make<relax::StringImm>(Str(text)); }
relax::Expr typeImm(DataType dtype) { return make<relax::DataTypeImm>(dtype); }

Ref<relax::Call> callPacked(std::string_view name, std::vector<relax::Expr> args, Array<relax::StructInfo> sinfoArgs) {
  return make<relax::Call>(make<relax::ExternFunc>(Str(name)), Array<relax::Expr>(std::move(args)), nullptr,
                           std::move(sinfoArgs));
}

void emitVoid(build::BlockBuilder& builder, const relax::Expr& call) {
  static const Str blank("_");  // shared: there are as many as kernels are called
  builder.emit(call, blank);
}

Ref<relax::Call> callWithInfo(const Ref<relax::Call>& call, build::BlockBuilder& builder) {
  if (call->sinfo) return call;
  std::vector<relax::Expr> args;
  for (const relax::Expr& arg : call->args) args.push_back(arg->sinfo ? arg : builder.normalizeArgument(arg));
  auto ready = make<relax::Call>(call->op, Array<relax::Expr>(std::move(args)), call->attrs, call->sinfoArgs);
  auto info = build::deduceCall(*ready, builder.context());
  if (!info) return nullptr;
  auto* made = new relax::Call(ready->op, ready->args, ready->attrs, ready->sinfoArgs, *info);
  made->span = call->span;
  return Ref<relax::Call>(made);
}

std::vector<relax::Expr> fieldsOf(const relax::Expr& tuple) {
  if (const auto* literal = as<relax::Tuple>(tuple)) return literal->items.vector();
  const auto* info = tuple ? as<relax::TupleStructInfo>(tuple->sinfo) : nullptr;
  if (!info) return {tuple};
  std::vector<relax::Expr> fields;
  for (size_t i = 0; i < info->items.size(); ++i) {
    fields.push_back(make<relax::TupleGetItem>(tuple, static_cast<int64_t>(i), info->items[i]));
  }
  return fields;
}

relax::Expr zerosLike(const relax::StructInfo& info) {
  if (const auto* tensor = as<relax::TensorStructInfo>(info)) {
    if (!tensor->shape) return nullptr;
    const auto zeros = op::makeCall("relax.zeros", {tensor->shape}, {{"dtype", ir::typeAttr(tensor->dtype)}});
    return make<relax::Call>(zeros->op, zeros->args, zeros->attrs, zeros->sinfoArgs, info);
  }
  const auto* tuple = as<relax::TupleStructInfo>(info);
  if (!tuple) return nullptr;
  std::vector<relax::Expr> items;
  for (const relax::StructInfo& item : tuple->items) {
    items.push_back(withStack([&] { return zerosLike(item); }));
    if (!items.back()) return nullptr;
  }
  return make<relax::Tuple>(Array<relax::Expr>(std::move(items)), info);
}

bool allConstant(std::span<const tir::PrimExpr> dims) {
  return std::all_of(dims.begin(), dims.end(), [](const tir::PrimExpr& e) { return isa<tir::IntImm>(e); });
}

std::optional<std::vector<int64_t>> numbersOf(const relax::StructInfo& info) {
  const Array<tir::PrimExpr>* known = op::dimsOf(info);
  if (!known) return std::nullopt;
  std::vector<int64_t> dims;
  for (const tir::PrimExpr& dim : *known) {
    const auto number = tir::asInt(dim);
    if (!number) return std::nullopt;
    dims.push_back(*number);
  }
  return dims;
}

}  // namespace rx::transform
