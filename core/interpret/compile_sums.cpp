// Loops that add products up, as one instruction. A loop over instructions takes many times as long as the sums
// themselves; the loops are compiled as well, for what the instruction leaves to them.
#include <utility>

#include "core/interpret/compile.h"
#include "core/ir/all_nodes.h"
#include "core/lower/product_loops.h"

namespace rx::interpret {

using namespace tir;

std::optional<size_t> Compiler::productSum(const For& loop) {
  if (isStepped() || inProductSum_) return std::nullopt;
  auto found = lower::productLoops(loop);
  if (!found) return std::nullopt;
  ProductSum sum;
  sum.begin = found->begin;
  for (const Ref<For>& each : found->loops) sum.extents.push_back(converted(each->extent, each->loopVar->dtype));
  for (const Ref<For>& each : found->loops) variables_[each->loopVar.get()] = {constant(as<IntImm>(each->min)->value)};
  const auto place = [&](lower::ProductLoops::Operand& from) {
    ProductSum::Operand operand{bufferSlot(from.buffer), {}, std::move(from.steps)};
    for (const PrimExpr& index : from.indices) operand.first.push_back(expr(index));
    return operand;
  };
  for (size_t i = 0; i < found->loops.size(); ++i) sum.moves.push_back(found->out.moves(i));
  sum.out = place(found->out);
  sum.left = place(found->left);
  sum.right = place(found->right);
  for (const Ref<For>& each : found->loops) variables_.erase(each->loopVar.get());
  const uint32_t done = give({.code = Code::SumProducts, .imm = numberOf(program_.productSums, std::move(sum))});
  return emit({.code = Code::JumpIf, .a = done});
}

void Compiler::loop(const For& each) {
  const std::optional<size_t> done = productSum(each);
  const bool around = std::exchange(inProductSum_, inProductSum_ || done);
  // Every kind of loop may run in order: parallel and vectorized steps do not depend on each other.
  countedLoop(each.loopVar, each.min, each.extent, each.body);
  inProductSum_ = around;
  if (done) patch(*done);
}

}  // namespace rx::interpret
