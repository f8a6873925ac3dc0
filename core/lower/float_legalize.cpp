// BF16ComputeLegalize, BF16StorageLegalize, FP8ComputeLegalize, FP8StorageLegalize.
#include <fmt/format.h>

#include "core/ir/all_nodes.h"
#include "core/lower/float_legalizer.h"
#include "core/lower/function_target.h"
#include "core/lower/pass_functions.h"
#include "core/target/device_kinds.h"

namespace rx::lower {

using tir::PrimFuncRef;

namespace {

bool knownToDevice(const tir::PrimFunc& function, target::FloatFamily family) {
  const Result<target::TargetRef> target = targetOf(function);
  return target && *target && target::computesIn(**target, family);
}

}  // namespace

Result<PrimFuncRef> bf16ComputeLegalize(const PrimFuncRef& func, Scope&) {
  if (knownToDevice(*func, target::FloatFamily::BFloat16)) return func;
  return legalizeFloatCompute(func, isBFloat16, DataType::Float(32));
}

Result<PrimFuncRef> bf16StorageLegalize(const PrimFuncRef& func, Scope&) {
  if (knownToDevice(*func, target::FloatFamily::BFloat16)) return func;
  return legalizeFloatStorage(func, isBFloat16);
}

Result<PrimFuncRef> fp8ComputeLegalize(const PrimFuncRef& func, Scope& scope) {
  const std::string_view name = ir::strAttrOf(scope.options, "promote_dtype");
  const auto wide = DataType::parse(name);
  if (wide != DataType::Float(16) && wide != DataType::Float(32)) {
    return fail("pass.option-kind", fmt::format("promote_dtype is float16 or float32, not {}", name));
  }
  if (knownToDevice(*func, target::FloatFamily::Float8)) return func;
  return legalizeFloatCompute(func, isFloat8, *wide);
}

Result<PrimFuncRef> fp8StorageLegalize(const PrimFuncRef& func, Scope&) {
  if (knownToDevice(*func, target::FloatFamily::Float8)) return func;
  return legalizeFloatStorage(func, isFloat8);
}

}  // namespace rx::lower
