// UseAssumeToReduceBranches: a choice between padding and a value goes where the assumptions about what was padded make
// both the same.

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/lower/canon_rewriter.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"

namespace rx::lower {

using namespace tir;

namespace {

/// The function attribute that says how elements of results depend on those of arguments; the kinds that this works on.
constexpr std::string_view kPattern = "op_pattern";
constexpr int64_t kElementwise = 0, kBroadcast = 1;

class BranchReducer : public CanonRewriter {
 public:
  using CanonRewriter::CanonRewriter;
  std::vector<Diagnostic> errors;

 protected:
  Stmt visitFor(const Ref<For>& loop) override {
    return inGroup([&] {
      const size_t mark = conditions_.size();
      canon_.bind(loop->loopVar, loop->min, loop->extent);
      hold(arith::ge(loop->loopVar, loop->min));
      hold(arith::lt(loop->loopVar, arith::add(loop->min, loop->extent)));
      Stmt made = CanonRewriter::visitFor(loop);
      conditions_.resize(mark);
      return made;
    });
  }

  Stmt visit(const Stmt& statement) override {
    const auto* store = as<BufferStore>(statement);
    const auto* choice = store ? asCallOf(store->value, "if_then_else") : nullptr;
    if (!choice) return CanonRewriter::visit(statement);
    const PrimExpr &condition = choice->args[0], &yes = choice->args[1], &no = choice->args[2];
    if (sameUnder(condition, yes, no)) return stored(*store, no);
    if (sameUnder(arith::logicalNot(condition), yes, no)) return stored(*store, yes);
    return CanonRewriter::visit(statement);
  }

  NodeRef enter(const NodeRef& node) override {
    if (isa<BufferLoad>(node)) {
      auto found = assumptions_.find(as<BufferLoad>(node)->buffer.get());
      const bool applies =
          found != assumptions_.end() && structuralEqual(allConditions(), found->second.condition, FreeVars::Map);
      return applies ? NodeRef(found->second.value) : node;
    }
    if (const auto* call = asCallOf(node, "assume")) learn(call->args[0]);
    return CanonRewriter::enter(node);
  }

 private:
  /// In the places where the condition holds, elements of a buffer have this value.
  struct Assumption {
    PrimExpr condition, value;
  };

  void hold(const PrimExpr& condition) {
    assume(condition);
    if (effectOf(condition) == op::TirEffect::Pure) conditions_.push_back(condition);
  }
  PrimExpr allConditions() const {
    PrimExpr all = boolImm(true);
    for (const PrimExpr& condition : conditions_) all = arith::logicalAnd(all, condition);
    return all;
  }
  bool sameUnder(const PrimExpr& condition, const PrimExpr& a, const PrimExpr& b) {
    return inGroup([&] {
      const size_t mark = conditions_.size();
      hold(condition);
      const PrimExpr left = canon_.simplify(rewrite(a)), right = canon_.simplify(rewrite(b));
      conditions_.resize(mark);
      return structuralEqual(left, right);
    });
  }
  Stmt stored(const BufferStore& store, const PrimExpr& value) {
    auto* copy = new BufferStore(store);
    copy->value = canon_.simplify(value);
    return Stmt(copy);
  }
  void learn(const PrimExpr& assumption);
  void learnOne(const PrimExpr& assumption);

  std::vector<PrimExpr> conditions_;
  std::unordered_map<const Node*, Assumption> assumptions_;  ///< by buffer
};

/// The operands of a chain of && or ||, from the left.
std::vector<PrimExpr> operandsOf(Kind op, const PrimExpr& expr) {
  std::vector<PrimExpr> open{expr}, found;
  while (!open.empty()) {
    const PrimExpr one = open.back();
    open.pop_back();
    const auto* binary = as<BinaryNode>(one);
    if (binary && one->kind() == op) {
      open.push_back(binary->b);
      open.push_back(binary->a);
    } else {
      found.push_back(one);
    }
  }
  return found;
}

void BranchReducer::learn(const PrimExpr& assumption) {
  for (const PrimExpr& one : operandsOf(Kind::tir_And, assumption)) learnOne(one);
}

/// `not condition or buffer[indices] == value`
void BranchReducer::learnOne(const PrimExpr& assumption) {
  PrimExpr predicate = boolImm(true);
  const EQ* equality = nullptr;
  size_t others = 0;
  for (const PrimExpr& one : operandsOf(Kind::tir_Or, assumption)) {
    if (effectOf(one) == op::TirEffect::Pure) {
      predicate = arith::logicalAnd(predicate, arith::logicalNot(one));
      continue;
    }
    ++others;
    equality = as<EQ>(one);
  }
  const auto* left = equality ? as<BufferLoad>(equality->a) : nullptr;
  const auto* load = left ? left : equality ? as<BufferLoad>(equality->b) : nullptr;
  if (others != 1 || !load) {
    errors.push_back(errorAt(assumption->span, "lower.assume",
                             "an assumption has the form: a condition or buffer[indices] == value"));
    return;
  }
  const PrimExpr& value = left ? equality->b : equality->a;
  predicate = canon_.simplify(predicate);
  assumptions_[load->buffer.get()] = {arith::logicalAnd(allConditions(), predicate), value};
}

bool assumesAnything(const Stmt& body) {
  bool found = false;
  walk(*body, Into::Parts, [&](const Node& node) {
    found = found || asCallOf(NodeRef(&node), "assume");
    return !found;
  });
  return found;
}

}  // namespace

Result<PrimFuncRef> useAssumeToReduceBranches(const PrimFuncRef& func, Scope&) {
  const int64_t pattern = ir::intAttrOf(func->attrs, kPattern, -1);
  if ((pattern != kElementwise && pattern != kBroadcast) || !assumesAnything(func->body)) return func;
  arith::Canon canon(effectOfCall);
  BranchReducer reducer(canon);
  Stmt body = reducer.rewrite(func->body);
  if (!reducer.errors.empty()) return fail(std::move(reducer.errors));
  return withBody(func, std::move(body));
}

}  // namespace rx::lower
