// What a turn of a loop of machine code costs, by what LLVM's analyser (MCA) knows of the processor. Only files that
// make code include this header, because of LLVM's.
#pragma once

#include <llvm/Target/TargetMachine.h>

#include "core/codegen/assembly_text.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

namespace rx::codegen {

/// Fills in the turns of the innermost loops of `code`, which `machine` wrote, and by whose table; or why nobody knows.
/// Every line of a loop is taken as run once a turn, and all memory as in the nearest cache. Fails with pass.cancelled.
Result<Unit> addTurns(const llvm::TargetMachine& machine, const CancelToken& cancel, MachineCode& code);

}  // namespace rx::codegen
