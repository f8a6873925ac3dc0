#include "core/lower/common_subexpr_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/support/stack.h"

namespace rx::lower {

using namespace tir;

namespace {

/// A region of the body: that of a loop, a branch, an attribute. `creator` is null for the whole body.
struct Region {
  uint32_t parent;
  uint32_t depth;
  const StmtNode* creator;
};

/// One candidate value.
struct Candidate {
  const ExprNode* expr;
  uint32_t value;
  uint32_t region;       ///< the innermost that holds all occurrences
  uint32_t firstRegion;  ///< of the first occurrence
  const StmtNode* firstStatement;
  int count = 1;
  int depth = 1;                                ///< levels of candidates in it
  int consumed = 0;                             ///< occurrences that vanish with those of a repeated larger value
  std::vector<std::pair<uint32_t, int>> parts;  ///< direct candidates in it, and how often
};

bool isMemoryOrCall(const Node& node) { return isa<Call>(&node) || isa<BufferLoad>(&node); }

/// Kinds that compute a value from values.
bool computes(const Node& node) {
  return isa<BinaryNode>(&node) || isa<Not>(&node) || isa<tir::Cast>(&node) || isa<Select>(&node);
}

/// Sees the body in the order in which it runs and collects its candidates.
class Planner {
 public:
  explicit Planner(CommonSubexprPlan& plan) : plan_(plan) { regions_.push_back({0, 0, nullptr}); }
  void statement(const StmtNode& node);
  void decide();

 private:
  void body(const StmtNode& creator, const Stmt& inside);
  void buffer(const Buffer& buffer);
  void exprs(std::span<const PrimExpr> list) {
    for (const PrimExpr& expr : list) this->expr(expr.get());
  }
  void expr(const Node* root);
  void record(const ExprNode& node, uint32_t value, std::span<const uint32_t> children);
  uint32_t common(uint32_t a, uint32_t b) const;
  const StmtNode* place(const Candidate& candidate) const;
  PrimExpr definition(const Candidate& candidate) const;
  const Candidate* candidateOf(const Node& node) const;

