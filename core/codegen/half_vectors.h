// Vectors of float16 for processors that compute with none.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

namespace rx::codegen {

/// Compares vectors of float16 as float32, and chooses between them as between integers of 16 bits, which gives the
/// same bits: LLVM's translation would take each lane by itself. Behind LLVM's passes, which would take that back.
/// Nothing changes where the machine computes with float16.
void widenHalfVectors(llvm::Module& module, const llvm::TargetMachine& machine);

}  // namespace rx::codegen
