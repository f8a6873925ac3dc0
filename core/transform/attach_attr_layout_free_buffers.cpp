// AttachAttrLayoutFreeBuffers: kernels learn which of their buffers hold
// weights, whose layout is free to choose since weights are laid out once and
// not in every run.
#include <algorithm>
#include <unordered_set>

#include "core/ir/structural_equal.h"
#include "core/lower/fresh.h"
#include "core/transform/call_sites.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using Weights = std::unordered_set<const Node*>;

/// The parameters behind the first num_input ones; none where the function does
/// not say how many those are.
Weights weightsOf(const relax::Function& function) {
  Weights weights;
  const size_t params = function.params.size();
  if (!ir::attrOf(function.attrs, "num_input")) return weights;
  const int64_t inputs = std::max<int64_t>(0, ir::intAttrOf(function.attrs, "num_input", 0));
  for (size_t i = static_cast<size_t>(inputs); i < params; ++i) weights.insert(function.params[i].get());
  return weights;
}

/// The numbers of the arguments that are weights.
std::vector<NodeRef> freeOf(const relax::Tuple& args, const Weights& weights) {
  std::vector<NodeRef> free;
  for (size_t i = 0; i < args.items.size(); ++i) {
    const relax::Expr& arg = args.items[i];
    if (isa<relax::Constant>(arg) || weights.contains(arg.get())) free.push_back(ir::intAttr(static_cast<int64_t>(i)));
  }
  return free;
}

/// The kernels that are called with the same arguments as weights wherever they are used: these keep their names.
std::unordered_set<std::string_view> calledAlike(const ir::IRModule& module) {
  Weights weights;
  for (const ir::BaseFunc& function : module.functions)
    if (const auto* caller = as<relax::Function>(function)) weights.merge(weightsOf(*caller));
  std::unordered_set<std::string_view> alike;
  for (const auto& [name, calls] : plainKernelCalls(module)) {
    const auto freeIn = [&](const relax::Call* call) {
      return ir::arrayAttr(Array<NodeRef>(freeOf(*as<relax::Tuple>(call->args[1]), weights)));
    };
    const bool same = std::all_of(calls.begin(), calls.end(), [&](const relax::Call* call) {
      return structuralEqual(freeIn(call), freeIn(calls.front()));
    });
    if (same) alike.insert(name);
  }
  return alike;
}

/// The call on a kernel that says which of the arguments are weights; null where the call stays: it calls no kernel of
/// the module, or one of `alike`, which says so from then on, or with `some` none of them is a weight.
relax::Expr annotated(const relax::Call& call, const Weights& weights, bool some,
                      const std::unordered_set<std::string_view>& alike, build::ModuleContext& context) {
  const auto* var = as<relax::GlobalVar>(call.args[0]);
  const auto* args = as<relax::Tuple>(call.args[1]);
  auto kernel = var ? refAs<tir::PrimFunc>(context.functionOf(var)) : nullptr;
  if (!kernel || !args) return nullptr;
  std::vector<NodeRef> free = freeOf(*args, weights);
  if (some && free.empty()) return nullptr;
  const ir::BaseFunc said =
      ir::withFunctionAttr(kernel, "layout_free_buffers", ir::arrayAttr(Array<NodeRef>(std::move(free))));
  if (said == kernel) return nullptr;
  if (alike.contains(var->name.view())) {
    context.update(context.module()->findVar(var->name.view()), said);
    return nullptr;
  }
  const auto own = lower::freshCopy(cast<tir::PrimFunc>(said));
  std::vector<relax::Expr> changed = call.args.vector();
  changed[0] = context.add(own, var->name.view());
  return make<relax::Call>(call.op, Array<relax::Expr>(std::move(changed)), call.attrs, call.sinfoArgs);
}

}  // namespace

Result<ir::Module> attachAttrLayoutFreeBuffers(const ir::Module& module, const ir::Attrs& options_,
                                               pass::PassContext& context) {
  const bool some = ir::boolAttrOf(options_, "only_with_weights", false);
  // Ours; where all calls are looked at, each kernel is one of its own, as TVM makes it.
  const auto alike = some ? calledAlike(*module) : std::unordered_set<std::string_view>();
  auto rewrite = [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
    const Weights weights = weightsOf(*function);
    auto update = [&](const relax::Call& call, build::BlockBuilder&) -> relax::Expr {
      const bool calls = isOp(Ref<relax::Call>(&call), "relax.call_tir") && call.args.size() >= 2;
      return calls ? annotated(call, weights, some, alike, moduleContext) : nullptr;
    };
    return rewriteCalls(function, "AttachAttrLayoutFreeBuffers", moduleContext, update);
  };
  RX_TRY(attached, rewriteFunctions(module, context, rewrite));
  // The kernels that said nothing go where nobody calls them any more.
  return deadCodeElimination(attached, nullptr, context);
}

}  // namespace rx::transform
