// ConvertBlocksToOpaque: the axes of every block give way to the values that they are bound to.
#include <fmt/format.h>

#include "core/ir/all_nodes.h"
#include "core/lower/scope.h"
#include "core/lower/substituter.h"

namespace rx::lower {

using namespace tir;

namespace {

class OpaqueBlocks : public Substituter {
 protected:
  Stmt visit(const Stmt& statement) override {
    auto realize = refAs<BlockRealize>(statement);
    return realize ? opaque(realize) : parts(statement);
  }

 private:
  Stmt opaque(const Ref<BlockRealize>& realize) {
    const Block& block = *realize->block;
    if (block.init) {
      refuse("lower.order",
             fmt::format("the block {} still has an init: LowerInitBlock comes first", block.name.view()), block.span);
      return realize;
    }
    if (block.iterVars.size() != realize->iterValues.size()) {
      refuse("tir.block-bindings",
             fmt::format("the block {} has {} axes and {} values", block.name.view(), block.iterVars.size(),
                         realize->iterValues.size()),
             block.span);
      return realize;
    }
    auto* made = new BlockRealize(*realize);
    Ref<BlockRealize> result(made);
    made->predicate = rewrite(realize->predicate);
    made->iterValues = {};
    for (size_t i = 0; i < block.iterVars.size(); ++i) {
      values[block.iterVars[i]->var.get()] = rewrite(realize->iterValues[i]);
    }
    Ref<Block> plain = realize->block;
    if (!block.iterVars.empty()) {
      auto* copy = new Block(block);
      copy->iterVars = {};
      plain = Ref<Block>(copy);
    }
    made->block = cast<Block>(rewrite(Stmt(plain)));
    if (made->block == realize->block && made->predicate == realize->predicate) return realize;
    return result;
  }
};

}  // namespace

Result<PrimFuncRef> convertBlocksToOpaque(const PrimFuncRef& func, Scope&) {
  RX_TRY(body, OpaqueBlocks().run(func->body));
  return withBody(func, body);
}

}  // namespace rx::lower
