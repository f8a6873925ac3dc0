// Rewriting of small groups of operators, again and again until nothing matches any more.
#pragma once

#include <functional>

#include "core/build/module_context.h"
#include "core/pass/pass.h"

namespace rx::transform {

/// What a rewriting sees of the bindings before the one at hand that can be reordered with it.
class Earlier {
 public:
  virtual ~Earlier() = default;
  /// The call of this operator that the expression is or is bound to, else null.
  virtual Ref<relax::Call> callOf(const relax::Expr& expr, std::string_view op) const = 0;
};

/// What stands in the place of a bound call, or null where it stays.
using GroupRewrite = std::function<relax::Expr(const relax::Call&, const Earlier&)>;
/// Applies the rewriting to every bound call of the function; after each round aliases, values that are computed twice
/// and what is not needed any more go, and the next round sees the result.
Result<relax::FunctionRef> rewriteGroups(const relax::FunctionRef& function, Str pass, build::ModuleContext& context,
                                         const ir::IRModule* module, const pass::PassContext& passContext,
                                         const GroupRewrite& rewrite);

}  // namespace rx::transform
