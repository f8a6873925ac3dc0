// How the fields of nodes are told apart: for the walks that read the field tables.
#pragma once

#include <span>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx {

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

/// The reference as one to the type that the node is known to have. Nothing is counted, which matters where a walk
/// meets every node.
template <class T, class U>
const Ref<T>& refTo(const Ref<U>& ref) {
  static_assert(sizeof(Ref<T>) == sizeof(Ref<U>));
  RX_ASSERT(isa<T>(ref), "node kind {} is not what this place needs", ref ? static_cast<int>(ref->kind()) : -1);
  return reinterpret_cast<const Ref<T>&>(ref);
}

inline bool entered(Role role, Into into) {
  return role == Role::Child || role == Role::Define || (role == Role::Type && into == Into::All);
}

/// Calls `see` with each node-valued field in table order, one call an element of a list; the references are those of
/// the node itself.
template <class See>
void eachChild(const Node& node, Into into, See&& see) {
  withNodeType(node.kind(), [&]<class T>() {
    const T& typed = static_cast<const T&>(node);
    T::fields([&](const char*, auto member, Role role) {
      using Field = std::decay_t<decltype(typed.*member)>;
      if (!entered(role, into)) return;
      if constexpr (FieldTraits<Field>::isNode) {
        see(asNode(typed.*member));
      } else if constexpr (FieldTraits<Field>::isNodeList) {
        for (const NodeRef& element : asNodes(typed.*member)) see(element);
      }
    });
  });
}

}  // namespace rx
