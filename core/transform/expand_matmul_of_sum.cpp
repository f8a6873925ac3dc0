// ExpandMatmulOfSum: x (a + b) becomes x a + x b, so that a small correction b of large weights a need not be added up.
#include "core/analysis/compile_time.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"
#include "core/transform/pattern_rewrite.h"

namespace rx::transform {

namespace {

using relax::Expr;
using CompileTime = std::unordered_set<const relax::Var*>;

Expr expanded(const relax::Call& call, const Earlier& earlier, const CompileTime& known) {
  const auto matmul = callOf(Ref<relax::Call>(&call), "relax.matmul");
  if (!matmul) return nullptr;
  const auto permute = earlier.callOf(matmul->args[1], "relax.permute_dims");
  const auto sum = earlier.callOf(permute ? permute->args[0] : matmul->args[1], "relax.add");
  if (!sum) return nullptr;
  Expr a = sum->args[0], b = sum->args[1];
  // A sum of weights is better added up before the run.
  if (known.contains(as<relax::Var>(a)) && known.contains(as<relax::Var>(b))) return nullptr;
  auto product = [&](const Expr& part) {
    Expr rhs =
        permute ? op::makeCall("relax.permute_dims", {part}, {{"axes", ir::attrOf(permute->attrs, "axes")}}) : part;
    return op::makeCall("relax.matmul", {matmul->args[0], rhs});
  };
  return op::makeCall("relax.add", {product(a), product(b)});
}

}  // namespace

Result<ir::Module> expandMatmulOfSum(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return rewriteFunctions(
      module, context, [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
        const CompileTime known = analysis::compileTimeVars(*function);
        return rewriteGroups(
            function, "ExpandMatmulOfSum", moduleContext, module.get(), context,
            [&](const relax::Call& call, const Earlier& earlier) { return expanded(call, earlier, known); });
      });
}

}  // namespace rx::transform
