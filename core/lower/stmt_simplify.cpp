// StmtSimplify: every expression in canonical form with what is known where it stands; branches that are decided, and
// stores of what is there already, go.
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/canon_rewriter.h"
#include "core/lower/pass_functions.h"
#include "core/pass/config.h"

namespace rx::lower {

using namespace tir;

namespace {

/// The same elements at the same indices.
bool sameView(const Buffer& a, const Buffer& b) {
  if (&a == &b) return true;
  const bool offsets =
      a.elemOffset == b.elemOffset || (a.elemOffset && b.elemOffset && arith::sameExpr(a.elemOffset, b.elemOffset));
  return a.data == b.data && a.dtype == b.dtype && offsets && arith::sameExprs(a.shape.span(), b.shape.span()) &&
         arith::sameExprs(a.strides.span(), b.strides.span());
}

class StmtSimplifier : public CanonRewriter {
 public:
  using CanonRewriter::CanonRewriter;

 protected:
  Stmt visit(const Stmt& statement) override {
    // Buffers keep the shapes that they were declared with.
    if (isa<AllocBuffer>(statement) || isa<DeclBuffer>(statement)) return statement;
    if (!isa<BufferStore>(statement)) return CanonRewriter::visit(statement);
    const auto* old = as<BufferStore>(statement);
    auto* made = new BufferStore(*old);
    const Stmt store(made);
    made->value = rewrite(old->value);
    made->indices = rewrite(old->indices);
    const auto* load = as<BufferLoad>(made->value);
    const bool same =
        load && sameView(*load->buffer, *made->buffer) && arith::sameExprs(load->indices.span(), made->indices.span());
    if (same) return seq({});
    // The predicate keeps the form in which vectors were made.
    return made->value == old->value && made->indices.same(old->indices) ? statement : store;
  }

  NodeRef enter(const NodeRef& node) override {
    const auto expr = refAs<ExprNode>(node);
    return expr ? NodeRef(canon_.simplify(expr)) : CanonRewriter::enter(node);
  }

  BufferRef define(const BufferRef& buffer) override { return buffer; }

  Stmt visitFor(const Ref<For>& loop) override {
    return inGroup([&] {
      canon_.bind(loop->loopVar, loop->min, loop->extent);
      // Of constants the binding says all of it.
      if (isa<IntImm>(loop->min) && isa<IntImm>(loop->extent)) return CanonRewriter::visitFor(loop);
      assume(arith::ge(loop->loopVar, loop->min));
      assume(arith::lt(loop->loopVar, arith::add(loop->min, loop->extent)));
      return CanonRewriter::visitFor(loop);
    });
  }

  Stmt visitIf(const Ref<IfThenElse>& branch) override {
    const auto decided = asInt(canon_.simplify(branch->condition));
    if (!decided) return CanonRewriter::visitIf(branch);
    if (*decided) return rewrite(branch->thenCase);
    return branch->elseCase ? rewrite(branch->elseCase) : seq({});
  }
};

bool option(const pass::PassContext& context, std::string_view name) {
  return pass::configFlag(context, "tirx.StmtSimplify", name);
}

}  // namespace

Result<PrimFuncRef> stmtSimplify(const PrimFuncRef& func, Scope& scope) {
  arith::Canon canon(effectOfCall);
  canon.extensions.chainInequalities = option(scope.context, "transitively_prove_inequalities");
  canon.extensions.andOfOrs = option(scope.context, "convert_boolean_to_and_of_ors");
  canon.extensions.branchConstraints = option(scope.context, "apply_constraints_to_boolean_branches");
  markShapes(canon, *func);
  return withBody(func, StmtSimplifier(canon).rewrite(func->body));
}

}  // namespace rx::lower
