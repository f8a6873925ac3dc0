#include "app/rxs/run_against.h"

#include <algorithm>

#include "app/rxs/run_recording.h"
#include "app/rxs/verbs.h"
#include "core/debug/first_difference.h"
#include "core/runtime/placement.h"
#include "core/support/memory_limit.h"
#include "core/support/temporary_folder.h"

namespace rx::cli {
namespace {

/// What the instruction of a step was given, in host memory of its own; nothing where that is no value for a kernel.
Result<std::optional<std::vector<vm::Value>>> givenTo(const vm::Executable& executable, const debug::Recording& run,
                                                      uint32_t step) {
  RX_TRY(row, run.reader().step(step));
  const vm::Instruction& instruction = executable.instruction(row.instruction);
  std::vector<vm::Value> given;
  for (size_t i = 0; i < instruction.args.size(); ++i) {
    const vm::Arg arg = instruction.arg(i);
    if (arg.kind == vm::ArgKind::Constant) {
      given.push_back(executable.constants()[static_cast<size_t>(arg.value)]);
      continue;
    }
    if (arg.kind != vm::ArgKind::Register || arg.value >= vm::kRegisterLimit) return std::nullopt;
    RX_TRY(value, run.valueAt({step, row.activation, static_cast<uint32_t>(arg.value)}));
    if (value.kind == debug::ValueKind::Tensor) {
      RX_TRY(own, value.tensor->copy());
      given.push_back(vm::Value::of(std::move(own)));
    } else if (value.kind == debug::ValueKind::Shape) {
      given.push_back(vm::Value::shape(value.shape));
    } else if (value.kind == debug::ValueKind::Int) {
      given.push_back(vm::Value::of(value.integer));
    } else {
      return std::nullopt;
    }
  }
  return std::optional(std::move(given));
}

/// Calls the kernels of a provider with what steps of a run were given.
debug::MadeAgain againBy(const compile::Program& program, const debug::Recording& run,
                         std::shared_ptr<vm::KernelProvider> kernels, const CancelToken& cancel) {
  vm::Surroundings around;
  around.cancel = cancel;
  around.memory = std::make_shared<StorageArena>(INT64_MAX, false);
  around.devices = kernels->devices();
  for (vm::RunDevice& row : around.devices)
    if (row.device) row.memory = std::make_shared<DeviceArena>(row.device, INT64_MAX, false);
  return [executable = program.executable, &run, kernels = std::move(kernels), around = std::move(around)](
             uint32_t step, uint32_t reg) -> Result<debug::Made> {
    RX_TRY(row, run.reader().step(step));
    const vm::Instruction& instruction = executable->instruction(row.instruction);
    RX_TRY(given, givenTo(*executable, run, step));
    const auto function = kernels->find(run.program().instructions[row.instruction].callee);
    debug::Made made;
    if (!given || !function || !*function) return made;
    vm::CallContext context(around);
    // One that takes other tensors refuses these.
    const auto called = vm::callPlaced(**function, context, vm::ArgumentsOf(*given));
    if (!called && around.cancelled()) return called.failure();
    if (!called) return made;
    for (size_t i = 0; i < given->size(); ++i) {
      const vm::Arg arg = instruction.arg(i);
      if (!(*given)[i].is(vm::ValueKind::Tensor)) continue;
      const HostTensor& tensor = (*given)[i].tensor();
      made.ofHalves = made.ofHalves || (tensor.dtype().isFloat() && tensor.dtype().bits <= 16);
      if (arg.kind == vm::ArgKind::Register && static_cast<uint32_t>(arg.value) == reg)
        made.tensor = Ref<HostTensor>(&tensor);
    }
    return made;
  };
}

std::string namesOf(const std::vector<debug::BindingDifference>& differences) {
  constexpr size_t kShown = 4;
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(differences.size(), kShown); ++i) names.push_back(differences[i].binding);
  return fmt::format("{}{}", fmt::join(names, ", "), differences.size() > kShown ? ", ..." : "");
}

int tell(const debug::RunComparison& compared, Reply& reply) {
  reply.fields()["agree"] = compared.agree;
  reply.fields()["most"] = compared.most;
  reply.fields()["in_one_run"] = compared.absent;
  auto& inherited = reply.fields()["inherited"] = nlohmann::ordered_json::array();
  for (const debug::BindingDifference& each : compared.inherited)
    inherited.push_back({{"function", each.function}, {"binding", each.binding}, {"what", each.what}});
  std::string others = compared.absent.empty()
                           ? ""
                           : fmt::format("; {} have a value in one run alone", fmt::join(compared.absent, ", "));
  if (!compared.inherited.empty())
    others += fmt::format("; {} more differ by what they were given, of which both make the same: {}",
                          compared.inherited.size(), namesOf(compared.inherited));
  if (!compared.first) {
    reply.print(fmt::format(
        "the runs agree on {} values that both have{}\n",
        compared.inherited.empty() ? fmt::format("the {}", compared.agree) : std::to_string(compared.agree), others));
    return kYes;
  }
  const debug::BindingDifference& first = *compared.first;
  const bool own = first.cause == debug::Cause::Own;
  reply.print(
      fmt::format("{} of {} is the first binding that differs{}, given by {}: {}\n{} values before it agree{}: "
                  "{}\n",
                  first.binding, first.function, compared.inherited.empty() ? "" : " by itself", first.callee,
                  first.what, compared.agree, others,
                  own ? "the difference is its own: what was before it is the same"
                      : "the difference may come from values before it, which are not the same in every bit"));
  reply.fields()["first"] = {{"function", first.function},
                             {"binding", first.binding},
                             {"callee", first.callee},
                             {"what", first.what},
                             {"own", own ? nlohmann::ordered_json(true) : nlohmann::ordered_json()}};
  return kNo;
}

}  // namespace

