#include "core/schedule/widen_sums.h"

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/new_buffer.h"
#include "core/schedule/apply_schedules.h"
#include "core/schedule/contraction.h"
#include "core/schedule/primitives.h"
#include "core/schedule/rule_facts.h"

namespace rx::schedule {

using namespace tir;

namespace {

const DataType kWide = DataType::Float(32);

/// Whether sums of such elements are made in float32 where their type is free.
bool isHalf(DataType type) { return type != kWide && typeOfSums(type) == kWide; }

/// A term of the sum: a product of halves is exact in float32.
PrimExpr widened(const PrimExpr& term) {
  if (const auto* product = as<Mul>(term))
    return make<Mul>(arith::cast(kWide, product->a), arith::cast(kWide, product->b));
  return arith::cast(kWide, term);
}

/// The statement with a buffer in float32: what adds to it adds in float32, what reads it elsewhere rounds.
Stmt inFloat32(const Stmt& body, const BufferRef& from) {
  const BufferRef to = lower::newBuffer(Str(from->name.string() + "_wide"), kWide, from->shape, from->scope());
  const auto isSum = [&](const PrimExpr& expr) {
    const auto* rounded = as<tir::Cast>(expr);
    const auto* load = rounded ? as<BufferLoad>(rounded->value) : nullptr;
    return load && load->buffer == to;
  };
  return cast<StmtNode>(rewriteNodes(body, Into::Parts, nullptr, [&](const NodeRef& node) -> NodeRef {
    if (node == from) return to;
    if (const auto* load = as<BufferLoad>(node.get()); load && load->buffer == to && load->dtype != kWide)
      return arith::cast(from->dtype, make<BufferLoad>(to, load->indices, kWide));
    const auto* store = as<BufferStore>(node.get());
    if (!store || store->buffer != to) return node;
    const auto* sum = as<Add>(store->value);
    const PrimExpr value = sum && isSum(sum->a) ? PrimExpr(make<Add>(as<tir::Cast>(sum->a)->value, widened(sum->b)))
                                                : arith::cast(kWide, store->value);
    return make<BufferStore>(to, value, store->indices);
  }));
}

}  // namespace

Result<PrimFuncRef> widenSums(const PrimFuncRef& function, lower::Scope&) {
  if (ir::boolAttrOf(function->attrs, kScheduled, false) || !isa<BlockRealize>(function->body)) return function;
  RX_TRY(schedule, Schedule::of(function));
  for (const BlockRef block : schedule.childBlocks(schedule.root())) {
    const Ref<Block> sum = schedule.get(block);
    if (!sum->init || !summand(*sum) || !isHalf(as<BufferStore>(sum->body)->buffer->dtype)) continue;
    // What is no plain reduction keeps its type.
    if (!cacheWrite(schedule, block, 0, "global").ok()) continue;
    schedule.commit(inFloat32(schedule.function()->body, schedule.get(block)->writes[0]->buffer));
  }
  return schedule.function();
}

}  // namespace rx::schedule
