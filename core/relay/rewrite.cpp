#include "core/relay/rewrite.h"

#include <type_traits>
#include <unordered_map>

#include "core/ir/reflect.h"
#include "core/support/pointer_map.h"

namespace rx::relay {

namespace {

class Rewriter {
 public:
  using Pre = std::function<NodeRef(const NodeRef&)>;
  using Post = std::function<NodeRef(const NodeRef&, const NodeRef&)>;
  Rewriter(const Pre& pre, const Post& post) : pre_(pre), post_(post) {}

  NodeRef run(const NodeRef& root) {
    enter(root.get());
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.next < top.end) {
        enter(children_[top.next++]);
        continue;
      }
      const Frame frame = top;
      stack_.pop_back();
      const NodeRef node(frame.node);
      const NodeRef rebuilt = withChildren(node, Into::All, std::span(values_).subspan(frame.firstValue));
      values_.resize(frame.firstValue);
      children_.resize(frame.firstChild);
      const NodeRef made = post_ ? post_(node, rebuilt) : rebuilt;
      if (made != rebuilt) takePlace(*node, made);
      finish(frame.node, made);
    }
    return result_;
  }

 private:
  /// A node that is entered; its children and what they became lie on the stacks of all.
  struct Frame {
    const Node* node;  ///< the root keeps it
    size_t firstChild, next, end;
    size_t firstValue;
  };

  void give(NodeRef value) {
    if (stack_.empty()) {
      result_ = std::move(value);
    } else {
      values_.push_back(std::move(value));
    }
  }
  void finish(const Node* node, const NodeRef& value) {
    done_.set(node, value);
    give(value);
  }
  /// What was made in the place of a node comes from where that was written. New is what nobody else holds, and what
  /// that holds and the graph had not.
  void takePlace(const Node& before, const NodeRef& made) const {
    if (!isa<relax::ExprNode>(&before) || !made || !made->unique()) return;
    const Span& place = static_cast<const relax::ExprNode&>(before).span;
    if (!place.known()) return;
    std::vector<const Node*> waiting{made.get()};
    while (!waiting.empty()) {
      const Node* now = waiting.back();
      waiting.pop_back();
      if (!now || !isa<relax::ExprNode>(now) || isa<Op>(now) || done_.find(now)) continue;
      auto* fresh = const_cast<relax::ExprNode*>(static_cast<const relax::ExprNode*>(now));
      if (fresh->span.known()) continue;
      fresh->span = place;
      // Blocks keep what stands in them.
      if (isa<Call>(now) || isa<Tuple>(now) || isa<TupleGetItem>(now)) appendChildren(*now, Into::Parts, waiting);
    }
  }
  void enter(const Node* node) {
    if (!node) return give(nullptr);
    if (const NodeRef* seen = done_.find(node)) return give(*seen);
    if (NodeRef replaced = pre_ ? pre_(NodeRef(node)) : nullptr) return finish(node, replaced);
    Frame frame{node, children_.size(), children_.size(), 0, values_.size()};
    appendChildren(*node, Into::All, children_);
    frame.end = children_.size();
    stack_.push_back(frame);
  }

  const Pre& pre_;
  const Post& post_;
  PointerMap<Node, NodeRef> done_;
  std::vector<Frame> stack_;
  std::vector<const Node*> children_;
  std::vector<NodeRef> values_;
  NodeRef result_;
};

}  // namespace

NodeRef rewriteGraph(const NodeRef& root, const std::function<NodeRef(const NodeRef&)>& pre,
                     const std::function<NodeRef(const NodeRef& before, const NodeRef& rebuilt)>& post) {
  return root ? Rewriter(pre, post).run(root) : nullptr;
}

namespace {

/// Calls `add` with the fields that hold the operands of a node.
template <class Add>
void eachOperand(const Node& node, const Add& add) {
  if (const auto* call = as<Call>(&node)) {
    for (const Expr& arg : call->args) add(arg);
    add(call->op);
  } else if (const auto* tuple = as<Tuple>(&node)) {
    for (const Expr& item : tuple->items) add(item);
  } else if (const auto* item = as<TupleGetItem>(&node)) {
    add(item->tuple);
  } else if (const auto* let = as<Let>(&node)) {
    add(let->value);
    add(let->body);
  } else if (const auto* branch = as<If>(&node)) {
    add(branch->cond);
    add(branch->trueBranch);
    add(branch->falseBranch);
  } else if (const auto* match = as<Match>(&node)) {
    add(match->data);
    for (const Ref<Clause>& clause : match->clauses) add(clause->value);
  } else if (const auto* function = as<Function>(&node)) {
    add(function->body);
  } else if (const auto* made = as<RefCreate>(&node)) {
    add(made->value);
  } else if (const auto* read = as<RefRead>(&node)) {
    add(read->ref);
  } else if (const auto* write = as<RefWrite>(&node)) {
    add(write->ref);
    add(write->value);
  }
}

/// Gives a node of its owner other operands.
void setOperands(relax::ExprNode& node, std::span<const Expr> operands) {
  auto own = [&]<class T>(const T* seen) { return const_cast<T*>(seen); };
  if (auto* call = own(as<Call>(&node))) {
    call->args = Array<Expr>(operands.begin(), operands.end() - 1);
    call->op = operands.back();
  } else if (auto* tuple = own(as<Tuple>(&node))) {
    tuple->items = Array<Expr>(operands.begin(), operands.end());
  } else if (auto* match = own(as<Match>(&node))) {
    match->data = operands[0];
    std::vector<Ref<Clause>> clauses;
    for (size_t i = 1; i < operands.size(); ++i)
      clauses.push_back(make<Clause>(match->clauses[i - 1]->pattern, operands[i]));
    match->clauses = Array<Ref<Clause>>(std::move(clauses));
  } else {
    size_t next = 0;
    eachOperand(node, [&](const Expr& field) { const_cast<Expr&>(field) = operands[next++]; });
  }
}

}  // namespace

