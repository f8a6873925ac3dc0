// FuseOps: kernels that can run as one become one function, by their operator patterns and TVM's rules of fusion.
#include <fmt/format.h>

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/legalize/legalize.h"
#include "core/pass/config.h"
#include "core/pass/context_pass.h"
#include "core/pass/options.h"
#include "core/transform/fused_kernel.h"
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

/// What gives an operator a kernel, and a kernel the pattern that it lacks; empty where nothing does.
std::string_view patternPasses(const relax::Call& call, const ir::IRModule& module) {
  const auto* op = as<relax::Op>(call.op);
  if (op && legalize::canBeWritten(op->name.view())) return "LegalizeOps(), AnnotateTIROpPattern()";
  const tir::PrimFunc* kernel = analysis::kernelOf(call, module);
  return kernel && !ir::attrOf(kernel->attrs, "op_pattern") ? "AnnotateTIROpPattern()" : "";
}

/// The same for each variable that is bound to a call.
std::unordered_map<const Node*, std::string_view> patternPasses(const ir::IRModule& module) {
  std::unordered_map<const Node*, std::string_view> passes;
  for (const auto& function : module.functions) {
    walkOnce(*function, Into::Parts, [&](const Node& node) {
      const auto* binding = as<relax::VarBinding>(&node);
      const auto* call = binding ? as<relax::Call>(binding->value) : nullptr;
      if (call) passes.emplace(binding->var.get(), patternPasses(*call, module));
      return !isa<tir::ExprNode>(&node) && !isa<tir::PrimFunc>(&node);
    });
  }
  return passes;
}

/// Says of the variables that were not fused why, and what would let them be.
void remarkOn(const std::vector<FusionStop>& stops, const analysis::ForwardGraph& graph, int64_t depth,
              const ir::IRModule& module, pass::PassContext& context) {
  const auto passes = patternPasses(module);
  std::map<std::string_view, size_t> lacking;
  size_t deep = 0;
  for (size_t i = 0; i < stops.size(); ++i) {
    if (stops[i].rule == FusionStop::Rule::None) continue;
    const Node* node = graph.nodes()[i].node;
    context.remarks->push_back({relax::VarRef(as<relax::Var>(node)), stopText(stops[i], depth)});
    deep += stops[i].rule == FusionStop::Rule::Depth;
    const auto at = passes.find(node);
    if (stops[i].rule == FusionStop::Rule::Opaque && at != passes.end() && !at->second.empty()) ++lacking[at->second];
  }
  for (const auto& [before, count] : lacking) sayWay(context, count, {.before = std::string(before)});
  if (deep > 0) sayWay(context, deep, {.config = "relax.FuseOps.max_depth", .value = std::to_string(depth * 2)});
}

/// Bytes of a tensor of known size; nothing for anything else.
std::optional<double> bytesOf(const analysis::ForwardNode& node) {
  const auto* var = as<relax::Var>(node.node);
  const auto* tensor = var ? as<relax::TensorStructInfo>(var->sinfo) : nullptr;
  const auto* shape = tensor ? as<relax::ShapeExpr>(tensor->shape) : nullptr;
  if (!shape || tensor->dtype.bits == 0) return std::nullopt;
  double bytes = tensor->dtype.bits / 8.0;
  for (const tir::PrimExpr& extent : shape->values) {
    const auto known = tir::asInt(extent);
    if (!known) return std::nullopt;
    bytes *= static_cast<double>(*known);
  }
  return bytes;
}

/// Values that kernels declare as different buffers (the sizes of other types, say): no kernel can be made of those.
std::unordered_set<const Node*> declaredApart(const ir::IRModule& module) {
  std::unordered_map<const Node*, tir::BufferRef> known;
  std::unordered_set<const Node*> apart;
  for (const auto& each : module.functions) {
    const auto* function = as<relax::Function>(each);
    if (!function) continue;
    eachKernelBuffer(*function, module, [&](const Node& value, const tir::BufferRef& buffer, Span) {
      const auto [first, isNew] = known.try_emplace(&value, buffer);
      if (!isNew && !structuralEqual(first->second, buffer)) apart.insert(&value);
    });
  }
  return apart;
}

/// Nodes that unpack what a product reads, as weights of few bits are: injective kernels, one behind another, each read
/// by the next alone, that begin with at most two thirds of the bytes which they give: half of them and scales, say.
/// What they read and give is declared alike by all kernels.
std::vector<uint32_t> unpackedInProducts(const std::vector<analysis::ForwardNode>& nodes, const ir::IRModule& module) {
  constexpr double kLeast = 1.5;
  const std::unordered_set<const Node*> apart = declaredApart(module);
  std::unordered_set<const analysis::ForwardNode*> alone;
  for (const analysis::ForwardNode& node : nodes) {
    if (!apart.contains(node.node)) continue;
    alone.insert(&node);
    for (const analysis::ForwardEdge& use : node.uses) alone.insert(&nodes[use.to]);
  }
  const auto moves = [&](const analysis::ForwardNode& node) {
    return node.pattern <= OpPattern::Injective && !node.outside && node.uses.size() == 1 && !alone.contains(&node);
  };
  std::vector<std::optional<double>> begins(nodes.size(), 0);  ///< bytes that a chain begins with
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!moves(nodes[i])) begins[i] = bytesOf(nodes[i]);
    for (const analysis::ForwardEdge& use : nodes[i].uses)
      begins[use.to] = begins[i] && begins[use.to] ? std::optional(*begins[use.to] + *begins[i]) : std::nullopt;
  }
  std::vector<bool> joins(nodes.size());
  std::vector<uint32_t> found;
  for (auto i = static_cast<uint32_t>(nodes.size()); i-- > 0;) {
    if (!moves(nodes[i])) continue;
    const uint32_t reader = nodes[i].uses.front().to;
    const auto gives = bytesOf(nodes[i]);
    joins[i] = begins[i] && gives && *begins[i] * kLeast <= *gives &&
               (joins[reader] || nodes[reader].pattern == OpPattern::OutEwiseFusable);
    if (joins[i]) found.push_back(i);
  }
  return found;
}

}  // namespace

Result<ir::Module> fuseOps(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  int64_t level = pass::numberOf(options_, "fuse_opt_level");
  if (level == -1) level = context.optLevel;
  const int64_t depth = pass::configNumber(context, "relax.FuseOps.max_depth");
  const analysis::ForwardGraph graph(*module);
  std::vector<FusionStop> stops;
  std::vector<uint32_t> ahead;
  if (ir::boolAttrOf(options_, "unpack_in_products", false)) ahead = unpackedInProducts(graph.nodes(), *module);
  analysis::FusionGroups groups =
      analysis::fuseGroups(graph.nodes(), level, depth, context.cancel, context.remarks ? &stops : nullptr, ahead);
  if (context.remarks) remarkOn(stops, graph, depth, *module, context);
  return makeGroupedFunctions(module, groups, {.pass = "FuseOps", .liftConstants = true, .entries = {}}, context);
}

}  // namespace rx::transform
