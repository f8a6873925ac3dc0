// How many turns the loops of a kernel make: its loops get numbers that its assembly says, and a second code of it
// counts them. Only files that make code include this header, because of LLVM's.
#pragma once

#include <llvm/IR/Module.h>

#include <cstdint>
#include <vector>

namespace rx::codegen {

/// Names the first block of each loop of an optimized module by its number (kLoopName), the same for the same module.
void numberLoops(llvm::Module& module);

/// Has each loop add its turns to `turns`, by its number, when its function returns; any number of threads at once.
void countTurns(llvm::Module& module, std::vector<uint64_t>& turns);

}  // namespace rx::codegen
