#include "core/build/op_normalize.h"

#include "core/op/op_table.h"
#include "core/op/rules.h"

namespace rx::build {

using namespace relax;

namespace {

using Rule = Expr (*)(const Ref<Call>&, BlockBuilder&);

Ref<Call> withArg(const Ref<Call>& call, size_t index, Expr arg) {
  std::vector<Expr> args = call->args.vector();
  args[index] = std::move(arg);
  auto* copy = new Call(*call);
  copy->args = Array<Expr>(std::move(args));
  return Ref<Call>(copy);
}

/// The arguments of call_tir stand in an inline tuple: a variable that is bound to one is replaced by it, a variable
/// of unknown content by its items, a lone value by a tuple of it.
Expr inlineTuple(const Ref<Call>& call, BlockBuilder& builder) {
  if (call->args.size() < 2) return call;
  const Expr& args = call->args[1];
  if (isa<Tuple>(args)) return call;
  const auto* info = as<TupleStructInfo>(args->sinfo);
  if (!info) {
    auto tuple = builder.normalize(make<Tuple>(Array<Expr>{args}));
    return withArg(call, 1, tuple);
  }
  Expr value = args;
  while (const auto* var = as<Var>(value)) {
    Expr bound = builder.lookup(var);
    if (!bound) break;
    value = bound;
  }
  if (isa<Tuple>(value)) return withArg(call, 1, value);
  std::vector<Expr> items;
  for (size_t i = 0; i < info->items.size(); ++i) {
    items.push_back(builder.normalizeArgument(make<TupleGetItem>(args, static_cast<int64_t>(i))));
  }
  return withArg(call, 1, builder.normalize(make<Tuple>(Array<Expr>(std::move(items)))));
}

/// A property of a tensor that its StructInfo tells is that number.
const TensorStructInfo* inspected(const Ref<Call>& call) {
  return call->args.empty() ? nullptr : as<TensorStructInfo>(call->args[0]->sinfo);
}
Expr number(int64_t value, DataType type) { return make<PrimValue>(tir::intImm(value, type)); }

Expr knownCode(const Ref<Call>& call, BlockBuilder&) {
  const auto* info = inspected(call);
  return info && !info->dtype.isVoid() ? number(info->dtype.dlpackCode(), DataType::UInt(8)) : Expr(call);
}
Expr knownBits(const Ref<Call>& call, BlockBuilder&) {
  const auto* info = inspected(call);
  return info && !info->dtype.isVoid() ? number(info->dtype.bits, DataType::UInt(8)) : Expr(call);
}
Expr knownLanes(const Ref<Call>& call, BlockBuilder&) {
  const auto* info = inspected(call);
  return info && !info->dtype.isVoid() ? number(info->dtype.lanes, DataType::UInt(16)) : Expr(call);
}
Expr knownRank(const Ref<Call>& call, BlockBuilder&) {
  const auto* info = inspected(call);
  return info && info->ndim != kUnknownDim ? number(info->ndim, DataType::Int(32)) : Expr(call);
}

std::optional<int64_t> axisOf(const Ref<Call>& call) {
  if (call->args.size() < 2) return std::nullopt;
  const auto* info = as<PrimStructInfo>(call->args[1]->sinfo);
  return info && info->value ? tir::asInt(info->value) : std::nullopt;
}

Expr knownExtent(const Ref<Call>& call, BlockBuilder&) {
  const auto* info = inspected(call);
  const Array<tir::PrimExpr>* dims = info ? op::dimsOf(*info) : nullptr;
  auto axis = axisOf(call);
  if (!dims || !axis || *axis < 0 || *axis >= static_cast<int64_t>(dims->size())) return call;
  return make<PrimValue>((*dims)[static_cast<size_t>(*axis)]);
}

struct Row {
  std::string_view name;
  Rule rule;
};
constexpr Row kRows[] = {
    {"relax.call_tir", inlineTuple},
    {"relax.call_tir_inplace", inlineTuple},
    {"relax.call_tir_with_grad", inlineTuple},
    {"relax.inspect.tensor_dtype_code", knownCode},
    {"relax.inspect.tensor_dtype_bits", knownBits},
    {"relax.inspect.tensor_dtype_lanes", knownLanes},
    {"relax.inspect.tensor_ndim", knownRank},
    {"relax.inspect.tensor_shape_i", knownExtent},
};

}  // namespace

Expr normalizeOperator(const Ref<Call>& call, BlockBuilder& builder) {
  const op::OpRow* row = op::rowOf(*call);
  if (!row || !row->has(op::kNormalizes)) return call;
  for (const Row& entry : kRows) {
    if (entry.name == row->name()) return entry.rule(call, builder);
  }
  return call;
}

}  // namespace rx::build
