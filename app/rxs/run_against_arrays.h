// rxs run --against FILE: one run beside the values that its bindings are known to have, from a file of arrays.
#pragma once

#include "app/rxs/reply.h"
#include "app/rxs/run_against.h"
#include "core/tensor/npy.h"

namespace rx::cli {

/// Whether --against names a file and no target or library.
bool isArrayFile(const std::string& against);

/// Runs the program, whose stages were kept, and compares each binding of the module that has the name of an array.
/// Of one that is off it is told whether it still is when what it is computed of comes from the arrays: its own error,
/// or inherited. kYes where none is off. Fails with what ended the run, with vm.cancelled, and with against.names where
/// no array has the name of a binding with a value.
Result<int> runAgainstArrays(const compile::Program& program, const ir::Module& module, const AgainstRun& run,
                             const std::vector<NamedTensor>& arrays, const std::string& file, Reply& reply);

}  // namespace rx::cli
