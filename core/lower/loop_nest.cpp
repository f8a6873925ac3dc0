#include "core/lower/loop_nest.h"

#include "core/arith/fold.h"

namespace rx::lower {

using namespace tir;

LoopNest loopNest(const Stmt& statement) {
  LoopNest nest{{}, statement};
  while (auto loop = refAs<For>(nest.body)) {
    nest.loops.push_back(loop);
    nest.body = loop->body;
  }
  return nest;
}

Ref<For> withLoopBody(const For& loop, Stmt body) {
  auto* copy = new For(loop);
  copy->body = std::move(body);
  return Ref<For>(copy);
}

Stmt inLoops(std::span<const Ref<For>> loops, Stmt body) {
  for (size_t i = loops.size(); i-- > 0;) body = withLoopBody(*loops[i], std::move(body));
  return body;
}

Stmt loopOver(const VarRef& var, PrimExpr extent, ForKind kind, Stmt body) {
  return make<For>(var, arith::constantInt(var->dtype, 0), std::move(extent), kind, std::move(body));
}

VarRef renamed(const Var& var, std::string_view suffix) {
  return make<Var>(Str(var.name.string() + std::string(suffix)), var.dtype);
}

}  // namespace rx::lower
