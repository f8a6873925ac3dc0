// Origin: where a binding or a call came from, carried through every pass. Equality and hash ignore it.
#pragma once

#include "core/support/array.h"
#include "core/support/ref.h"
#include "core/support/source.h"
#include "core/support/str.h"

namespace rx {

/// A binding of the imported module: function, index of the block in the function's body (outer blocks first, in text
/// order), index of the binding in the block, the variable's name, and the place in the text.
struct OriginSite {
  Str function;
  uint32_t block = 0;
  uint32_t binding = 0;
  Str name;
  Span span;
  bool operator==(const OriginSite& other) const {
    return function == other.function && block == other.block && binding == other.binding;
  }
};

/// The set of source bindings (in source order, no duplicates) and the pass that made the node ("" = imported).
class Origin : public Object {
 public:
  Origin(Array<OriginSite> sites, Str pass) : sites(std::move(sites)), pass(std::move(pass)) {}
  const Array<OriginSite> sites;
  const Str pass;
};
using OriginRef = Ref<Origin>;

namespace ir {
struct IRModule;
}
/// Gives every binding of the Relax functions that has no origin its own place as origin, so that passes carry it on.
/// For the reader of a module, before it hands the module out: the nodes are still its own.
void giveOwnOrigins(const ir::IRModule& module);

/// Union of the sites of both; null counts as empty. The result names `pass`.
OriginRef mergeOrigins(const OriginRef& a, const OriginRef& b, const Str& pass);

}  // namespace rx
