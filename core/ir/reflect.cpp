#include "core/ir/reflect.h"

#include <unordered_map>
#include <unordered_set>

#include "core/ir/all_nodes.h"

namespace rx {

namespace {

template <class T>
struct FieldTraits {
  static constexpr bool isNode = false;
  static constexpr bool isNodeList = false;
};
template <class T>
requires std::is_base_of_v<Node, T>
struct FieldTraits<Ref<T>> {
  static constexpr bool isNode = true;
  static constexpr bool isNodeList = false;
  using Element = T;
};
template <class T>
requires std::is_base_of_v<Node, T>
struct FieldTraits<Array<Ref<T>>> {
  static constexpr bool isNode = false;
  static constexpr bool isNodeList = true;
  using Element = T;
};

/// A Ref to any node type is one pointer to an object that starts with its Node, so lists of them share a layout.
template <class T>
std::span<const NodeRef> asNodes(const Array<Ref<T>>& list) {
  static_assert(sizeof(Ref<T>) == sizeof(NodeRef));
  return {reinterpret_cast<const NodeRef*>(list.begin()), list.size()};
}
template <class T>
const NodeRef& asNode(const Ref<T>& ref) {
  return reinterpret_cast<const NodeRef&>(ref);
}

bool entered(Role role, Into into) {
  return role == Role::Child || role == Role::Define || (role == Role::Type && into == Into::All);
}

/// Hands one typed field to the visitor method of its type.
struct Dispatch {
  FieldVisitor& to;
  const char* name;
  Role role;
  template <class T>
  requires std::is_base_of_v<Node, T>
  void operator()(const Ref<T>& v) const { to.node(name, role, asNode(v)); }
  template <class T>
  requires std::is_base_of_v<Node, T>
  void operator()(const Array<Ref<T>>& v) const { to.nodes(name, role, asNodes(v)); }
  void operator()(bool v) const { to.boolean(name, role, v); }
  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void operator()(T v) const {
    to.integer(name, role, static_cast<int64_t>(v));
  }
  void operator()(double v) const { to.real(name, role, v); }
  void operator()(const Str& v) const { to.text(name, role, v); }
  void operator()(const Array<Str>& v) const { to.texts(name, role, v.span()); }
  void operator()(const Array<int64_t>& v) const { to.integers(name, role, v.span()); }
  void operator()(DataType v) const { to.type(name, role, v); }
  void operator()(const Ref<HostTensor>& v) const { to.tensor(name, role, v); }
  void operator()(Span v) const { to.span(name, role, v); }
  void operator()(const OriginRef& v) const { to.origin(name, role, v); }
};

}  // namespace

void visitFields(const Node& node, FieldVisitor& visitor) {
  withNodeType(node.kind(), [&]<class T>() {
    const T& typed = static_cast<const T&>(node);
    T::fields([&](const char* name, auto member, Role role) { Dispatch{visitor, name, role}(typed.*member); });
  });
}

void appendChildren(const Node& node, Into into, std::vector<const Node*>& out) {
  withNodeType(node.kind(), [&]<class T>() {
    const T& typed = static_cast<const T&>(node);
    T::fields([&](const char*, auto member, Role role) {
      using Field = std::decay_t<decltype(typed.*member)>;
      if (!entered(role, into)) return;
      if constexpr (FieldTraits<Field>::isNode) {
        out.push_back((typed.*member).get());
      } else if constexpr (FieldTraits<Field>::isNodeList) {
        for (const auto& element : typed.*member) out.push_back(element.get());
      }
    });
  });
}

namespace {

template <class T>
bool childrenDiffer(const T& typed, Into into, std::span<const NodeRef> children) {
  size_t at = 0;
  bool differ = false;
  T::fields([&](const char*, auto member, Role role) {
    using Field = std::decay_t<decltype(typed.*member)>;
    if (!entered(role, into)) return;
    if constexpr (FieldTraits<Field>::isNode) {
      differ |= asNode(typed.*member).get() != children[at++].get();
    } else if constexpr (FieldTraits<Field>::isNodeList) {
      for (const auto& element : typed.*member) differ |= element.get() != children[at++].get();
    }
  });
  RX_ASSERT(at == children.size(), "withChildren got {} children for {}", children.size(), at);
  return differ;
}

template <class E>
Ref<E> childAs(const NodeRef& child) {
  return child ? cast<E>(child) : Ref<E>();
}

}  // namespace

NodeRef withChildren(const NodeRef& node, Into into, std::span<const NodeRef> children) {
  return withNodeType(node->kind(), [&]<class T>() -> NodeRef {
    const T& typed = static_cast<const T&>(*node);
    if (!childrenDiffer(typed, into, children)) return node;
    T* copy = new T(typed);
    size_t at = 0;
    T::fields([&](const char*, auto member, Role role) {
      using Field = std::decay_t<decltype(copy->*member)>;
      if (!entered(role, into)) return;
      if constexpr (FieldTraits<Field>::isNode) {
        copy->*member = childAs<typename FieldTraits<Field>::Element>(children[at++]);
      } else if constexpr (FieldTraits<Field>::isNodeList) {
        using E = typename FieldTraits<Field>::Element;
        std::vector<Ref<E>> items;
        for (size_t i = 0; i < (typed.*member).size(); ++i) items.push_back(childAs<E>(children[at++]));
        copy->*member = Array<Ref<E>>(std::move(items));
      }
    });
    if constexpr (requires { copy->index(); }) copy->index();
    return Ref<T>(copy);
  });
}

void walk(const Node& root, Into into, const std::function<bool(const Node&)>& pre) {
  std::vector<const Node*> stack{&root};
  std::vector<const Node*> children;
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (!node || !pre(*node)) continue;
    children.clear();
    appendChildren(*node, into, children);
    stack.insert(stack.end(), children.rbegin(), children.rend());
  }
}

