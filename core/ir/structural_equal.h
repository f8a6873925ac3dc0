// Structural equality of any two nodes, from the field tables: equal, or the first difference with its path.
#pragma once

#include <optional>
#include <string>

#include "core/ir/node.h"

namespace rx {

/// When two variables that neither side defines are the same.
enum class FreeVars : uint8_t {
  SameObject,  ///< one and the same node
  ByName,      ///< same name and type: what identity means between two texts
  Map,         ///< any pair, mapped at the first meeting as if both were defined there
};

/// The first place where two nodes differ. `path` names functions of a module, then fields and indices:
/// `main.body.blocks[0].bindings[3].value.args[1]`.
struct Difference {
  std::string path;
  NodeRef lhs, rhs;              ///< what stands at the path, or the innermost node that holds the plain field there
  std::string lhsText, rhsText;  ///< values of the plain field; empty when the nodes themselves differ
};

/// Nothing when equal. Variables are matched where they are defined, functions of modules by name, DictAttrs as sets
/// (null is the empty set), constants by their data. Names, places and origins do not count. Uses no native recursion.
std::optional<Difference> firstDifference(const NodeRef& lhs, const NodeRef& rhs,
                                          FreeVars freeVars = FreeVars::SameObject);
bool structuralEqual(const NodeRef& lhs, const NodeRef& rhs, FreeVars freeVars = FreeVars::SameObject);

}  // namespace rx
