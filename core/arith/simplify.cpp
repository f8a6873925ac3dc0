// The simplifier: one pass bottom-up over an explicit stack; sums are taken as a whole, so a chain of n additions costs
// n.
#include <algorithm>
#include <limits>
#include <unordered_set>

#include "core/arith/conditions.h"
#include "core/arith/fold.h"
#include "core/arith/linear.h"
#include "core/arith/state.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::arith {

using namespace tir;

namespace {

bool isSum(const ExprNode* node) {
  if (!node || !isIndexType(node->dtype)) return false;
  if (node->kind() == Kind::tir_Add || node->kind() == Kind::tir_Sub) return true;
  const auto* product = as<Mul>(node);
  return product && (isa<IntImm>(product->a) || isa<IntImm>(product->b));
}

bool isIfThenElse(const Call* call) {
  const auto* op = call ? as<relax::Op>(call->op) : nullptr;
  return op && call->args.size() == 3 && op->name.view().ends_with("if_then_else");
}

/// What may be simplified below a node: nothing below variables, buffers' own fields or reductions.
bool isLeaf(const ExprNode* node) { return isa<Var>(node) || isa<IntImm>(node) || isa<FloatImm>(node); }

/// A node that is being simplified. A sum has leaves with scales, any other node its children.
struct Frame {
  PrimExpr node;
  bool sum = false;
  int64_t base = 0;
  std::vector<NodeRef> children;
  std::vector<int64_t> scales;
  std::vector<NodeRef> done;
  bool scoped = false;
};

/// Takes a sum apart; false when a coefficient overflows.
bool openSum(Frame& frame) {
  struct Item {
    PrimExpr expr;
    int64_t scale;
  };
  std::vector<Item> open{{frame.node, 1}};
  // A sum that occurs twice in a long sum is simplified by itself once, else doubling sums would take forever.
  constexpr size_t kRemember = 32;
  std::unordered_set<const Node*> seen;
  for (size_t visits = 0; !open.empty(); ++visits) {
    Item item = std::move(open.back());
    open.pop_back();
    bool again = visits > kRemember && isSum(item.expr.get()) && !seen.insert(item.expr.get()).second;
    if (const auto* imm = as<IntImm>(item.expr)) {
      int64_t value = 0;
      if (__builtin_mul_overflow(imm->value, item.scale, &value)) return false;
      if (__builtin_add_overflow(frame.base, value, &frame.base)) return false;
    } else if (again || !isSum(item.expr.get())) {
      frame.children.push_back(item.expr);
      frame.scales.push_back(item.scale);
    } else if (const auto* product = as<Mul>(item.expr)) {
      bool right = isa<IntImm>(product->b);
      int64_t next = 0;
      if (__builtin_mul_overflow(*asInt(right ? product->b : product->a), item.scale, &next)) return false;
      open.push_back({right ? product->a : product->b, next});
    } else {
      const auto* binary = as<BinaryNode>(item.expr);
      open.push_back({binary->b, isa<Sub>(item.expr) ? -item.scale : item.scale});
      open.push_back({binary->a, item.scale});
    }
  }
  frame.sum = true;
  return true;
}

/// min(x + c, y) - x is min(c, y - x), where that leaves one variable less; max likewise.
void absorbIntoMin(Linear& sum) {
  for (size_t m = 0; m < sum.terms.size(); ++m) {
    PrimExpr index = sum.terms[m].index;
    const auto* node = as<BinaryNode>(index);
    bool whole = sum.terms[m].scale == 1 && sum.terms[m].lower == 1 && sum.terms[m].upper == Split::kNoUpper;
    if (!whole || (index->kind() != Kind::tir_Min && index->kind() != Kind::tir_Max)) continue;
    for (size_t k = 0; k < sum.terms.size(); ++k) {
      const Split& taken = sum.terms[k];
      bool alone = sum.terms.size() == 2 || (taken.scale == -1 && isa<Var>(taken.index));
      if (k == m || taken.scale >= 0 || !alone) continue;
      Linear a(sum.dtype), b(sum.dtype);
      a.addExpr(node->a, 1);
      b.addExpr(node->b, 1);
      a.add(taken);
      b.add(taken);
      std::erase_if(a.terms, [](const Split& t) { return t.scale == 0; });
      std::erase_if(b.terms, [](const Split& t) { return t.scale == 0; });
      if (a.overflow || b.overflow || (!a.isConst() && !b.isConst())) continue;
      bool first = a.isConst();
      PrimExpr joined = makeBinary(index->kind(), (first ? a : b).build(), (first ? b : a).build());
      Linear out(sum.dtype);
      for (size_t i = 0; i < sum.terms.size(); ++i) {
        if (i != m && i != k) out.add(sum.terms[i]);
      }
      out.addExpr(joined, 1);
      out.addConst(sum.constant);
      sum = std::move(out);
      return;
    }
  }
}

PrimExpr simplifyMinMax(Analyzer::State& state, Kind op, const PrimExpr& a, const PrimExpr& b);

/// x - min(y, x + c) is max(x - y, -c), and max likewise: a difference of which one side is a constant. Null otherwise.
PrimExpr differenceToMin(const Linear& sum, Analyzer::State& state) {
  for (size_t m = 0; m < sum.terms.size(); ++m) {
    const Split& term = sum.terms[m];
    const auto* node = as<BinaryNode>(term.index);
    const bool taken = term.scale == -1 && term.lower == 1 && term.upper == Split::kNoUpper;
    if (!taken || (term.index->kind() != Kind::tir_Min && term.index->kind() != Kind::tir_Max)) continue;
    Linear a(sum.dtype), b(sum.dtype);
    for (Linear* side : {&a, &b}) {
      for (size_t i = 0; i < sum.terms.size(); ++i) {
        if (i != m) side->add(sum.terms[i]);
      }
      side->addConst(sum.constant);
      side->addExpr(side == &a ? node->a : node->b, -1);
      std::erase_if(side->terms, [](const Split& t) { return t.scale == 0; });
    }
    if (sum.terms.size() < 2 || a.overflow || b.overflow || (!a.isConst() && !b.isConst())) continue;
    const Kind other = term.index->kind() == Kind::tir_Min ? Kind::tir_Max : Kind::tir_Min;
    const bool first = a.isConst();
    const PrimExpr open = (first ? b : a).build(), constant = (first ? a : b).build();
    const PrimExpr simple = simplifyMinMax(state, other, open, constant);
    return simple ? simple : makeBinary(other, open, constant);
  }
  return nullptr;
}

PrimExpr closeSum(const Frame& frame, Analyzer::State& state) {
  Linear sum(frame.node->dtype);
  for (size_t i = 0; i < frame.done.size(); ++i) sum.addExpr(rx::cast<ExprNode>(frame.done[i]), frame.scales[i]);
  sum.addConst(frame.base);
  if (sum.overflow) return frame.node;
  sum.mergeSplits();
  if (sum.terms.size() <= 8) {
    if (PrimExpr joined = differenceToMin(sum, state)) return joined;
    absorbIntoMin(sum);
  }
  // A negative multiple of one thing is a product; only a difference stays 0 - x.
  if (sum.terms.size() == 1 && sum.constant == 0) {
    const Split& only = sum.terms.front();
    const bool lowest = only.scale == std::numeric_limits<int64_t>::min();
    if (!lowest && (only.scale < -1 || (only.scale == -1 && isa<Mul>(frame.node))))
      return make<Mul>(splitExpr(only, 1), intImm(only.scale, sum.dtype));
  }
  PrimExpr built = sum.build();
  return sum.overflow ? frame.node : built;
}

class Simplifier {
 public:
  explicit Simplifier(Analyzer::State& state) : state_(state) {}

