#include "app/rxs/run_against.h"

#include "app/rxs/run_recording.h"
#include "app/rxs/verbs.h"
#include "core/debug/first_difference.h"
#include "core/support/memory_limit.h"
#include "core/support/temporary_folder.h"

namespace rx::cli {
namespace {

/// The recording of a run to its end, in a file of a folder.
Result<std::unique_ptr<debug::Recording>> recorded(const compile::Program& program, const AgainstRun& run,
                                                   const std::string& path) {
  vm::MachineOptions options;
  RX_TRY(kernels, compile::kernelsOf(program, {}, nullptr));
  options.kernels = kernels;
  options.registry = run.registry;
  options.record = true;
  const MemoryLimit memory = memoryLimit();
  options.limits.maxMemory = static_cast<int64_t>(std::min<uint64_t>(memory.bytes, INT64_MAX));
  options.limits.memoryFrom = "the budget is " + memory.why;
  RX_TRY(machine, vm::Machine::create(program.executable, std::move(options)));
  RX_CHECK(machine->start(run.function, run.arguments));
  RX_TRY(policy, policyNamed("everything"));
  RX_TRY(warnings, runRecorded(*machine, program, path, policy, [] { return int64_t{0}; }));
  if (machine->fault()) return fail(machine->fault()->diagnostics);
  if (!warnings.empty()) return fail(warnings);
  return debug::Recording::open(path);
}

}  // namespace

int runAgainst(const compile::Program& program, const compile::Program& other, const AgainstRun& run, Reply& reply) {
  auto folder = TemporaryFolder::make("rxs-against");
  if (!folder) return reply.refuse(folder.diagnostics());
  auto ours = recorded(program, run, folder->file("run.rxtrace"));
  if (!ours) return reply.refuse(ours.diagnostics());
  auto theirs = recorded(other, run, folder->file("against.rxtrace"));
  if (!theirs) return reply.refuse(theirs.diagnostics());
  const auto compared = debug::firstDifference(**ours, **theirs);
  if (!compared) return reply.refuse(compared.diagnostics());
  reply.fields()["agree"] = compared->agree;
  reply.fields()["in_one_run"] = compared->absent;
  const std::string apart = compared->absent.empty()
                                ? ""
                                : fmt::format("; {} have a value in one run alone", fmt::join(compared->absent, ", "));
  if (!compared->first) {
    reply.print(fmt::format("the runs agree on the {} values that both have{}\n", compared->agree, apart));
    return kYes;
  }
  const debug::BindingDifference& first = *compared->first;
  reply.print(
      fmt::format("{} of {} is the first binding that differs, given by {}: {}\n{} values before it agree{}: the "
                  "difference {}\n",
                  first.binding, first.function, first.callee, first.what, compared->agree, apart,
                  compared->absent.empty() ? "is its own" : "may come from there"));
  reply.fields()["first"] = {{"function", first.function},
                             {"binding", first.binding},
                             {"callee", first.callee},
                             {"what", first.what},
                             {"own", compared->absent.empty()}};
  return kNo;
}

}  // namespace rx::cli
