// Substituter: a rewriter that puts values in the place of variables which a pass learns on the way.
#pragma once

#include "core/lower/checked_rewriter.h"

namespace rx::lower {

/// Replaces variables in expressions and in the buffers that are defined below. A pass derives from it and fills
/// `values`: an entry must be there before the first use of the variable is rewritten, and never for a variable whose
/// definition is handed to parts().
class Substituter : public CheckedRewriter {
 protected:
  arith::VarMap values;

  bool changesExpressions() const override { return !values.empty(); }
  NodeRef enter(const NodeRef& node) override {
    const auto* var = as<tir::Var>(node);
    const auto found = var ? values.find(var) : values.end();
    return found == values.end() ? nullptr : NodeRef(found->second);
  }
};

}  // namespace rx::lower
