#include "core/lower/function_target.h"

#include <fmt/format.h>

#include "core/ir/all_nodes.h"
#include "core/target/device_kinds.h"

namespace rx::lower {

using target::TargetRef;

Result<TargetRef> targetOf(const ir::BaseFuncNode& function) {
  const NodeRef value = ir::attrOf(function.attrs, kTargetKey);
  if (!value || isa<ir::NullAttr>(value)) return TargetRef();
  return target::targetOf(value);
}

Failure withoutTarget(std::string_view what) {
  Diagnostic refused = errorAt({}, "lower.no-target", fmt::format("{}, and the function names none", what));
  refused.fix = "name a target for all passes, or run BindTarget(target=\"llvm\") first, or with that of a device";
  return fail(std::vector<Diagnostic>{std::move(refused)});
}

tir::PrimFuncRef withTarget(const tir::PrimFuncRef& function, const TargetRef& target) {
  return cast<tir::PrimFunc>(ir::withFunctionAttr(function, Str(kTargetKey), target->form()));
}

bool isHostFunction(const tir::PrimFunc& function) {
  if (ir::boolAttrOf(function.attrs, "tirx.is_host_func", false)) return true;
  const Result<TargetRef> target = targetOf(function);
  return target && *target && (*target)->hasKey("cpu");
}

tir::PrimExpr deviceTypeOf(const tir::PrimFunc& function) {
  const Result<TargetRef> target = targetOf(function);
  return target && *target ? tir::intImm((*target)->deviceType(), DataType::Int(32)) : nullptr;
}

std::optional<WarpFacts> warpFactsOf(const tir::PrimFunc& function) {
  const Result<TargetRef> target = targetOf(function);
  if (!target || !*target) return std::nullopt;
  const std::string_view kind = (*target)->kind();
  WarpFacts warp;
  warp.masks = target::hasTrait(kind, target::DeviceTrait::WarpMasks);
  warp.shuffles = target::hasTrait(kind, target::DeviceTrait::WarpShuffles);
  warp.wholeWarps = target::hasTrait(kind, target::DeviceTrait::WholeWarps);
  warp.warpSize = (*target)->number("thread_warp_size").value_or(1);
  warp.mostThreads = (*target)->number("max_num_threads").value_or(-1);
  return warp;
}

}  // namespace rx::lower
