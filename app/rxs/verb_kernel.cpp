// rxs kernel: one kernel from its TIR to what the processor runs, with the lines that each line came from.
#include <fmt/ranges.h>

#include <optional>

#include "app/rxs/compile_options.h"
#include "app/rxs/confined.h"
#include "app/rxs/input.h"
#include "app/rxs/kernel_report.h"
#include "app/rxs/kernel_threads.h"
#include "app/rxs/reply.h"
#include "app/rxs/run_values.h"
#include "app/rxs/verbs.h"
#include "core/export/package_machine.h"
#include "core/schedule/apply_schedules.h"

namespace rx::cli {

namespace {

struct KernelArguments {
  InputOptions input;
  CompileArguments compile;
  std::string function, stage;
  std::optional<size_t> number;  ///< of the stage, as the overview counts them
  bool confine = false;
  ThreadsWanted threads;
  int64_t samples = 0;               ///< milliseconds to look for; 0: nobody looks
  std::vector<std::string> symbols;  ///< sizes to look at it with
  bool asJson = false;
};

/// The kernels of the program, and which rules made each.
int listKernels(const compile::Program& program, Reply& reply) {
  Reply::Json& list = reply.fields()["kernels"] = Reply::Json::array();
  for (size_t i = 0; i < program.module->size(); ++i) {
    const auto kernel = refAs<tir::PrimFunc>(program.module->functions[i]);
    if (!kernel) continue;
    const std::string name = program.module->vars[i]->name.string();
    const std::vector<std::string> rules = schedule::rulesThatMade(*kernel);
    reply.print(fmt::format("{}{}{}\n", escapedForDisplay(name), rules.empty() ? "" : "  ", fmt::join(rules, "; ")));
    list.push_back({{"name", name}, {"rules", rules}});
  }
  return kYes;
}

/// The last stage of that name.
Result<const compile::KernelStage*> stageNamed(const compile::KernelStages& kernel, const std::string& name) {
  for (size_t i = kernel.stages.size(); i-- > 0;)
    if (compile::rowOf(kernel.stages[i].kind).name == name) return &kernel.stages[i];
  Diagnostic said = errorAt({}, "kernel.stage", fmt::format("the kernel {} has no stage '{}'", kernel.name, name));
  if (!kernel.why.empty()) said.notes.push_back({kernel.why, {}});
  return fail(std::move(said));
}

Result<const compile::KernelStage*> stageAt(const compile::KernelStages& kernel, size_t number) {
  if (number < kernel.stages.size()) return &kernel.stages[number];
  return fail("kernel.stage", fmt::format("the kernel {} has no stage {}: they are 0 to {}", kernel.name, number,
                                          kernel.stages.size() - 1));
}

Result<codegen::Machine> machineOf(const target::Target& target, const ir::Module& module) {
  if (target.kind() != "llvm" || target.isThisMachine()) return codegen::Machine{};
  RX_TRY(machine, exporter::packageMachine(target::TargetRef(&target), module));
  return machine.machine;
}

int showKernel(const KernelArguments& arguments, Reply& reply) {
  const ir::Module module = openModule(arguments.input, reply);
  if (!module) return kNo;
  Result<compile::Request> request = requestFor(module, arguments.compile);
  if (!request) return reply.refuse(request.diagnostics());
  compile::Control control;
  control.keepStages = true;
  const Result<compile::Program> program = compile::compile(*request, control);
  if (!program) return reply.refuse(program.diagnostics(), *module->sources);
  if (arguments.function.empty()) return listKernels(*program, reply);
  const Result<codegen::Machine> machine = machineOf(*program->request.target, program->module);
  if (!machine) return reply.refuse(machine.diagnostics());
  const auto kernel = compile::kernelStages(*program, arguments.function, *machine, control);
  if (!kernel) return reply.refuse(kernel.diagnostics(), *module->sources);
  reply.report(kernel->notes, *module->sources);
  // What it is made of is told also where it can not be sampled.
  if (reply.asJson()) reply.fields()["kernel"] = toJson(*kernel, nullptr);
  if (!arguments.threads.threads.empty()) return stepThreads(*program, *kernel, arguments.threads, reply);
  std::optional<KernelSamples> taken;
  if (arguments.samples > 0) {
    const auto sizes = sizesOf(arguments.symbols);
    if (!sizes) return reply.refuse(sizes.diagnostics());
    auto samples = sampleKernel(*program, *kernel, *sizes, arguments.samples, control);
    if (!samples) return reply.refuse(samples.diagnostics(), *module->sources);
    taken = std::move(*samples);
  }
  const KernelSamples* samples = taken ? &*taken : nullptr;
  if (reply.asJson() && samples) reply.fields()["kernel"] = toJson(*kernel, samples);
  if (arguments.number) {
    const auto stage = stageAt(*kernel, *arguments.number);
    if (!stage) return reply.refuse(stage.diagnostics());
    reply.print(stageText(*kernel, **stage, samples));
    return kYes;
  }
  if (arguments.stage.empty()) {
    reply.print(kernelOverview(*kernel, samples));
    return kYes;
  }
  const auto stage = stageNamed(*kernel, arguments.stage);
  if (!stage) return reply.refuse(stage.diagnostics());
  reply.print(stageText(*kernel, **stage, samples));
  return kYes;
}

}  // namespace

std::function<int()> setupKernel(CLI::App& command) {
  auto arguments = std::make_shared<KernelArguments>();
  arguments->compile.passes = "optimized";
  addInputOptions(command, arguments->input);
  command.add_option("--function,--func", arguments->function,
                     "the kernel, by its name in the compiled program (default: the names of all, with their rules)");
  std::vector<std::string> stages;
  for (const compile::KernelStageRow& row : compile::kernelStageRows()) stages.emplace_back(row.name);
  CLI::Option* as =
      command
          .add_option(
              "--as", arguments->stage,
              "write the kernel as this, the last where there are several, and before each line those of the TIR "
              "that it came from (default: what the stages are)")
          ->check(CLI::IsMember(stages));
  command
      .add_option("--step", arguments->number,
                  "write the stage of this number in that way; each primitive of a schedule by rules makes one")
      ->excludes(as);
  CLI::Option* samples =
      command
          .add_option(
              "--samples", arguments->samples,
              "run the kernel on tensors of zeros for so many milliseconds, and say in which lines of its machine "
              "code, and of the TIR that they came from, the processor was")
          ->check(CLI::Range(int64_t{1}, int64_t{600'000}));
  command.add_option("--symbol", arguments->symbols, "NAME=SIZE of a symbolic variable of the kernel, for --samples")
      ->needs(samples)
      ->allow_extra_args(false);
  CLI::Option* threads =
      command
          .add_option("--threads", arguments->threads.threads,
                      "run threads of a kernel of a device in the interpreter, each statement a line with what it "
                      "gives and touches: blockIdx.x=1,threadIdx.x=3 (an axis of the group that is not named is the "
                      "whole of it), warp=0 for 32 of them, or all, which runs the launch and tells what is wrong "
                      "alone: races, accesses outside, threads that wait for each other in vain")
          ->excludes(as);
  command
      .add_option("--inputs", arguments->threads.inputs,
                  "file with tensors for --threads, by the names of the kernel's parameters (others are generated)")
      ->needs(threads);
  command.add_option("--launch", arguments->threads.launch, "which of the kernels that the function starts, from 0")
      ->needs(threads)
      ->check(CLI::NonNegativeNumber);
  command.add_option("--statements", arguments->threads.most, "how many statements --threads tells")
      ->needs(threads)
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  addCompileOptions(command, arguments->compile);
  addConfineOption(command, arguments->confine);
  addJsonOption(command, arguments->asJson, kKernelFields);
  return [arguments] {
    const auto show = [&] {
      Reply reply(arguments->asJson);
      return reply.finish(showKernel(*arguments, reply));
    };
    return arguments->confine ? runConfined({}, show) : show();
  };
}

}  // namespace rx::cli