void appendOperands(const Node& node, std::vector<Expr>& out) {
  eachOperand(node, [&](const Expr& operand) { out.push_back(operand); });
}

void appendOperands(const Node& node, std::vector<const relax::ExprNode*>& out) {
  eachOperand(node, [&](const Expr& operand) { out.push_back(operand.get()); });
}

relax::ExprNode* copyOf(const relax::ExprNode& node) {
  auto copied = [&]<class... T>(std::type_identity<T>...) {
    relax::ExprNode* copy = nullptr;
    ((isa<T>(&node) && (copy = new T(static_cast<const T&>(node)))) || ...);
    return copy;
  };
  relax::ExprNode* copy =
      copied(std::type_identity<Call>(), std::type_identity<Let>(), std::type_identity<Var>(),
             std::type_identity<Tuple>(), std::type_identity<TupleGetItem>(), std::type_identity<Constant>(),
             std::type_identity<Function>(), std::type_identity<If>(), std::type_identity<Match>(),
             std::type_identity<RefCreate>(), std::type_identity<RefRead>(), std::type_identity<RefWrite>());
  RX_ASSERT(copy, "no copies are made of {}", kindName(node.kind()));
  copy->sinfo = nullptr;  // the type is that of the node as it was
  return copy;
}

Expr withOperands(const Expr& expr, std::span<const Expr> operands) {
  size_t count = 0;
  bool differs = false;
  eachOperand(*expr, [&](const Expr& before) {
    differs = differs || (count < operands.size() && before != operands[count]);
    ++count;
  });
  RX_ASSERT(count == operands.size(), "{} operands for {}", operands.size(), count);
  if (!differs) return expr;
  const Expr copy(copyOf(*expr));
  setOperands(const_cast<relax::ExprNode&>(*copy), operands);
  return copy;
}

std::vector<std::string_view> globalsIn(const Expr& root) {
  std::vector<std::string_view> names;
  for (const Expr& expr : postOrder(root))
    if (const auto* global = as<relax::GlobalVar>(expr)) names.push_back(global->name.view());
  return names;
}

std::vector<Expr> postOrder(const Expr& root) {
  std::vector<Expr> order;
  std::vector<std::pair<Expr, bool>> stack{{root, false}};
  PointerMap<Node, bool> met;
  std::vector<Expr> operands;
  while (!stack.empty()) {
    const auto [expr, done] = stack.back();
    stack.pop_back();
    if (done) {
      order.push_back(expr);
      continue;
    }
    if (met.find(expr.get())) continue;
    met.set(expr.get(), true);
    stack.push_back({expr, true});
    operands.clear();
    appendOperands(*expr, operands);
    for (auto it = operands.rbegin(); it != operands.rend(); ++it) stack.push_back({*it, false});
  }
  return order;
}

std::vector<VarRef> freeVariables(const Expr& root) {
  // Every variable is bound once, so that a place where it is bound anywhere in the graph is the only one.
  PointerMap<Node, bool> bound;
  walkOnce(*root, Into::Parts, [&](const Node& node) {
    if (const auto* let = as<Let>(&node)) bound.set(let->var.get(), true);
    if (const auto* pattern = as<PatternVar>(&node)) bound.set(pattern->var.get(), true);
    const auto* function = as<Function>(&node);
    for (size_t i = 0; function && i < function->params.size(); ++i) bound.set(function->params[i].get(), true);
    return true;
  });
  std::vector<VarRef> out;
  for (const Expr& expr : postOrder(root)) {
    const auto var = refAs<Var>(expr);
    if (var && !bound.find(var.get())) out.push_back(var);
  }
  return out;
}

Expr replaceExprs(const Expr& root, const std::unordered_map<const Node*, Expr>& by) {
  struct Frame {
    Expr expr;
    std::vector<Expr> operands;
    size_t next = 0;
  };
  auto target = [&](Expr expr) {
    for (auto hit = by.find(expr.get()); hit != by.end(); hit = by.find(expr.get())) expr = hit->second;
    return expr;
  };
  std::unordered_map<const Node*, Expr> done;
  std::vector<Frame> stack;
  auto enter = [&](const Expr& expr) {
    if (done.contains(expr.get())) return;
    Frame frame{expr, {}, 0};
    appendOperands(*expr, frame.operands);
    for (Expr& operand : frame.operands) operand = target(operand);
    stack.push_back(std::move(frame));
  };
  const Expr start = target(root);
  enter(start);
  while (!stack.empty()) {
    if (stack.back().next < stack.back().operands.size()) {
      enter(Expr(stack.back().operands[stack.back().next++]));
      continue;
    }
    Frame frame = std::move(stack.back());
    stack.pop_back();
    for (Expr& operand : frame.operands) operand = done.at(operand.get());
    done[frame.expr.get()] = frame.operands.empty() ? frame.expr : withOperands(frame.expr, frame.operands);
  }
  return done.at(start.get());
}

}  // namespace rx::relay
