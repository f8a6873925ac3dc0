#include "core/lower/with_parts.h"

namespace rx::lower {

using namespace tir;

Stmt withParts(const IfThenElse& branch, PrimExpr condition, Stmt thenCase, Stmt elseCase) {
  if (condition == branch.condition && thenCase == branch.thenCase && elseCase == branch.elseCase) return Stmt(&branch);
  auto* copy = new IfThenElse(branch);
  copy->condition = std::move(condition);
  copy->thenCase = std::move(thenCase);
  copy->elseCase = std::move(elseCase);
  return Stmt(copy);
}

Stmt withParts(const For& loop, PrimExpr min, PrimExpr extent, PrimExpr step, Stmt body) {
  if (min == loop.min && extent == loop.extent && step == loop.step && body == loop.body) return Stmt(&loop);
  auto* copy = new For(loop);
  copy->min = std::move(min);
  copy->extent = std::move(extent);
  copy->step = std::move(step);
  copy->body = std::move(body);
  return Stmt(copy);
}

Stmt withParts(const AttrStmt& attribute, PrimExpr value, Stmt body) {
  if (value == attribute.value && body == attribute.body) return Stmt(&attribute);
  auto* copy = new AttrStmt(attribute);
  copy->value = std::move(value);
  copy->body = std::move(body);
  return Stmt(copy);
}

}  // namespace rx::lower
