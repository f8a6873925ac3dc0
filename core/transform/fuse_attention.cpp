// FuseAttention: products, softmax and products again become one function, which FuseTIR makes one kernel of: its
// schedule then works through it in tiles of rows, and the scores never leave the nearest caches.
#include <fmt/format.h>

#include "core/analysis/pattern_reader.h"
#include "core/op/rules.h"
#include "core/transform/calls.h"
#include "core/transform/composite_functions.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

/// Scores, scaled or not, masked or not, and what their softmax weighs.
constexpr std::string_view kAttention = R"(
is_op("relax.matmul")(
  (weights := is_op("relax.nn.softmax")(
    is_op("relax.add")(is_op("relax.multiply")(is_op("relax.matmul")(wildcard(), wildcard()), wildcard()), wildcard())
    | is_op("relax.add")(is_op("relax.divide")(is_op("relax.matmul")(wildcard(), wildcard()), wildcard()), wildcard())
    | is_op("relax.add")(is_op("relax.matmul")(wildcard(), wildcard()), wildcard())
    | is_op("relax.multiply")(is_op("relax.matmul")(wildcard(), wildcard()), wildcard())
    | is_op("relax.divide")(is_op("relax.matmul")(wildcard(), wildcard()), wildcard())
    | is_op("relax.matmul")(wildcard(), wildcard()))),
  wildcard()))";

/// Whether the weights are those of the last axis.
bool isAttention(const analysis::DataflowPattern& pattern, const analysis::PatternMatcher& match) {
  const auto softmax = refAs<relax::Call>(match.matched(*pattern.named("weights")));
  const Array<tir::PrimExpr>* shape = softmax ? op::dimsOf(softmax->sinfo) : nullptr;
  if (!shape) return false;
  const int64_t axis = ir::intAttrOf(softmax->attrs, "axis", -1);
  return axis == -1 || axis == static_cast<int64_t>(shape->size()) - 1;
}

}  // namespace

Result<ir::Module> fuseAttention(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  RX_TRY(pattern, analysis::readPattern(kAttention));
  const auto check = [&](const analysis::PatternMatcher& match) { return isAttention(pattern, match); };
  RX_TRY(groups, patternGroups(module, {Str("attention"), pattern, check}, {}, context));
  // The functions stand for no pattern of a library.
  for (uint32_t group = 0; group < groups.size(); ++group) groups[group].attrs = nullptr;
  return makeGroupedFunctions(module, groups, {.pass = "FuseAttention", .liftConstants = true, .entries = {}}, context);
}

}  // namespace rx::transform
