#include "core/arith/rewriter.h"

#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/arith/parts.h"
#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::arith {

using namespace tir;

PrimExpr Rewriter::visit(const PrimExpr& expr) {
  if (isa<Var>(expr)) return visitVar(expr);
  if (isLeaf(*expr)) return expr;
  // What a condition becomes depends on whether it is turned into its normal form.
  const uint32_t under = canon_.facts_ * 2 + canon_.extensions.andOfOrs;
  if (const PrimExpr* known = memo_[depth_].find(expr.get(), under)) return *known;
  PrimExpr value = visitNode(expr);
  memo_[depth_].put(expr, under, value);
  return value;
}

void Rewriter::forget() {
  for (auto& memo : memo_) memo.clear();
}

PrimExpr Rewriter::again(const PrimExpr& expr) {
  if (depth_ >= kMaxAgain) return expr;
  ++depth_;
  PrimExpr value = visit(expr);
  --depth_;
  return value;
}

PrimExpr Rewriter::byRules(const PrimExpr& node) {
  Rewritten result = applyRules(node, *this);
  if (!result.value) return node;
  return result.again ? again(result.value) : result.value;
}

PrimExpr Rewriter::visitParts(const PrimExpr& expr) {
  if (const auto* binary = as<BinaryNode>(expr)) {
    PrimExpr a = visit(binary->a), b = visit(binary->b);
    if (a == binary->a && b == binary->b) return expr;
    const NodeRef visited[] = {std::move(a), std::move(b)};
    return rx::cast<ExprNode>(withChildren(expr, Into::Parts, visited));
  }
  std::vector<const Node*> parts;
  appendChildren(*expr, Into::Parts, parts);
  std::vector<NodeRef> visited;
  visited.reserve(parts.size());
  for (const Node* part : parts) {
    const auto* operand = as<ExprNode>(part);
    visited.push_back(operand ? NodeRef(visit(PrimExpr(operand))) : NodeRef(part));
  }
  return rx::cast<ExprNode>(withChildren(expr, Into::Parts, visited));
}

PrimExpr Rewriter::visitVar(const PrimExpr& expr) {
  if (expr->dtype == DataType::Bool()) {
    if (PrimExpr truth = literal(expr)) return truth;
  }
  const auto value = canon_.values_.find(as<Var>(expr));
  return value == canon_.values_.end() ? expr : value->second;
}

PrimExpr Rewriter::visitNode(const PrimExpr& expr) {
  const Kind kind = expr->kind();
  if (kind >= Kind::tir_Add && kind <= Kind::tir_Max) return visitBinary(expr);
  if (kind >= Kind::tir_EQ && kind <= Kind::tir_GE) return visitComparison(expr);
  switch (kind) {
    case Kind::tir_Var:
    case Kind::tir_SizeVar:
      return visitVar(expr);
    case Kind::tir_And:
    case Kind::tir_Or:
      return visitLogic(expr);
    case Kind::tir_Not: {
      const PrimExpr node = visitParts(expr);
      if (const auto value = asInt(as<Not>(node)->a)) return boolImm(*value == 0);
      if (PrimExpr truth = literal(node)) return truth;
      return byRules(node);
    }
    case Kind::tir_Select:
      return visitSelect(expr);
    case Kind::tir_Call:
      return visitCall(expr);
    case Kind::tir_Let:
      return visitLet(expr);
    case Kind::tir_Cast:
      return cast(expr->dtype, visit(as<tir::Cast>(expr)->value));
    default:
      return visitParts(expr);
  }
}

PrimExpr Rewriter::visitBinary(const PrimExpr& expr) {
  const PrimExpr node = visitParts(expr);
  const auto* binary = as<BinaryNode>(node);
  if (PrimExpr folded = tryFold(node->kind(), binary->a, binary->b)) return folded;
  return byRules(node);
}

PrimExpr Rewriter::visitLet(const PrimExpr& expr) {
  const auto* let = as<Let>(expr);
  const PrimExpr value = visit(let->value);
  if (isa<IntImm>(let->value) || isa<FloatImm>(let->value) || isa<Var>(let->value)) {
    canon_.bind(let->var, value);
    return visit(let->body);
  }
  const PrimExpr body = visit(let->body);
  return value == let->value && body == let->body ? expr : make<Let>(let->var, value, body);
}

