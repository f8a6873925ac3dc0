#include "core/lower/canon_rewriter.h"

#include "core/arith/fold.h"
#include "core/arith/vector.h"
#include "core/ir/node_fields.h"
#include "core/lower/intrinsics.h"
#include "core/lower/with_parts.h"

namespace rx::lower {

using namespace tir;

arith::Effect effectOfCall(const tir::Call& call) {
  const op::TirIntrinsic* row = calledIntrinsic(&call);
  if (!row || row->effect == op::TirEffect::Effect || row->effect == op::TirEffect::Control) {
    return arith::Effect::Writes;
  }
  return row->effect == op::TirEffect::Read ? arith::Effect::Reads : arith::Effect::Pure;
}

void markShapes(arith::Canon& canon, const PrimFunc& func) {
  for (const BufferRef& buffer : func.buffers) {
    if (!buffer) continue;
    for (const PrimExpr& extent : buffer->shape) canon.markNonNegative(extent);
  }
}

Stmt CanonRewriter::visit(const Stmt& statement) {
  switch (statement->kind()) {
    case Kind::tir_For:
      return visitFor(refTo<For>(statement));
    case Kind::tir_IfThenElse:
      return visitIf(refTo<IfThenElse>(statement));
    case Kind::tir_Bind:
      return visitBind(refTo<Bind>(statement));
    case Kind::tir_AttrStmt:
      return visitAttr(refTo<AttrStmt>(statement));
    case Kind::tir_Block:
      return visitBlock(refTo<Block>(statement));
    case Kind::tir_AssertStmt: {
      const Stmt made = parts(statement);
      assume(as<AssertStmt>(made)->condition);
      return made;
    }
    default:
      return parts(statement);
  }
}

Stmt CanonRewriter::visitFor(const Ref<For>& loop) {
  return inGroup([&] {
    canon_.bind(loop->loopVar, loop->min, loop->extent);
    const PrimExpr min = rewrite(loop->min), extent = rewrite(loop->extent), step = rewrite(loop->step);
    const Stmt body = inGroup([&] {
      assume(arith::gt(extent, arith::constantInt(extent->dtype, 0)), true);
      return rewrite(loop->body);
    });
    return withParts(*loop, min, extent, step, body);
  });
}

Stmt CanonRewriter::visitIf(const Ref<IfThenElse>& branch) {
  return inGroup([&]() -> Stmt {
    const PrimExpr condition = rewrite(branch->condition);
    const tir::Call* likely = arith::asIntrinsic(condition, "likely");
    const PrimExpr real = likely ? likely->args[0] : condition;
    const Stmt thenCase = inGroup([&] {
      assume(real, true);
      return rewrite(branch->thenCase);
    });
    Stmt elseCase;
    if (branch->elseCase) {
      const PrimExpr inverse = canon_.rewrite(make<Not>(real));
      elseCase = inGroup([&] {
        assume(inverse);
        return rewrite(branch->elseCase);
      });
    }
    if (const auto value = asInt(real)) return *value ? thenCase : elseCase ? elseCase : seq({});
    return withParts(*branch, condition, thenCase, elseCase);
  });
}

Stmt CanonRewriter::visitBind(const Ref<Bind>& bind) {
  const Stmt made = parts(bind);
  const auto* node = as<Bind>(made);
  const bool number = !node->value->dtype.isHandle();
  if (number && canon_.isPure(node->value)) canon_.bind(node->var, node->value);
  return made;
}

Stmt CanonRewriter::visitAttr(const Ref<AttrStmt>& attribute) {
  return inGroup([&]() -> Stmt {
    const bool threads = attribute->key == "thread_extent" || attribute->key == "virtual_thread";
    const auto* axis = threads ? as<IterVar>(attribute->node) : nullptr;
    if (axis) canon_.bind(axis->var, arith::constantInt(attribute->value->dtype, 0), attribute->value);
    // What it is about defines a variable or names one: only its value is computed.
    const PrimExpr value = rewrite(attribute->value);
    const Stmt body = rewrite(attribute->body);
    return withParts(*attribute, value, body);
  });
}

NodeRef CanonRewriter::enter(const NodeRef& node) {
  const auto* axis = as<IterVar>(node);
  if (!axis || !axis->dom) return nullptr;
  const PrimExpr min = rewrite(axis->dom->min), extent = rewrite(axis->dom->extent);
  if (min == axis->dom->min && extent == axis->dom->extent) return node;
  auto* copy = new IterVar(*axis);
  copy->dom = make<Range>(min, extent);
  return NodeRef(copy);
}

Stmt CanonRewriter::visitBlock(const Ref<Block>& block) {
  return inGroup([&] {
    for (const auto& iteration : block->iterVars) {
      canon_.bind(iteration->var, iteration->dom->min, iteration->dom->extent);
    }
    return parts(block);
  });
}

}  // namespace rx::lower
