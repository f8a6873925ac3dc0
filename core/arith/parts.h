// The parts of an expression, without a list for the kinds that index expressions are made of.
#pragma once

#include <vector>

#include "core/ir/prim_expr.h"
#include "core/ir/reflect.h"

namespace rx::arith {

/// Variables and constants: what has no parts.
inline bool isLeaf(const Node& node) {
  return isa<tir::Var>(&node) || isa<tir::IntImm>(&node) || isa<tir::FloatImm>(&node) || isa<tir::StringImm>(&node);
}

/// Calls `see` with each part of the node in table order (null where a field is).
template <class See>
void eachPart(const Node& node, See&& see) {
  if (const auto* binary = as<tir::BinaryNode>(&node)) {
    see(static_cast<const Node*>(binary->a.get()));
    see(static_cast<const Node*>(binary->b.get()));
  } else if (!isLeaf(node)) {
    std::vector<const Node*> parts;
    appendChildren(node, Into::Parts, parts);
    for (const Node* part : parts) see(part);
  }
}

}  // namespace rx::arith