PrimExpr Rewriter::visitSelect(const PrimExpr& expr) {
  const auto* select = as<Select>(expr);
  const PrimExpr condition = visit(select->condition);
  PrimExpr yes, no;
  {
    Canon::Scope scope(canon_, condition, true);
    yes = visit(select->trueValue);
  }
  {
    Canon::Scope scope(canon_, canon_.rewrite(make<Not>(condition)));
    no = visit(select->falseValue);
  }
  if (const auto value = asInt(condition)) return *value ? yes : no;
  const bool same = condition == select->condition && yes == select->trueValue && no == select->falseValue;
  return byRules(same ? expr : PrimExpr(make<Select>(condition, yes, no)));
}

/// if_then_else: each branch under what it is taken for; nested ones with one constant otherwise-value become one.
PrimExpr Rewriter::visitChoice(const PrimExpr& expr) {
  const auto* call = as<Call>(expr);
  const PrimExpr condition = visit(call->args[0]);
  PrimExpr yes, no;
  {
    Canon::Scope scope(canon_, condition, true);
    yes = visit(call->args[1]);
  }
  {
    Canon::Scope scope(canon_, make<Not>(condition));
    no = visit(call->args[2]);
  }
  if (const auto value = asInt(condition)) return *value ? yes : no;
  const auto choice = [&](PrimExpr when, PrimExpr then) -> PrimExpr {
    return make<Call>(call->dtype, call->op, Array<PrimExpr>{std::move(when), std::move(then), no}, call->annotations);
  };
  const Call* inner = asIntrinsic(yes, "if_then_else");
  const auto isNumber = [](const PrimExpr& e) { return isa<IntImm>(e) || isa<FloatImm>(e); };
  if (inner && isNumber(no) && isNumber(inner->args[2]) && canon_.canProve(eq(inner->args[2], no))) {
    return choice(logicalAnd(condition, inner->args[0]), inner->args[1]);
  }
  const bool same = condition == call->args[0] && yes == call->args[1] && no == call->args[2];
  return same ? expr : choice(condition, yes);
}

PrimExpr Rewriter::visitCall(const PrimExpr& expr) {
  if (asIntrinsic(expr, "if_then_else")) return visitChoice(expr);
  const PrimExpr node = visitParts(expr);
  const auto* call = as<Call>(node);
  if (PrimExpr folded = foldIntrinsic(*call)) return folded;
  if (asIntrinsic(node, "likely")) {
    if (PrimExpr truth = literal(call->args[0])) return truth;
  }
  return node;
}

PrimExpr Rewriter::logicUnderBranches(const PrimExpr& expr) {
  const auto* logic = as<BinaryNode>(expr);
  const bool both = isa<And>(expr);
  PrimExpr sides[2] = {logic->a, logic->b};
  int unchanged = 0;
  for (int i = 0; i < 4 && unchanged < 2; ++i) {
    const PrimExpr& other = sides[1 - i % 2];
    Canon::Scope scope(canon_, both ? other : negated(other));
    const PrimExpr updated = visit(sides[i % 2]);
    unchanged = updated == sides[i % 2] ? unchanged + 1 : 0;
    sides[i % 2] = updated;
  }
  if (sides[0] == logic->a && sides[1] == logic->b) return expr;
  return both ? PrimExpr(make<And>(sides[0], sides[1])) : PrimExpr(make<Or>(sides[0], sides[1]));
}

PrimExpr Rewriter::visitLogic(const PrimExpr& expr) {
  const PrimExpr node = extensions().branchConstraints ? logicUnderBranches(expr) : visitParts(expr);
  const auto* logic = as<BinaryNode>(node);
  if (PrimExpr folded = tryFold(node->kind(), logic->a, logic->b)) return folded;
  if (PrimExpr truth = literal(node)) return truth;
  if (extensions().andOfOrs) return simplifyAsAndOfOrs(node, canon_);
  return byRules(node);
}

void Rewriter::enter(const PrimExpr& condition) {
  for (const PrimExpr& part : conjuncts(visit(condition))) {
    // What is asked for is no constant.
    if (isa<IntImm>(part) || !canon_.isPure(part)) continue;
    literals_.push_back(part);
    const bool truth = part->dtype.element() == DataType::Bool();
    literals_.push_back(make<Not>(truth ? negated(part) : eq(part, constantInt(part->dtype, 0))));
  }
}

PrimExpr Rewriter::literal(const PrimExpr& condition) const {
  for (const PrimExpr& known : literals_) {
    if (known->kind() == condition->kind() && sameExpr(known, condition)) return constantInt(condition->dtype, 1);
    const auto* inverse = as<Not>(known);
    if (inverse && sameExpr(inverse->a, condition)) return constantInt(condition->dtype, 0);
  }
  return nullptr;
}

}  // namespace rx::arith