  PrimExpr run(const PrimExpr& root) {
    enter(root);
    while (!stack_.empty()) step();
    return rx::cast<ExprNode>(result_);
  }

 private:
  void step() {
    Frame& top = stack_.back();
    if (top.scoped) leaveScope();
    if (top.done.size() < top.children.size()) {
      scopeFor(top);
      NodeRef next = top.children[top.done.size()];
      if (!next || !isa<ExprNode>(next)) {
        top.done.push_back(next);
      } else {
        enter(rx::cast<ExprNode>(next));
      }
      return;
    }
    Frame frame = std::move(top);
    stack_.pop_back();
    PrimExpr value;
    if (frame.sum) {
      value = closeSum(frame, state_);
    } else {
      value = rx::cast<ExprNode>(withChildren(frame.node, Into::Parts, frame.done));
      value = simplifyNode(state_, value);
    }
    if (quicklySame(value, frame.node, 4 * frame.children.size() + 16)) value = frame.node;
    if (depth_ == 0) memo_.emplace(frame.node.get(), std::pair(value, frame.node));
    deliver(value);
  }

  void enter(const PrimExpr& node) {
    if (const auto* var = as<Var>(node)) {
      auto bound = state_.values.find(var);
      return deliver(bound == state_.values.end() ? node : bound->second);
    }
    if (isLeaf(node.get()) || isa<Reduce>(node)) return deliver(node);
    if (depth_ == 0) {
      if (auto hit = memo_.find(node.get()); hit != memo_.end()) return deliver(hit->second.first);
    }
    Frame frame;
    frame.node = node;
    if (!isSum(node.get()) || !openSum(frame)) {
      frame.sum = false;
      frame.scales.clear();
      frame.children.clear();
      std::vector<const Node*> children;
      appendChildren(*node, Into::Parts, children);
      for (const Node* child : children) frame.children.emplace_back(child);
    }
    stack_.push_back(std::move(frame));
  }

