// AttachAttrLayoutFreeBuffers: kernels learn which of their buffers hold
// weights, whose layout is free to choose since weights are laid out once and
// not in every run.
#include <algorithm>
#include <unordered_set>

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

/// The call on a kernel that says which of the arguments are weights; null
/// where it calls no kernel of the module, and with `some` where none of them is a weight.
relax::Expr annotated(const relax::Call& call, const Weights& weights, bool some, build::ModuleContext& context) {
  const auto* var = as<relax::GlobalVar>(call.args[0]);
  const auto* args = as<relax::Tuple>(call.args[1]);
  auto kernel = var ? refAs<tir::PrimFunc>(context.functionOf(var)) : nullptr;
  if (!kernel || !args) return nullptr;
  std::vector<NodeRef> free;
  for (size_t i = 0; i < args->items.size(); ++i) {
    const relax::Expr& arg = args->items[i];
    if (isa<relax::Constant>(arg) || weights.contains(arg.get())) free.push_back(ir::intAttr(static_cast<int64_t>(i)));
  }
  if (some && free.empty()) return nullptr;
  const ir::BaseFunc said =
      ir::withFunctionAttr(kernel, "layout_free_buffers", ir::arrayAttr(Array<NodeRef>(std::move(free))));
  if (said == kernel) return nullptr;
  const auto own = lower::freshCopy(cast<tir::PrimFunc>(said));
  std::vector<relax::Expr> changed = call.args.vector();
  changed[0] = context.add(own, var->name.view());
  return make<relax::Call>(call.op, Array<relax::Expr>(std::move(changed)), call.attrs, call.sinfoArgs);
}

}  // namespace

Result<ir::Module> attachAttrLayoutFreeBuffers(const ir::Module& module, const ir::Attrs& options_,
                                               pass::PassContext& context) {
  const bool some = ir::boolAttrOf(options_, "only_with_weights", false);
  auto rewrite = [some](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
    const Weights weights = weightsOf(*function);
    auto update = [&](const relax::Call& call, build::BlockBuilder&) -> relax::Expr {
      const bool calls = isOp(Ref<relax::Call>(&call), "relax.call_tir") && call.args.size() >= 2;
      return calls ? annotated(call, weights, some, moduleContext) : nullptr;
    };
    return rewriteCalls(function, "AttachAttrLayoutFreeBuffers", moduleContext, update);
  };
  RX_TRY(attached, rewriteFunctions(module, context, rewrite));
  // The kernels that said nothing go where nobody calls them any more.
  return deadCodeElimination(attached, nullptr, context);
}

}  // namespace rx::transform
