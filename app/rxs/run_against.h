// rxs run --against: one run on a target beside one on another, binding by binding.
#pragma once

#include "app/rxs/reply.h"
#include "core/compile/compile.h"
#include "core/debug/recording.h"
#include "core/runtime/machine.h"

namespace rx::cli {

/// How a program is run: what all runs of a comparison share.
struct AgainstRun {
  std::string function;
  std::vector<vm::Value> arguments;
  std::shared_ptr<const vm::PackedRegistry> registry;
  CancelToken cancel;  ///< of the runs, and of what compares them
};

/// A machine that is started on the arguments of a run and keeps what each step did, for a recording.
Result<std::unique_ptr<vm::Machine>> startedMachine(const compile::Program& program,
                                                    std::shared_ptr<vm::KernelProvider> kernels, const AgainstRun& run);

struct RecordedRun {
  std::unique_ptr<debug::Recording> run;
  std::shared_ptr<vm::KernelProvider> kernels;
};
/// The recording of a run to its end, in this file. Fails with what ended it.
Result<RecordedRun> recordedRun(const compile::Program& program, const AgainstRun& run, const std::string& path);

/// Runs both programs, whose stages were kept, on the same arguments and says of which binding of the module they first
/// give two values. kYes where there is none. Fails with what ended a run, and with vm.cancelled.
Result<int> runAgainst(const compile::Program& program, const compile::Program& other, const AgainstRun& run,
                       Reply& reply);

}  // namespace rx::cli
