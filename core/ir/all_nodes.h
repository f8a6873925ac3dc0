// Every node type, and dispatch from a kind to its type: withNodeType(kind, [&]<class T>() { ... }).
#pragma once

#include "core/ir/module.h"
#include "core/ir/relay.h"

namespace rx {

/// Variables of any language: where they are bound they are matched, not compared.
inline bool isVariable(const Node* node) {
  return isa<tir::Var>(node) || isa<relax::Var>(node) || isa<relay::Var>(node) || isa<relay::TypeVar>(node);
}
/// Whether it belongs to the node's meaning that two places share it. The empty tuple is a value like a number.
inline bool isGraphNode(const Node& node) {
  const auto* tuple = as<relay::Tuple>(&node);
  return isGraphKind(node.kind()) && !(tuple && tuple->items.empty());
}

/// Calls `f.operator()<T>()` for the node type of `kind`; compiles only if f accepts every type.
template <class F>
decltype(auto) withNodeType(Kind kind, F&& f) {
  switch (kind) {
#define RX_NODE(space, Name, key) \
  case Kind::space##_##Name:      \
    return f.template operator()<space::Name>();
#include "core/ir/node_kinds.def"
    case Kind::kCount:
      break;
  }
  invariantBroken("valid kind", __FILE__, __LINE__, "a node has a kind outside the table");
}

}  // namespace rx
