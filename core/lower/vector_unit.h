// What of a target decides how loops become vectors.
#pragma once

#include "core/ir/relax.h"
#include "core/lower/scope.h"
#include "core/target/target.h"

namespace rx::lower {

struct VectorUnit {
  bool scalable = false;  ///< vectors of a length that only a run knows
  bool riscv = false;     ///< those of RISC-V
};

VectorUnit vectorUnitOf(const target::Target& target);
/// That of a target as the IR holds it; none where it is no target that this version knows.
VectorUnit vectorUnitOf(const NodeRef& target);
/// That of the function's own target, else of the one that the passes run for.
VectorUnit vectorUnitOf(const tir::PrimFunc& function, const pass::PassContext& context);

}  // namespace rx::lower