Result<std::unique_ptr<vm::Machine>> startedMachine(const compile::Program& program,
                                                    std::shared_ptr<vm::KernelProvider> kernels,
                                                    const AgainstRun& run) {
  vm::MachineOptions options;
  options.kernels = std::move(kernels);
  options.registry = run.registry;
  options.cancel = run.cancel;
  options.record = true;
  const MemoryLimit memory = memoryLimit();
  options.limits.maxMemory = static_cast<int64_t>(std::min<uint64_t>(memory.bytes, INT64_MAX));
  options.limits.memoryFrom = "the budget is " + memory.why;
  RX_TRY(machine, vm::Machine::create(program.executable, std::move(options)));
  RX_CHECK(machine->start(run.function, run.arguments));
  return machine;
}

Result<RecordedRun> recordedRun(const compile::Program& program, const AgainstRun& run, const std::string& path) {
  RX_TRY(kernels, compile::kernelsOf(program, {}, nullptr));
  RX_TRY(machine, startedMachine(program, kernels, run));
  RX_TRY(policy, store::policyNamed("everything"));
  RX_TRY(warnings, runRecorded(*machine, program, path, policy, [] { return int64_t{0}; }));
  if (machine->fault()) return fail(machine->fault()->diagnostics);
  if (!warnings.empty()) return fail(warnings);
  RX_TRY(read, debug::Recording::open(path));
  return RecordedRun{std::move(read), std::move(kernels)};
}

Result<int> runAgainst(const compile::Program& program, const compile::Program& other, const AgainstRun& run,
                       Reply& reply) {
  RX_TRY(folder, TemporaryFolder::make("rxs-against"));
  RX_TRY(ours, recordedRun(program, run, folder.file("run.rxtrace")));
  RX_TRY(theirs, recordedRun(other, run, folder.file("against.rxtrace")));
  RX_TRY(compared, debug::firstDifference(*ours.run, *theirs.run,
                                          againBy(program, *ours.run, theirs.kernels, run.cancel), run.cancel));
  return tell(compared, reply);
}

}  // namespace rx::cli
