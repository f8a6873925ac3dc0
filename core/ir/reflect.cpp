#include "core/ir/reflect.h"

#include <algorithm>
#include <vector>

#include "core/ir/node_fields.h"
#include "core/support/pointer_map.h"
#include "core/support/short_memory.h"

namespace rx {

namespace {

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
  eachChild(node, into, [&](const NodeRef& child) { out.push_back(child.get()); });
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
  constexpr size_t kFew = 64;
  ShortMemory<kFew * sizeof(const Node*)> memory;
  std::pmr::vector<const Node*> stack(memory.resource());
  stack.reserve(kFew);
  stack.push_back(&root);
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (!node || !pre(*node)) continue;
    const auto first = static_cast<std::ptrdiff_t>(stack.size());
    eachChild(*node, into, [&](const NodeRef& child) { stack.push_back(child.get()); });
    std::reverse(stack.begin() + first, stack.end());
  }
}

void walkOnce(const Node& root, Into into, const std::function<bool(const Node&)>& pre) {
  PointerMap<Node, bool> met;
  // What one other alone holds is reached once.
  walk(root, into, [&](const Node& node) {
    if (!node.unique()) {
      if (met.find(&node)) return false;
      met.set(&node, true);
    }
    return pre(node);
  });
}

void walkPostOrder(const Node& root, Into into, const std::function<void(const Node&)>& post) {
  constexpr size_t kFew = 32;
  using Waiting = std::pair<const Node*, bool>;
  ShortMemory<kFew * sizeof(Waiting)> memory;
  std::pmr::vector<Waiting> stack(memory.resource());
  stack.reserve(kFew);
  stack.emplace_back(&root, false);
  while (!stack.empty()) {
    const auto [node, done] = stack.back();
    stack.pop_back();
    if (!node) continue;
    if (done) {
      post(*node);
      continue;
    }
    stack.emplace_back(node, true);
    const auto first = static_cast<std::ptrdiff_t>(stack.size());
    eachChild(*node, into, [&](const NodeRef& child) { stack.emplace_back(child.get(), false); });
    std::reverse(stack.begin() + first, stack.end());
  }
}

}  // namespace rx
