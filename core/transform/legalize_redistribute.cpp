// LegalizeRedistribute: a change of placement becomes the communication that makes it, or nothing where nothing
// changes.
#include <fmt/format.h>

#include "core/ir/structural_equal.h"
#include "core/transform/call_sites.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/distributed_function.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::DTensorStructInfo;

Result<relax::Expr> legalized(const relax::Call& call) {
  auto refuse = [&](std::string why) { return fail(errorAt(call.span, "pass.sharding", std::move(why))); };
  const relax::Expr& input = call.args[0];
  const auto* from = as<DTensorStructInfo>(input->sinfo);
  const auto* to = as<DTensorStructInfo>(call.sinfo);
  if (!from || !to) return refuse("only a distributed tensor can be redistributed");
  if (!structuralEqual(from->deviceMesh, to->deviceMesh)) return refuse("tensors are not moved between device meshes");
  RX_TRY(before, dividedAxis(*from, call.span));
  RX_TRY(after, dividedAxis(*to, call.span));
  if (before == after) return input;
  if (before >= 0) {
    return refuse(after < 0
                      ? fmt::format("parts along axis {} are not gathered", before)
                      : fmt::format("parts along axis {} are not exchanged for parts along axis {}", before, after));
  }
  return relax::Expr(
      op::makeCall("relax.dist.redistribute_replica_to_shard", {input},
                   {{"num_workers", ir::intAttr(to->deviceMesh->shape[0])}, {"axis", ir::intAttr(after)}}));
}

}  // namespace

Result<ir::Module> legalizeRedistribute(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  auto update = [](const relax::Call& call, build::BlockBuilder& builder) -> relax::Expr {
    if (!isOp(relax::Expr(&call), "relax.dist.redistribute")) return nullptr;
    const auto known = callWithInfo(Ref<relax::Call>(&call), builder);
    if (!known) return nullptr;
    Result<relax::Expr> result = legalized(*known);
    if (result) return *result;
    for (const Diagnostic& problem : result.diagnostics()) builder.report(problem);
    return nullptr;
  };
  return rewriteFunctions(module, context,
                          [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                            return rewriteCalls(function, "LegalizeRedistribute", moduleContext, update);
                          });
}

}  // namespace rx::transform
