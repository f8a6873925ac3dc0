// FuseOps: kernels that can run as one become one function, by their operator patterns and TVM's rules of fusion.
#include "core/pass/config.h"
#include "core/pass/options.h"
#include "core/transform/grouped_functions.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

Result<ir::Module> fuseOps(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  int64_t level = pass::numberOf(options_, "fuse_opt_level");
  if (level == -1) level = context.optLevel;
  const int64_t depth = pass::configNumber(context, "relax.FuseOps.max_depth");
  analysis::FusionGroups groups = analysis::fuseGroups(analysis::ForwardGraph(*module), level, depth, context.cancel);
  return makeGroupedFunctions(module, groups, {.pass = "FuseOps", .liftConstants = true, .entries = {}}, context);
}

}  // namespace rx::transform
