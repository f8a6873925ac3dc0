// rxs run --record: the values of a run in a file, for `rxs show` and the window.
#pragma once

#include <functional>
#include <string>

#include "core/compile/compile.h"
#include "core/debug/stage.h"
#include "core/runtime/machine.h"
#include "core/store/policy.h"

namespace rx::cli {

/// Runs a started machine, which keeps what its last step did, to its end and records it. `compileTime` are the
/// nanoseconds that were spent on the machine code of kernels so far. A recording that has to end before the run is a
/// warning. `before` are stages that led to the module that was compiled, the first of all is the one whose bindings
/// are told. Fails with `store.file`.
Result<std::vector<Diagnostic>> runRecorded(vm::Machine& machine, const compile::Program& program,
                                            const std::string& path, const store::Policy& policy,
                                            const std::function<int64_t()>& compileTime,
                                            const std::vector<std::shared_ptr<const debug::Stage>>& before = {});

}  // namespace rx::cli
