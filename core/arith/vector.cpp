#include "core/arith/vector.h"

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::arith {

using namespace tir;

const Call* asIntrinsic(const Node* node, std::string_view name) {
  constexpr std::string_view kSpace = "tirx.";
  const auto* call = as<Call>(node);
  const auto* op = call ? as<relax::Op>(call->op) : nullptr;
  if (!op) return nullptr;
  const std::string_view full = op->name.view();
  return full.size() == kSpace.size() + name.size() && full.ends_with(name) && full.starts_with(kSpace) ? call
                                                                                                        : nullptr;
}

std::optional<int16_t> lanesOf(const PrimExpr& lanes) {
  if (auto n = asInt(lanes)) {
    return *n >= 1 && *n <= INT16_MAX ? std::optional<int16_t>(static_cast<int16_t>(*n)) : std::nullopt;
  }
  if (asIntrinsic(lanes, "vscale")) return static_cast<int16_t>(-1);
  const auto* product = as<Mul>(lanes);
  if (!product) return std::nullopt;
  const auto left = asInt(product->a), right = asInt(product->b);
  const auto factor = left ? left : right;
  if (!factor || !asIntrinsic(left ? product->b : product->a, "vscale") || *factor <= 0 || *factor >= INT16_MAX) {
    return std::nullopt;
  }
  return static_cast<int16_t>(-*factor);
}

bool usesVScale(const PrimExpr& expr) {
  bool found = false;
  walk(*expr, Into::Parts, [&](const Node& node) {
    found = found || asIntrinsic(&node, "vscale");
    return !found;
  });
  return found;
}

namespace {
/// Fixed lanes are counted in 32 bits whatever they were computed in.
PrimExpr plainLanes(PrimExpr lanes) {
  const auto fixed = asInt(lanes);
  return fixed && lanes->dtype != DataType::Int(32) ? intImm(*fixed, DataType::Int(32)) : lanes;
}
}  // namespace

PrimExpr broadcast(PrimExpr value, PrimExpr lanes) {
  const DataType type = value->dtype.withLanes(lanesOf(lanes).value());
  return make<Broadcast>(std::move(value), plainLanes(std::move(lanes)), type);
}

PrimExpr ramp(PrimExpr base, PrimExpr stride, PrimExpr lanes) {
  const DataType type = base->dtype.withLanes(lanesOf(lanes).value());
  return make<Ramp>(std::move(base), std::move(stride), plainLanes(std::move(lanes)), type);
}

}  // namespace rx::arith
