#include "app/rxs/compile_options.h"

#include <algorithm>

#include "app/rxs/input.h"
#include "app/rxs/pipeline_text.h"
#include "app/rxs/tuned_kernels.h"
#include "core/compile/device_code.h"
#include "core/compile/kernel_store.h"
#include "core/compile/request/passes.h"
#include "core/library/library.h"
#include "core/support/thread_pool.h"

namespace rx::cli {

void addCompileOptions(CLI::App& command, CompileArguments& arguments) {
  std::vector<std::string> names;
  std::string help;
  for (const compile::ModeRow& row : compile::modes()) {
    names.emplace_back(row.name);
    help += (help.empty() ? "" : "; ") + std::string(row.name) + ": " + row.help;
  }
  CLI::Option* passes = command.add_option(
      "--passes", arguments.passes,
      "pipeline to compile with: Name(option=literal, ...), Name(...), or @FILE with such text (default: " +
          arguments.passes + ")");
  CLI::Option* precise = command.add_flag_callback(
      "--precise", [&arguments] { arguments.passes = "optimized_precise"; },
      "compile with the pipeline optimized_precise: kernels scheduled, each sum added up in its order and each "
      "product rounded, as without a schedule");
  precise->excludes(passes);
  command
      .add_flag_callback(
          "--fast-reduce",
          [&arguments] {
            arguments.passes = "optimized";
            arguments.fastReduce = true;
          },
          "compile with the pipeline optimized, and let the threads of this machine share long sums of a single "
          "number: "
          "the last digits of these depend on how many threads there are, as no result does without it")
      ->excludes(passes)
      ->excludes(precise);
  std::vector<std::string> libraries;
  for (const library::LibraryRow& row : library::libraries()) libraries.emplace_back(row.name);
  command
      .add_option("--library", arguments.library,
                  "library of this machine that computes the products and convolutions that it can; the rest is "
                  "compiled as without it, and so is everything where it is missing")
      ->check(CLI::IsMember(libraries));
  command
      .add_option("--tuned", arguments.tuned,
                  "file of `rxs tune`: kernels that were tuned on this machine are scheduled as was quickest (the "
                  "pipeline optimized)")
      ->check(CLI::ExistingFile);
  command.add_option(
      "--target", arguments.target,
      "what to compile for: a kind (llvm, or of a device), a tag, x86-64-v3, aarch64, or JSON (default: this "
      "machine)");
  command.add_option("--mode", arguments.mode, help)->check(CLI::IsMember(names));
  command.add_option("--opt-level", arguments.optLevel,
                     "level of the pass context: passes of a higher level are left out");
  command.add_flag("--unchecked", arguments.unchecked,
                   "leave out the checks of accesses that are not proven: a wrong index then reads or writes anything");
  command.add_flag("--no-kernel-cache", arguments.noStore,
                   "compile every kernel anew; without it, machine code is kept for later runs");
}

void addPluginOption(CLI::App& command, std::vector<std::string>& libraries) {
  command
      .add_option("--plugin", libraries,
                  "shared library with packed functions that modules may call (rxs_plugin.h has its C interface); what "
                  "is in it is executed")
      ->allow_extra_args(false);
}

namespace {

/// Tells the passes that take the option what it is.
void tell(std::vector<pass::PassCall>& calls, std::string_view option, const NodeRef& value) {
  for (pass::PassCall& call : calls) {
    const auto& options = call.row->options;
    const bool takes =
        std::any_of(options.begin(), options.end(), [&](const pass::OptionSpec& each) { return each.name == option; });
    if (takes) call.options = ir::withAttr(call.options, Str(option), value);
  }
}

/// What was quickest on the machine that is compiled for.
Result<NodeRef> quickest(const std::string& path, const compile::Request& request) {
  target::TargetRef target = request.target;
  if (!target) {
    RX_TRY(here, target::parseTarget("llvm"));
    target = here;
  }
  RX_TRY(tuned, TunedKernels::read(path, *target));
  report(tuned.notes(), {});
  return NodeRef(tuned.choices());
}

/// The passes with what the other arguments tell them.
Result<std::string> toldPasses(std::vector<pass::PassCall> calls, const CompileArguments& arguments,
                               const compile::Request& request) {
  if (!arguments.tuned.empty()) {
    RX_TRY(choices, quickest(arguments.tuned, request));
    tell(calls, "tuned", choices);
  }
  if (arguments.fastReduce) tell(calls, "sum_threads", ir::intAttr(processorCount()));
  std::string text;
  for (const pass::PassCall& call : calls) text += (text.empty() ? "" : ", ") + call.text();
  return text;
}

}  // namespace

Result<compile::Request> requestFor(const ir::Module& module, const CompileArguments& arguments) {
  compile::Request request;
  request.module = module;
  RX_TRY(passes, pipelineText(arguments.passes));
  request.passes = std::string(passes->text());
  // Without a module there is only the text to look at.
  const auto calls =
      module ? compile::stepsFor(*module, request.passes) : pass::parsePipeline(compile::passTable(), request.passes);
  if (!calls) return fail(placedIn(passes, calls.diagnostics()));
  RX_TRY(mode, compile::modeNamed(arguments.mode));
  request.mode = mode;
  request.optLevel = arguments.optLevel;
  request.checked = !arguments.unchecked;
  if (!arguments.target.empty()) {
    RX_TRY(target, compile::targetHere(arguments.target));
    request.target = target;
  }
  if (module && (arguments.fastReduce || !arguments.tuned.empty())) {
    RX_TRY(told, toldPasses(*calls, arguments, request));
    request.passes = std::move(told);
  }
  if (!arguments.library.empty())
    request.passes =
        fmt::format("PartitionForLibrary(library=\"{}\"), RunCodegen(), {}", arguments.library, request.passes);
  return request;
}

std::vector<Diagnostic> libraryNotes(const compile::Program& program) {
  std::vector<Diagnostic> notes;
  for (const pass::StepRecord& step : program.history.steps)
    if (step.name == "PartitionForLibrary") notes.insert(notes.end(), step.messages.begin(), step.messages.end());
  return notes;
}

std::shared_ptr<codegen::ObjectStore> storeFor(const CompileArguments& arguments) {
  return arguments.noStore ? nullptr : compile::openKernelStore(compile::kernelStoreFolder());
}

}  // namespace rx::cli
