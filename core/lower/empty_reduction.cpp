#include "core/lower/empty_reduction.h"

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/rewriter.h"
#include "core/lower/ssa.h"
#include "core/lower/statements.h"

namespace rx::lower {

using namespace tir;

namespace {

/// How the values of a block's axes use a loop's variable.
struct Use {
  bool reduced = false, spatial = false;
};
Use useOf(const BlockRealize& realize, const Var* var) {
  Use use;
  for (size_t i = 0; i < realize.iterValues.size(); ++i) {
    if (!uses(realize.iterValues[i], var)) continue;
    const bool reduced = realize.block->iterVars[i]->iterType == IterType::CommReduce;
    (reduced ? use.reduced : use.spatial) = true;
  }
  return use;
}

Stmt initRealize(const BlockRealize& realize) {
  auto* block = new Block(*realize.block);
  block->body = block->init;
  block->init = nullptr;
  std::vector<PrimExpr> values = realize.iterValues.vector();
  for (size_t i = 0; i < values.size(); ++i) {
    const Ref<IterVar>& iter = block->iterVars[i];
    if (iter->iterType == IterType::CommReduce && iter->dom) values[i] = iter->dom->min;
  }
  Ref<Block> init(block);
  auto* made = new BlockRealize(realize);
  made->iterValues = Array<PrimExpr>(std::move(values));
  made->block = init;
  return Stmt(made);
}

/// The statement that writes the init values where `loop` takes no step: the nest below it without its reduction loops.
/// Null where the loop is not one of a reduction, or is known to take a step.
Stmt initOfEmptyLoop(const For& loop) {
  if (const auto extent = asInt(loop.extent); extent && *extent > 0) return nullptr;
  std::vector<const For*> inner;
  const StmtNode* at = loop.body.get();
  while (const auto* next = as<For>(at)) {
    inner.push_back(next);
    at = next->body.get();
  }
  const auto* realize = as<BlockRealize>(at);
  if (!realize || !realize->block->init || realize->iterValues.size() != realize->block->iterVars.size())
    return nullptr;
  const Use own = useOf(*realize, loop.loopVar.get());
  if (!own.reduced || own.spatial || uses(realize->predicate, loop.loopVar.get())) return nullptr;
  Stmt out = initRealize(*realize);
  for (size_t i = inner.size(); i-- > 0;) {
    const Var* var = inner[i]->loopVar.get();
    const Use use = useOf(*realize, var);
    if (use.reduced && !use.spatial) {
      if (uses(realize->predicate, var)) return nullptr;
      continue;
    }
    if (uses(inner[i]->extent, loop.loopVar.get()) || uses(inner[i]->min, loop.loopVar.get())) return nullptr;
    auto* kept = new For(*inner[i]);
    kept->body = out;
    out = Stmt(kept);
  }
  return out;
}

class EmptyReductions : public Rewriter {
 public:
  bool found = false;

 protected:
  Stmt visit(const Stmt& statement) override {
    const auto* loop = as<For>(statement);
    const Stmt init = loop ? initOfEmptyLoop(*loop) : nullptr;
    const Stmt same = parts(statement);
    if (!init) return same;
    found = true;
    const PrimExpr none = arith::constantInt(loop->extent->dtype, 0);
    const Stmt both[] = {same, make<IfThenElse>(arith::le(loop->extent, none), init)};
    return inOrder(both);
  }
};

}  // namespace

Result<PrimFuncRef> initEmptyReductions(const PrimFuncRef& func, Scope&) {
  EmptyReductions rewriter;
  const Stmt body = rewriter.rewrite(func->body);
  return withBody(func, rewriter.found ? toSsa(body) : func->body);
}

}  // namespace rx::lower