  void deliver(const PrimExpr& value) {
    if (stack_.empty()) {
      result_ = value;
    } else {
      stack_.back().done.push_back(value);
    }
  }

  /// The branches of a conditional are simplified under its condition.
  void scopeFor(Frame& frame) {
    bool select = isa<Select>(frame.node);
    const auto* call = as<Call>(frame.node);
    if (!select && !isIfThenElse(call)) return;
    // Children: condition, true, false; a call has its operator first and its annotations last.
    size_t first = select ? 0 : 1, at = frame.done.size();
    if (at != first + 1 && at != first + 2) return;
    PrimExpr condition = rx::cast<ExprNode>(frame.done[first]);
    state_.mark();
    state_.assume(at == first + 1 ? condition : logicalNot(condition));
    frame.scoped = true;
    ++depth_;
  }

  void leaveScope() {
    Frame& top = stack_.back();
    top.scoped = false;
    --depth_;
    state_.leave();
  }

  Analyzer::State& state_;
  std::vector<Frame> stack_;
  std::unordered_map<const Node*, std::pair<PrimExpr, PrimExpr>> memo_;
  NodeRef result_;
  int depth_ = 0;
};

/// One range ends where the other begins, or before.
bool apart(ConstIntBound a, ConstIntBound b) { return a.max <= b.min || b.max <= a.min; }

PrimExpr simplifyMinMax(Analyzer::State& state, Kind op, const PrimExpr& a, const PrimExpr& b) {
  if (PrimExpr folded = tryFold(op, a, b)) return folded;
  if (!isIndexType(a->dtype)) return nullptr;
  if (sameExpr(a, b)) return a;
  Linear difference(a->dtype);
  difference.addExpr(a, 1);
  difference.addExpr(b, -1);
  // TVM's texts keep min(n, n + m): only a constant difference or ranges that do not overlap decide, but in a proof.
  if (!difference.overflow && (state.proving || difference.terms.empty() || apart(state.bound(a), state.bound(b)))) {
    ConstIntBound bound = state.bound(difference.build());
    bool isMin = op == Kind::tir_Min;
    if (bound.max <= 0) return isMin ? a : b;
    if (bound.min >= 0) return isMin ? b : a;
  }
  const auto* inner = as<BinaryNode>(a);
  if (inner && a->kind() == op && isa<IntImm>(inner->b) && isa<IntImm>(b)) {
    return makeBinary(op, inner->a, makeBinary(op, inner->b, b));
  }
  // min(x * 2, 4) is min(x, 2) * 2, and with a negative factor min and max change places.
  const auto factor = inner && isa<Mul>(a) ? asInt(inner->b) : std::nullopt;
  const auto limit = asInt(b);
  if (factor && limit && *factor != 0 && *factor != std::numeric_limits<int64_t>::min() && *limit % *factor == 0) {
    const Kind flipped = op == Kind::tir_Min ? Kind::tir_Max : Kind::tir_Min;
    PrimExpr inside = makeBinary(*factor > 0 ? op : flipped, inner->a, intImm(*limit / *factor, a->dtype));
    return make<Mul>(inside, inner->b);
  }
  return nullptr;
}

PrimExpr simplifyLogic(Kind op, const PrimExpr& a, const PrimExpr& b) {
  if (PrimExpr folded = tryFold(op, a, b)) return folded;
  return sameExpr(a, b) ? a : nullptr;
}

PrimExpr negate(const Not* node) {
  if (const auto* imm = as<IntImm>(node->a)) return boolImm(imm->value == 0);
  const PrimExpr value = negated(node->a);
  const auto* same = as<Not>(value);
  return same && same->a == node->a ? nullptr : value;
}

}  // namespace

