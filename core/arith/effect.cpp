#include "core/arith/effect.h"

#include <algorithm>

#include "core/arith/parts.h"
#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::arith {

using namespace tir;

Effect effectOfIndexCall(const Call& call) {
  constexpr std::string_view kPure[] = {"if_then_else", "likely",     "vscale",      "shift_left",  "shift_right",
                                        "bitwise_and",  "bitwise_or", "bitwise_xor", "bitwise_not", "ceil",
                                        "floor",        "log2",       "clz",         "exp2",        "pow"};
  const bool pure = std::ranges::any_of(kPure, [&](std::string_view name) { return asIntrinsic(&call, name); });
  return pure ? Effect::Pure : Effect::Writes;
}

Effect effectOf(const PrimExpr& expr, CallEffect callEffect) {
  if (isLeaf(*expr)) return Effect::Pure;
  Effect strongest = Effect::Pure;
  walk(*expr, Into::Parts, [&](const Node& node) {
    if (const auto* call = as<Call>(&node)) strongest = std::max(strongest, callEffect(*call));
    if (isa<BufferLoad>(&node)) strongest = std::max(strongest, Effect::Reads);
    return strongest != Effect::Writes && !isa<Buffer>(&node);
  });
  return strongest;
}

}  // namespace rx::arith
