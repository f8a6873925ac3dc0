// FuseOps: kernels that can run as one become one function, by their operator patterns and TVM's rules of fusion.
#include <fmt/format.h>

#include "core/pass/config.h"
#include "core/pass/options.h"
#include "core/transform/grouped_functions.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using analysis::FusionStop;
using analysis::OpPattern;

std::string_view nameOf(OpPattern pattern) {
  switch (pattern) {
    case OpPattern::ElementWise:
      return "element-wise";
    case OpPattern::Broadcast:
      return "a broadcast";
    case OpPattern::Injective:
      return "injective";
    case OpPattern::Reduction:
      return "a reduction";
    case OpPattern::OutEwiseFusable:
      return "an operator that only element-wise ones follow";
    case OpPattern::Tuple:
      return "a tuple";
    case OpPattern::Opaque:
      return "opaque";
  }
  return "";
}

std::string stopText(const FusionStop& stop, int64_t maxDepth) {
  const std::string_view sink = stop.sink ? stop.sink->name.view() : "";
  const std::string_view at = stop.at ? stop.at->name.view() : "";
  switch (stop.rule) {
    case FusionStop::Rule::None:
      break;
    case FusionStop::Rule::Level:
      return "not fused: fuse_opt_level is 0";
    case FusionStop::Rule::Opaque:
      return "not fused: it is opaque, a call of no kernel with a pattern that can be fused";
    case FusionStop::Rule::Outside:
      return "not fused: its result is seen outside the dataflow block";
    case FusionStop::Rule::NoSink:
      return "not fused: no later kernel lies behind all uses of its result";
    case FusionStop::Rule::Depth:
      return fmt::format("not fused with {}: together they would be more than {} kernels", sink, maxDepth);
    case FusionStop::Rule::Read:
      return fmt::format("not fused with {}: what it gives is not read element by element on the way there", sink);
    case FusionStop::Rule::Reduction:
      return fmt::format("not fused with {}: a reduction ends its group", sink);
    case FusionStop::Rule::Between:
      return at == sink ? fmt::format("not fused with {}, which is {}", sink, nameOf(stop.pattern))
                        : fmt::format("not fused with {}: {}, on the way there, is {}", sink, at, nameOf(stop.pattern));
  }
  return {};
}

}  // namespace

Result<ir::Module> fuseOps(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  int64_t level = pass::numberOf(options_, "fuse_opt_level");
  if (level == -1) level = context.optLevel;
  const int64_t depth = pass::configNumber(context, "relax.FuseOps.max_depth");
  const analysis::ForwardGraph graph(*module);
  std::vector<FusionStop> stops;
  analysis::FusionGroups groups =
      analysis::fuseGroups(graph.nodes(), level, depth, context.cancel, context.remarks ? &stops : nullptr);
  for (size_t i = 0; i < stops.size(); ++i) {
    if (stops[i].rule == FusionStop::Rule::None) continue;
    context.remarks->push_back({relax::VarRef(as<relax::Var>(graph.nodes()[i].node)), stopText(stops[i], depth)});
  }
  return makeGroupedFunctions(module, groups, {.pass = "FuseOps", .liftConstants = true, .entries = {}}, context);
}

}  // namespace rx::transform
