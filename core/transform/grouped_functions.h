// Groups of bindings become functions of their own, and calls of them stand where the groups were.
#pragma once

#include "core/analysis/fusion_groups.h"
#include "core/pass/pass.h"

namespace rx::transform {

struct Grouping {
  Str pass;                                  ///< whose name the new bindings' origins carry
  bool liftConstants = true;                 ///< constants become parameters, else they stay in the function
  std::vector<relax::GlobalVarRef> entries;  ///< functions to look at; none = all that are not fused already
};

/// Every group of two bindings or more, and every one with attributes, becomes a private function with these attributes
/// and Primitive; equal ones are made once. Bindings move where a group needs them earlier.
Result<ir::Module> makeGroupedFunctions(const ir::Module& module, analysis::FusionGroups& groups,
                                        const Grouping& grouping, const pass::PassContext& context);

}  // namespace rx::transform
