// LowerInitBlock: the init of a reduction becomes a branch at the head of its block's body, taken in the first step of
// every axis that is reduced.
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"

namespace rx::lower {

using namespace tir;

namespace {

/// The init under the condition that all reduced axes are at their beginning.
Stmt guardedInit(const Block& block) {
  PrimExpr first;
  for (const Ref<IterVar>& axis : block.iterVars) {
    if (axis->iterType != IterType::CommReduce) continue;
    PrimExpr begins = arith::eq(axis->var, axis->dom->min);
    first = first ? arith::logicalAnd(first, begins) : begins;
  }
  return first ? Stmt(make<IfThenElse>(first, block.init)) : block.init;
}

}  // namespace

Result<PrimFuncRef> lowerInitBlock(const PrimFuncRef& func, Scope&) {
  return withBody(func, rewriteStatements(func->body, [](const Stmt& statement) -> Stmt {
                    const auto* block = as<Block>(statement);
                    if (!block || !block->init) return statement;
                    auto* copy = new Block(*block);
                    const Stmt parts[] = {guardedInit(*block), block->body};
                    copy->body = inOrder(parts);
                    copy->init = nullptr;
                    return Stmt(copy);
                  }));
}

}  // namespace rx::lower
