// core/dap/server: the answering end of the protocol, what `rxs dap` is. It owns a debug session, runs it on a thread
// of its own, and gets compiled programs from a Host, so that it does not depend on passes and code generation itself.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/dap/rx_requests.h"
#include "core/dap/server/write_policy.h"
#include "core/debug/machine_history.h"
#include "core/debug/stepped_kernel.h"
#include "core/support/cancel.h"

namespace rx::dap {

/// What there is to say of the arguments of a run.
struct ArgumentReport {
  std::vector<ParameterCheck> checks;
  std::vector<std::string> notes;  ///< a line each: what nobody asked for, such as generated inputs
};

/// A compiled module, shared by the runs of it.
struct LoadedProgram {
  Ref<vm::Executable> executable;
  std::shared_ptr<vm::KernelProvider> kernels;         ///< may be null
  std::shared_ptr<const vm::PackedRegistry> registry;  ///< packed functions; null: the builtins
  /// What there is to say, since it was asked last, of what a device does not do itself; may be null.
  std::function<std::vector<std::string>()> notes;
  std::function<int64_t()> compileTime;                     ///< nanoseconds spent on compiling them so far; may be null
  std::vector<std::shared_ptr<const debug::Stage>> stages;  ///< at least the imported one
  int64_t passesRun = 0;                                    ///< of those that made the stages, here
  std::function<std::string(const ir::Module&)> print;      ///< text of a stage; null where there is none
  std::vector<std::string> functions;                       ///< that a user may run
  /// The values of the function's parameters, of a program that came without a module; null: Host::arguments.
  std::function<Result<std::vector<vm::Value>>(const LaunchArguments&)> arguments;
  /// Whether a function that the program calls is a kernel whose threads can be stepped; null where none is.
  std::function<bool(std::string_view function)> hasThreads;
  /// Its threads, given what it is called with, which stays as it is.
  std::function<Result<std::unique_ptr<debug::SteppedKernel>>(std::string_view function, std::vector<debug::Value>,
                                                              const CancelToken&)>
      stepInto;
};

struct Host {
  /// Compiles what the arguments name (program, ir, module, passes). May take long; polls the token.
  std::function<Result<std::shared_ptr<LoadedProgram>>(const LaunchArguments&, const CancelToken&)> load;
  /// The values of the function's parameters, from files or the seed, checked by name. How each fits is written to the
  /// report, also where they are refused.
  std::function<Result<std::vector<vm::Value>>(const LoadedProgram&, const LaunchArguments&, ArgumentReport*)>
      arguments;
  /// Where a client may have files written: traces, values.
  WritePolicy writes;
};

}  // namespace rx::dap
