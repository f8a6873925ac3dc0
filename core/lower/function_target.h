// The target that a PrimFunc names in its attributes, as lowering asks for it.
#pragma once

#include <optional>

#include "core/ir/relax.h"
#include "core/lower/thread_reduction.h"
#include "core/target/target.h"

namespace rx::lower {

/// Key of the attribute that holds it, on functions and on regions of a body.
constexpr std::string_view kTargetKey = "target";

/// The function's target; null where it names none. Fails with target.* where it is none that this version knows.
Result<target::TargetRef> targetOf(const ir::BaseFuncNode& function);
/// The refusal of what asks for one where nobody names any: "intrinsics are lowered for a target", and what to do.
Failure withoutTarget(std::string_view what);
/// A copy of the function with this target.
tir::PrimFuncRef withTarget(const tir::PrimFuncRef& function, const target::TargetRef& target);

/// Whether the function runs on the host: it says so, or its target has the key "cpu". False where it names no target.
bool isHostFunction(const tir::PrimFunc& function);
/// Number of DLPack for the devices of the function's target; null where it names none.
tir::PrimExpr deviceTypeOf(const tir::PrimFunc& function);

/// What reductions over threads may use on the function's target; nothing where it names none.
std::optional<WarpFacts> warpFactsOf(const tir::PrimFunc& function);

}  // namespace rx::lower
