#include "core/arith/conditions.h"

#include <bit>
#include <cmath>

#include "core/arith/fold.h"
#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"

namespace rx::arith {

using namespace tir;

namespace {

/// The negation of what is no conjunction or disjunction.
PrimExpr negatedLeaf(const PrimExpr& condition) {
  const auto* binary = as<BinaryNode>(condition);
  switch (condition->kind()) {
    case Kind::tir_LT:
      return le(binary->b, binary->a);
    case Kind::tir_GT:
      return le(binary->a, binary->b);
    case Kind::tir_LE:
      return lt(binary->b, binary->a);
    case Kind::tir_GE:
      return lt(binary->a, binary->b);
    case Kind::tir_EQ:
      return ne(binary->a, binary->b);
    case Kind::tir_NE:
      return eq(binary->a, binary->b);
    default:
      return logicalNot(condition);
  }
}

/// A comparison with the smaller side first.
PrimExpr upright(const PrimExpr& condition) {
  const auto* binary = as<BinaryNode>(condition);
  if (isa<GE>(condition)) return le(binary->b, binary->a);
  if (isa<GT>(condition)) return lt(binary->b, binary->a);
  return condition;
}

}  // namespace

std::vector<PrimExpr> conjuncts(const PrimExpr& condition,
                                const std::function<const Call*(const PrimExpr&)>& alsoOpened) {
  std::vector<PrimExpr> parts, open{condition};
  while (!open.empty()) {
    PrimExpr next = std::move(open.back());
    open.pop_back();
    if (const auto* both = as<And>(next)) {
      open.push_back(both->b);
      open.push_back(both->a);
    } else if (const Call* call = alsoOpened ? alsoOpened(next) : nullptr) {
      open.insert(open.end(), call->args.span().rbegin(), call->args.span().rend());
    } else {
      parts.push_back(std::move(next));
    }
  }
  return parts;
}

PrimExpr negated(const PrimExpr& condition) {
  // A task is a condition with its sign; a marker joins the two results before it.
  struct Task {
    PrimExpr expr;
    bool negate;
    bool join = false;
    bool both = false;
  };
  std::vector<Task> open{{condition, true}};
  std::vector<PrimExpr> done;
  while (!open.empty()) {
    Task task = std::move(open.back());
    open.pop_back();
    if (task.join) {
      PrimExpr b = std::move(done.back());
      done.pop_back();
      done.back() = task.both ? logicalAnd(done.back(), b) : logicalOr(done.back(), b);
      continue;
    }
    while (const auto* inverse = as<Not>(task.expr)) {
      task.negate = !task.negate;
      task.expr = PrimExpr(inverse->a);
    }
    const auto* binary = as<BinaryNode>(task.expr);
    const bool logic = isa<And>(task.expr) || isa<Or>(task.expr);
    if (!task.negate || !logic) {
      done.push_back(task.negate ? negatedLeaf(task.expr) : upright(task.expr));
      continue;
    }
    open.push_back({nullptr, true, true, isa<Or>(task.expr)});
    open.push_back({binary->b, true});
    open.push_back({binary->a, true});
  }
  return done.back();
}

namespace {

/// What `quotient OP value` says about the dividend.
void factsOfQuotient(const FloorDiv& quotient, int64_t value, Kind op, std::vector<PrimExpr>& facts) {
  const auto divisor = asInt(quotient.b);
  int64_t low = 0, high = 0;
  if (!divisor || *divisor <= 0 || __builtin_mul_overflow(value, *divisor, &low) ||
      __builtin_add_overflow(low, *divisor, &high)) {
    return;
  }
  const PrimExpr& a = quotient.a;
  const auto number = [&](int64_t v) { return intImm(v, a->dtype); };
  if (op == Kind::tir_EQ || op == Kind::tir_GE) facts.push_back(ge(a, number(low)));
  if (op == Kind::tir_GT) facts.push_back(ge(a, number(high)));
  if (op == Kind::tir_EQ || op == Kind::tir_LE) facts.push_back(lt(a, number(high)));
  if (op == Kind::tir_LT) facts.push_back(lt(a, number(low)));
}

Kind mirroredKind(Kind op) {
  return op == Kind::tir_LT   ? Kind::tir_GT
         : op == Kind::tir_GT ? Kind::tir_LT
         : op == Kind::tir_LE ? Kind::tir_GE
         : op == Kind::tir_GE ? Kind::tir_LE
                              : op;
}

}  // namespace

std::vector<PrimExpr> derivedFacts(const PrimExpr& condition) {
  const auto bitwise = [](const PrimExpr& part) {
    const Call* both = asIntrinsic(part, "bitwise_and");
    return both && both->dtype.isBool() ? both : nullptr;
  };
  std::vector<PrimExpr> facts;
  for (const PrimExpr& next : conjuncts(condition, bitwise)) {
    const auto* compare = as<BinaryNode>(next);
    const Kind op = next->kind();
    if (!compare || op < Kind::tir_EQ || op > Kind::tir_GE || op == Kind::tir_NE) continue;
    const auto *left = as<FloorDiv>(compare->a), *right = as<FloorDiv>(compare->b);
    if (const auto value = asInt(compare->b); left && value) factsOfQuotient(*left, *value, op, facts);
    if (const auto value = asInt(compare->a); right && value) factsOfQuotient(*right, *value, mirroredKind(op), facts);
  }
  return facts;
}

PrimExpr foldIntrinsic(const Call& call) {
  if (call.args.size() == 1 && asIntrinsic(&call, "likely") && isa<IntImm>(call.args[0])) return call.args[0];
  if (call.args.size() == 2) {
    const auto a = asInt(call.args[0]), b = asInt(call.args[1]);
    if (a && b && *b >= 0 && *b < 63) {
      if (asIntrinsic(&call, "shift_right")) return intImm(*a >> *b, call.dtype);
      if (asIntrinsic(&call, "shift_left"))
        return tryFold(Kind::tir_Mul, call.args[0], intImm(int64_t{1} << *b, call.dtype));
    }
  }
  if (call.args.size() != 1) return nullptr;
  const PrimExpr& arg = call.args[0];
  if (asIntrinsic(&call, "ceil")) {
    if (isa<IntImm>(arg)) return cast(call.dtype, arg);
    if (const auto* real = as<FloatImm>(arg)) return cast(call.dtype, floatImm(std::ceil(real->value), real->dtype));
    const Call* log = asIntrinsic(arg, "log2");
    const auto* real = log ? as<FloatImm>(log->args[0]) : nullptr;
    return real ? floatImm(std::ceil(std::log2(real->value)), call.dtype) : nullptr;
  }
  if (const auto value = asInt(arg); value && asIntrinsic(&call, "clz")) {
    const auto bits =
        static_cast<uint64_t>(*value) & (arg->dtype.bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << arg->dtype.bits) - 1);
    return intImm(arg->dtype.bits - std::bit_width(bits), call.dtype);
  }
  return nullptr;
}

}  // namespace rx::arith
