// Constant bounds of integer expressions, bottom-up with saturation at the infinities.
#include <algorithm>
#include <array>
#include <limits>

#include "core/arith/fold.h"
#include "core/arith/state.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::arith {

using namespace tir;

namespace {

constexpr int64_t kInf = ConstIntBound::kPosInf;
constexpr int64_t kNegInf = ConstIntBound::kNegInf;

int64_t clampInf(__int128 value) {
  return value >= kInf ? kInf : value <= kNegInf ? kNegInf : static_cast<int64_t>(value);
}
bool infinite(int64_t v) { return v == kInf || v == kNegInf; }

int64_t plus(int64_t a, int64_t b) {
  if (infinite(a)) return a;
  if (infinite(b)) return b;
  return clampInf(static_cast<__int128>(a) + b);
}
int64_t times(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (infinite(a) || infinite(b)) return (a > 0) == (b > 0) ? kInf : kNegInf;
  return clampInf(static_cast<__int128>(a) * b);
}
int64_t quotient(int64_t a, int64_t b) {
  if (infinite(a)) return (a > 0) == (b > 0) ? kInf : kNegInf;
  if (infinite(b)) return a == 0 || (a > 0) == (b > 0) ? 0 : -1;
  return floorDivInt(a, b);
}

using Bound = ConstIntBound;
int64_t negated(int64_t a) { return a == std::numeric_limits<int64_t>::min() ? kInf : -a; }
Bound negated(Bound b) { return {negated(b.max), negated(b.min)}; }
Bound hull(std::initializer_list<int64_t> values) { return {std::min(values), std::max(values)}; }

Bound addBound(Bound a, Bound b) { return {plus(a.min, b.min), plus(a.max, b.max)}; }
Bound subBound(Bound a, Bound b) { return addBound(a, negated(b)); }
Bound mulBound(Bound a, Bound b) {
  return hull({times(a.min, b.min), times(a.min, b.max), times(a.max, b.min), times(a.max, b.max)});
}
Bound floorDivBound(Bound a, Bound b) {
  if (b.min <= 0 && b.max >= 0) {
    if (b.min == 0 && a.min >= 0) return {0, a.max};  // division by zero has no value
    return {};
  }
  return hull({quotient(a.min, b.min), quotient(a.min, b.max), quotient(a.max, b.min), quotient(a.max, b.max)});
}
Bound floorModBound(Bound a, Bound b) {
  if (b.min < 0) return {};
  if (a.min >= 0 && a.max < b.min) return a;
  if (b.isConst() && b.min > 0 && !infinite(a.min) && !infinite(a.max) &&
      floorDivInt(a.min, b.min) == floorDivInt(a.max, b.min)) {
    return {floorModInt(a.min, b.min), floorModInt(a.max, b.min)};
  }
  int64_t top = infinite(b.max) ? kInf : b.max - 1;
  return {0, a.min >= 0 ? std::min(a.max, top) : top};
}
Bound truncDivBound(Bound a, Bound b) { return a.min >= 0 && b.min > 0 ? floorDivBound(a, b) : Bound{}; }
Bound truncModBound(Bound a, Bound b) {
  if (a.min >= 0 && b.min > 0) return floorModBound(a, b);
  if (b.min <= 0 || infinite(b.max)) return {};
  return {1 - b.max, b.max - 1};
}
Bound minBound(Bound a, Bound b) { return {std::min(a.min, b.min), std::min(a.max, b.max)}; }
Bound maxBound(Bound a, Bound b) { return {std::max(a.min, b.min), std::max(a.max, b.max)}; }

using BinaryBound = Bound (*)(Bound, Bound);
constexpr std::array<BinaryBound, 9> kBinary{addBound,      subBound,      mulBound, truncDivBound, truncModBound,
                                             floorDivBound, floorModBound, minBound, maxBound};

/// The sub-expressions whose bounds decide the bound of a node.
void dependencies(const Node* node, std::vector<PrimExpr>& out) {
  if (const auto* binary = as<BinaryNode>(node); binary && node->kind() <= Kind::tir_Max) {
    out.push_back(binary->a);
    out.push_back(binary->b);
  } else if (const auto* select = as<Select>(node)) {
    out.push_back(select->trueValue);
    out.push_back(select->falseValue);
  } else if (const auto* call = as<Call>(node); call && call->args.size() == 3) {
    const auto* op = as<relax::Op>(call->op);
    if (op && op->name.view().ends_with("if_then_else")) {
      out.push_back(call->args[1]);
      out.push_back(call->args[2]);
    }
  } else if (const auto* convert = as<Cast>(node); convert && convert->value->dtype.isIntegral()) {
    out.push_back(convert->value);
  }
}

Bound combine(const ExprNode* node, std::span<const Bound> parts) {
  if (const auto* imm = as<IntImm>(node)) return {imm->value, imm->value};
  if (isa<SizeVar>(node)) return {0, boundOfType(node->dtype).max};
  Bound type = boundOfType(node->dtype);
  if (parts.empty()) return type;
  Bound b;
  if (isa<BinaryNode>(node)) {
    b = kBinary[static_cast<size_t>(node->kind()) - static_cast<size_t>(Kind::tir_Add)](parts[0], parts[1]);
  } else if (parts.size() == 2) {
    b = {std::min(parts[0].min, parts[1].min), std::max(parts[0].max, parts[1].max)};
  } else {
    b = parts[0];
    if (b.min < type.min || b.max > type.max) return type;
  }
  return {std::max(b.min, type.min), std::min(b.max, type.max)};
}

}  // namespace

ConstIntBound boundOfType(DataType dtype) {
  if (dtype.isBool()) return {0, 1};
  if (dtype.isInt() && dtype.bits < 64) {
    int64_t top = (int64_t{1} << (dtype.bits - 1)) - 1;
    return {-top - 1, top};
  }
  if (dtype.isUInt()) return {0, dtype.bits < 63 ? (int64_t{1} << dtype.bits) - 1 : kInf};
  return {};
}

ConstIntBound Analyzer::State::bound(const PrimExpr& expr) {
  struct Frame {
    PrimExpr node;
    std::vector<PrimExpr> needs;
    std::vector<Bound> got;
  };
  std::vector<Frame> stack;
  std::optional<Bound> result;
  auto deliver = [&](Bound b) {
    if (stack.empty()) {
      result = b;
    } else {
      stack.back().got.push_back(b);
    }
  };
  auto narrow = [&](const PrimExpr& node, Bound b) {
    facts.find(node, [&](uint32_t place) {
      b = {std::max(b.min, factBounds[place].min), std::min(b.max, factBounds[place].max)};
    });
    return b;
  };
  auto enter = [&](const PrimExpr& node) {
    if (const auto* var = as<Var>(node)) {
      Bound b = combine(node.get(), {});
      if (auto found = bounds.find(var); found != bounds.end()) {
        b = {std::max(b.min, found->second.min), std::min(b.max, found->second.max)};
      }
      return deliver(narrow(node, b));
    }
    if (auto hit = cache.find(node.get()); hit != cache.end()) return deliver(hit->second.first);
    Frame frame{node, {}, {}};
    dependencies(node.get(), frame.needs);
    stack.push_back(std::move(frame));
  };
  enter(expr);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.got.size() < top.needs.size()) {
      PrimExpr next = top.needs[top.got.size()];
      enter(next);
      continue;
    }
    Frame done = std::move(stack.back());
    stack.pop_back();
    Bound b = narrow(done.node, combine(done.node.get(), done.got));
    cache.emplace(done.node.get(), std::pair(b, done.node));
    deliver(b);
  }
  return *result;
}

}  // namespace rx::arith
