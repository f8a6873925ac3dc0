// FuseTransposeMatmul: a product with a transposed matrix becomes one kernel that reads the matrix as it lies.
#include "core/legalize/legalize.h"
#include "core/transform/call_sites.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/composite_functions.h"
#include "core/transform/option_values.h"
#include "core/transform/pass_functions.h"
#include "core/transform/swapped_axes.h"

namespace rx::transform {

namespace {

constexpr std::string_view kComposite = "transpose_matmul_fuse";
constexpr std::string_view kPattern =
    R"(is_op("relax.matmul")(wildcard(), (turned := is_op("relax.permute_dims")(wildcard()))))";

/// The kernel in the place of a call of a matched function; the matrix comes first there.
relax::Expr callKernel(const relax::Call& call, const ir::IRModule& module, build::BlockBuilder& builder) {
  const auto* callee = as<relax::GlobalVar>(call.op);
  if (!callee || compositeOf(module.find(callee)) != kComposite || call.args.empty()) return nullptr;
  const auto ready = callWithInfo(Ref<relax::Call>(&call), builder);
  if (!ready) return nullptr;
  auto product = make<relax::Call>(op::opRef("relax.matmul"), Array<relax::Expr>{call.args.back(), call.args.front()},
                                   nullptr, Array<relax::StructInfo>(), ready->sinfo);
  Result<relax::Expr> kernel = legalize::legalizeTransposedMatmul(*product, builder);
  for (const Diagnostic& problem : kernel.diagnostics()) builder.report(problem);
  return kernel ? *kernel : nullptr;
}

}  // namespace

Result<ir::Module> fuseTransposeMatmul(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  RX_TRY(pattern, patternOption(kPattern, kComposite));
  const analysis::PatternId turned = *pattern.named("turned");
  auto check = [&](const analysis::PatternMatcher& match) {
    return swapsLastTwo(*as<relax::Call>(match.matched(turned)));
  };
  RX_TRY(grouped, groupByPattern(module, {Str(kComposite), pattern, check},
                                 {.pass = "FuseTransposeMatmul", .liftConstants = true, .entries = {}}, context));
  auto update = [&](const relax::Call& call, build::BlockBuilder& builder) {
    return callKernel(call, *grouped, builder);
  };
  return rewriteFunctions(grouped, context,
                          [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                            return rewriteCalls(function, "FuseTransposeMatmul", moduleContext, update);
                          });
}

}  // namespace rx::transform