void walkOnce(const Node& root, Into into, const std::function<bool(const Node&)>& pre) {
  std::unordered_set<const Node*> met;
  walk(root, into, [&](const Node& node) { return met.insert(&node).second && pre(node); });
}

void walkPostOrder(const Node& root, Into into, const std::function<void(const Node&)>& post) {
  std::vector<std::pair<const Node*, bool>> stack{{&root, false}};
  std::vector<const Node*> children;
  while (!stack.empty()) {
    auto [node, done] = stack.back();
    stack.pop_back();
    if (!node) continue;
    if (done) {
      post(*node);
      continue;
    }
    stack.push_back({node, true});
    children.clear();
    appendChildren(*node, into, children);
    for (auto it = children.rbegin(); it != children.rend(); ++it) stack.push_back({*it, false});
  }
}

namespace {

/// Of nodes that several others hold: what each became. A few are looked through, many are hashed.
class Rewritten {
 public:
  const NodeRef* find(const Node* node) const {
    if (entries_.size() > kFew) {
      const auto found = numbers_.find(node);
      return found == numbers_.end() ? nullptr : &entries_[found->second].second;
    }
    for (const auto& [known, value] : entries_)
      if (known.get() == node) return &value;
    return nullptr;
  }
  void add(NodeRef node, NodeRef value) {
    entries_.emplace_back(std::move(node), std::move(value));
    if (entries_.size() <= kFew) return;
    if (numbers_.empty())
      for (size_t i = 0; i + 1 < entries_.size(); ++i) numbers_.emplace(entries_[i].first.get(), i);
    numbers_.emplace(entries_.back().first.get(), entries_.size() - 1);
  }

 private:
  static constexpr size_t kFew = 12;
  std::vector<std::pair<NodeRef, NodeRef>> entries_;  // the first is held so that its address stays its own
  std::unordered_map<const Node*, size_t> numbers_;
};

/// One call of rewriteNodes. The parts that wait, and what those before them became, stand in two stacks for all nodes
/// that are open.
class Rewriting {
 public:
  Rewriting(Into into, const std::function<NodeRef(const NodeRef&)>& pre,
            const std::function<NodeRef(const NodeRef&)>& post)
      : into_(into), pre_(pre), post_(post) {}

  NodeRef run(const NodeRef& root) {
    enter(root.get(), false);
    while (!open_.empty()) {
      Open& top = open_.back();
      if (top.next < waiting_.size()) {
        const Node* part = waiting_[top.next++];
        enter(part, part && !part->unique());
        continue;
      }
      const std::span<const NodeRef> parts(rebuilt_.data() + top.firstRebuilt, rebuilt_.size() - top.firstRebuilt);
      NodeRef value = withChildren(top.node, into_, parts);
      const Open done = std::move(top);
      open_.pop_back();
      waiting_.resize(done.firstWaiting);
      rebuilt_.resize(done.firstRebuilt);
      finish(done.node, done.shared, post_ ? post_(value) : std::move(value));
    }
    return rebuilt_.front();
  }

 private:
  struct Open {
    NodeRef node;
    bool shared;
    size_t firstWaiting, next;
    size_t firstRebuilt;
  };

  /// What one other alone holds is reached once: nobody asks for it again.
  void enter(const Node* node, bool shared) {
    if (!node) return rebuilt_.emplace_back(), void();
    if (const NodeRef* known = shared ? rewritten_.find(node) : nullptr) {
      NodeRef value = *known;
      return rebuilt_.push_back(std::move(value));
    }
    const NodeRef held(node);
    if (NodeRef replaced = pre_ ? pre_(held) : nullptr) return finish(held, shared, std::move(replaced));
    open_.push_back({held, shared, waiting_.size(), waiting_.size(), rebuilt_.size()});
    appendChildren(*node, into_, waiting_);
  }
  void finish(const NodeRef& node, bool shared, NodeRef value) {
    if (shared) rewritten_.add(node, value);
    rebuilt_.push_back(std::move(value));
  }

  const Into into_;
  const std::function<NodeRef(const NodeRef&)>& pre_;
  const std::function<NodeRef(const NodeRef&)>& post_;
  std::vector<Open> open_;
  std::vector<const Node*> waiting_;
  std::vector<NodeRef> rebuilt_;
  Rewritten rewritten_;
};

}  // namespace

NodeRef rewriteNodes(const NodeRef& root, Into into, const std::function<NodeRef(const NodeRef&)>& pre,
                     const std::function<NodeRef(const NodeRef&)>& post) {
  return root ? Rewriting(into, pre, post).run(root) : nullptr;
}

}  // namespace rx