  CommonSubexprPlan& plan_;
  std::vector<Region> regions_;
  std::vector<Candidate> candidates_;  ///< in order of discovery
  std::vector<uint32_t> byValue_;      ///< index into candidates_ by value number, kNone for none
  uint32_t region_ = 0;
  const StmtNode* statement_ = nullptr;  ///< the last one entered
};

void Planner::body(const StmtNode& creator, const Stmt& inside) {
  const uint32_t saved = region_;
  region_ = static_cast<uint32_t>(regions_.size());
  regions_.push_back({saved, regions_[saved].depth + 1, &creator});
  statement(*inside);
  region_ = saved;
}

void Planner::buffer(const Buffer& buffer) {
  exprs(buffer.shape);
  exprs(buffer.strides);
  expr(buffer.elemOffset.get());
}

void Planner::statement(const StmtNode& node) {
  withStack([&] {
    statement_ = &node;
    if (const auto* loop = as<For>(&node)) {
      expr(loop->min.get());
      expr(loop->extent.get());
      return body(node, loop->body);
    }
    if (const auto* branch = as<IfThenElse>(&node)) {
      expr(branch->condition.get());
      body(node, branch->thenCase);
      if (branch->elseCase) body(node, branch->elseCase);
      return;
    }
    if (const auto* loop = as<While>(&node)) {
      expr(loop->condition.get());
      return body(node, loop->body);
    }
    if (const auto* attribute = as<AttrStmt>(&node)) {
      expr(attribute->value.get());
      return body(node, attribute->body);
    }
    if (const auto* allocation = as<AllocBuffer>(&node)) return buffer(*allocation->buffer);
    if (const auto* declaration = as<DeclBuffer>(&node)) return buffer(*declaration->buffer);
    if (isa<Block>(&node)) return;  // what is in it is planned by itself
    std::vector<const Node*> children;
    appendChildren(node, Into::Parts, children);
    for (const Node* child : children) {
      if (const auto* inner = as<StmtNode>(child)) {
        statement(*inner);
      } else if (child && !isa<Buffer>(child) && !isa<ir::DictAttrs>(child)) {
        expr(child);
      }
    }
  });
}

/// Numbers an expression and all below it, parts first, and records the candidates. What stands under a `let` is
/// numbered only: it may use the variable of the let, which is unknown outside.
void Planner::expr(const Node* root) {
  struct Frame {
    const Node* node;
    size_t memoryBefore;
    size_t next = 0;
    std::vector<const Node*> children;
    std::vector<uint32_t> values;
  };
  if (!root) return;
  size_t memory = 0;
  int lets = 0;
  std::vector<Frame> stack;
  auto enter = [&](const Node* node) {
    Frame frame{node, memory, 0, {}, {}};
    if (!isa<Buffer>(node) && !isa<Var>(node)) appendChildren(*node, Into::Parts, frame.children);
    stack.push_back(std::move(frame));
  };
  enter(root);
  while (!stack.empty()) {
    Frame& top = stack.back();
    const auto* let = as<tir::Let>(top.node);
    if (top.next < top.children.size()) {
      const Node* child = top.children[top.next++];
      if (let && child == let->body.get()) ++lets;
      if (child) {
        enter(child);
      } else {
        top.values.push_back(ValueNumbers::kNone);
      }
      continue;
    }
    if (let) --lets;
    const uint32_t value = plan_.numbers.number(*top.node, top.values);
    if (isMemoryOrCall(*top.node)) ++memory;
    if (lets == 0 && memory == top.memoryBefore && computes(*top.node)) {
      record(*as<ExprNode>(top.node), value, top.values);
    }
    stack.pop_back();
    if (!stack.empty()) stack.back().values.push_back(value);
  }
}

void Planner::record(const ExprNode& node, uint32_t value, std::span<const uint32_t> children) {
  if (node.dtype.isBool()) return;
  if (byValue_.size() <= value) byValue_.resize(value + 1, ValueNumbers::kNone);
  if (byValue_[value] != ValueNumbers::kNone) {
    Candidate& known = candidates_[byValue_[value]];
    known.region = common(known.region, region_);
    ++known.count;
    return;
  }
  Candidate fresh{&node, value, region_, region_, statement_, 1, 1, 0, {}};
  for (uint32_t child : children) {
    const uint32_t part = child < byValue_.size() ? byValue_[child] : ValueNumbers::kNone;
    if (part == ValueNumbers::kNone) continue;
    fresh.depth = std::max(fresh.depth, candidates_[part].depth + 1);
    auto seen = std::find_if(fresh.parts.begin(), fresh.parts.end(), [&](auto& entry) { return entry.first == part; });
    if (seen == fresh.parts.end()) {
      fresh.parts.push_back({part, 1});
    } else {
      ++seen->second;
    }
  }
  byValue_[value] = static_cast<uint32_t>(candidates_.size());
  candidates_.push_back(std::move(fresh));
}

uint32_t Planner::common(uint32_t a, uint32_t b) const {
  while (regions_[a].depth > regions_[b].depth) a = regions_[a].parent;
  while (regions_[b].depth > regions_[a].depth) b = regions_[b].parent;
  while (a != b) {
    a = regions_[a].parent;
    b = regions_[b].parent;
  }
  return a;
}

/// Where the variable is bound: before the first statement that uses it, or before the statement of the common region
/// that holds it.
const StmtNode* Planner::place(const Candidate& candidate) const {
  if (candidate.firstRegion == candidate.region) return candidate.firstStatement;
  uint32_t at = candidate.firstRegion;
  while (regions_[at].parent != candidate.region) at = regions_[at].parent;
  return regions_[at].creator;
}

const Candidate* Planner::candidateOf(const Node& node) const {
  const uint32_t value = plan_.numbers.of(node);
  if (value >= byValue_.size() || byValue_[value] == ValueNumbers::kNone) return nullptr;
  return &candidates_[byValue_[value]];
}

/// The value over the variables that are bound so far.
PrimExpr Planner::definition(const Candidate& candidate) const {
  NodeRef result = rewriteNodes(
      PrimExpr(candidate.expr), Into::Parts,
      [&](const NodeRef& node) -> NodeRef {
        if (isa<Buffer>(node)) return node;
        const Candidate* inner = candidateOf(*node);
        if (!inner || inner->depth >= candidate.depth) return nullptr;
        return plan_.variables[inner->value];
      },
      nullptr);
  return rx::cast<ExprNode>(result);
}

void Planner::decide() {
  std::vector<std::pair<int, uint32_t>> order;  // by depth, then by discovery
  for (uint32_t i = 0; i < candidates_.size(); ++i) order.push_back({candidates_[i].depth, i});
  std::sort(order.begin(), order.end());
  for (const Candidate& whole : candidates_) {
    if (whole.count < 2) continue;
    for (auto [part, times] : whole.parts) candidates_[part].consumed += (whole.count - 1) * times;
  }
  plan_.variables.resize(plan_.numbers.size());
  int bound = 0;
  for (auto [depth, index] : order) {
    const Candidate& candidate = candidates_[index];
    if (candidate.count - candidate.consumed < 2) continue;
    auto variable = make<Var>(Str(fmt::format("cse_v{}", ++bound)), candidate.expr->dtype);
    plan_.before[place(candidate)].push_back(make<Bind>(variable, definition(candidate)));
    plan_.variables[candidate.value] = variable;
  }
}

}  // namespace

CommonSubexprPlan planCommonSubexprs(const Stmt& body) {
  CommonSubexprPlan plan;
  Planner planner(plan);
  planner.statement(*body);
  planner.decide();
  return plan;
}

}  // namespace rx::lower
