// Every node type, and dispatch from a kind to its type: withNodeType(kind, [&]<class T>() { ... }).
#pragma once

#include "core/ir/module.h"

namespace rx {

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