PrimExpr simplifyProduct(const PrimExpr& a, const PrimExpr& b) {
  if (PrimExpr folded = tryFold(Kind::tir_Mul, a, b)) return folded;
  if (!isIndexType(a->dtype)) return nullptr;
  // Constant factors of either side go to the right end.
  int64_t scale = 1;
  auto strip = [&](const PrimExpr& e) {
    const auto* product = as<Mul>(e);
    auto c = product ? asInt(product->b) : std::nullopt;
    int64_t next = 0;
    if (!c || __builtin_mul_overflow(*c, scale, &next)) return e;
    scale = next;
    return product->a;
  };
  PrimExpr x = strip(a), y = strip(b);
  if (isa<IntImm>(x) || isa<IntImm>(y)) {
    Linear sum(a->dtype);
    sum.addExpr(isa<IntImm>(x) ? y : x, *asInt(isa<IntImm>(x) ? x : y));
    return sum.overflow ? nullptr : mul(sum.build(), intImm(scale, a->dtype));
  }
  if (scale == 1) return nullptr;
  return mul(mul(x, y), intImm(scale, a->dtype));
}

PrimExpr simplifyNode(Analyzer::State& state, const PrimExpr& node) {
  auto kept = [&](PrimExpr value) { return value ? value : node; };
  Kind kind = node->kind();
  if (node->dtype.isBool() && state.truths.size() > 0) {
    if (state.truths.contains(node)) return boolImm(true);
    if (state.truths.contains(make<Not>(node))) return boolImm(false);
  }
  if (const auto* binary = as<BinaryNode>(node)) {
    const PrimExpr &a = binary->a, &b = binary->b;
    switch (kind) {
      case Kind::tir_Mul:
        return kept(simplifyProduct(a, b));
      case Kind::tir_FloorDiv:
        return kept(simplifyFloorDiv(state, a, b));
      case Kind::tir_FloorMod:
        return kept(simplifyFloorMod(state, a, b));
      case Kind::tir_Min:
      case Kind::tir_Max:
        return kept(simplifyMinMax(state, kind, a, b));
      case Kind::tir_And:
      case Kind::tir_Or:
        return kept(simplifyLogic(kind, a, b));
      case Kind::tir_Add:
      case Kind::tir_Sub:
      case Kind::tir_Div:
      case Kind::tir_Mod:
        return kept(tryFold(kind, a, b));
      default:
        return kept(simplifyCompare(state, kind, a, b));
    }
  }
  if (const auto* inverse = as<Not>(node)) {
    PrimExpr value = negate(inverse);
    return value ? value : node;
  }
  if (const auto* choice = as<Select>(node)) {
    if (sameExpr(choice->trueValue, choice->falseValue)) return choice->trueValue;
    if (auto c = asInt(choice->condition)) return *c ? choice->trueValue : choice->falseValue;
    return node;
  }
  if (const auto* call = as<Call>(node); isIfThenElse(call)) {
    if (sameExpr(call->args[1], call->args[2])) return call->args[1];
    if (auto c = asInt(call->args[0])) return call->args[*c ? 1 : 2];
    return node;
  }
  if (const auto* convert = as<tir::Cast>(node)) {
    return isa<IntImm>(convert->value) || convert->value->dtype == node->dtype ? cast(node->dtype, convert->value)
                                                                               : node;
  }
  return node;
}

PrimExpr simplifyTree(Analyzer::State& state, const PrimExpr& expr) { return Simplifier(state).run(expr); }

}  // namespace rx::arith
