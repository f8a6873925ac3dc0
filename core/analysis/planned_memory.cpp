#include "core/analysis/planned_memory.h"

#include <algorithm>

#include "core/analysis/allocation.h"
#include "core/ir/reflect.h"

namespace rx::analysis {

namespace {

std::optional<int64_t> product(const Array<tir::PrimExpr>& dims) {
  int64_t count = 1;
  for (const tir::PrimExpr& dim : dims) {
    const auto* number = as<tir::IntImm>(dim);
    if (!number || number->value < 0 || __builtin_mul_overflow(count, number->value, &count)) return std::nullopt;
  }
  return count;
}

std::optional<int64_t> bytesOf(const relax::Call& call, bool sized) {
  const auto* shape = sized && !call.args.empty() ? as<relax::ShapeExpr>(call.args[0]) : nullptr;
  if (sized) return shape ? product(shape->values) : std::nullopt;
  const auto* tensor = as<relax::TensorStructInfo>(call.sinfo);
  shape = tensor ? as<relax::ShapeExpr>(tensor->shape) : nullptr;
  const std::optional<int64_t> count = shape ? product(shape->values) : std::nullopt;
  int64_t bits = 0;
  if (!count ||
      __builtin_mul_overflow(*count, int64_t{tensor->dtype.bits} * std::max<int64_t>(1, tensor->dtype.lanes), &bits))
    return std::nullopt;
  return (bits + 7) / 8;
}

}  // namespace

std::optional<int64_t> plannedBytes(const relax::Function& function) {
  int64_t all = 0;
  bool known = true, any = false;
  walkOnce(*function.body, Into::Parts, [&](const Node& node) {
    const auto* call = as<relax::Call>(&node);
    const Allocation what = call ? allocationOf(*call) : Allocation::None;
    if (what == Allocation::Storage || what == Allocation::Tensor) {
      const std::optional<int64_t> bytes = bytesOf(*call, what == Allocation::Storage);
      any = true;
      known = known && bytes && !__builtin_add_overflow(all, *bytes, &all);
    }
    return !isa<tir::ExprNode>(&node) && !isa<tir::PrimFunc>(&node);
  });
  return any && known ? std::optional(all) : std::nullopt;
}

std::optional<int64_t> mostPlannedBytes(const ir::IRModule& module) {
  std::optional<int64_t> most;
  for (const auto& function : module.functions)
    if (const auto* relaxFunction = as<relax::Function>(function.get()))
      if (const std::optional<int64_t> bytes = plannedBytes(*relaxFunction)) most = std::max(most.value_or(0), *bytes);
  return most;
}

}  // namespace rx::analysis
