// rxs opt: applies a pipeline; writes the result, or a folder with every stage.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/rxs/input.h"
#include "app/rxs/verbs.h"
#include "core/analysis/well_formed.h"
#include "core/compile/request/passes.h"
#include "core/import/phase_dumps.h"
#include "core/pass/config.h"
#include "core/pass/runner.h"
#include "core/script/print.h"

namespace rx::cli {

namespace {

struct OptArguments {
  InputOptions input;
  std::string passes = "default";
  std::string target, config, output, dump;
  int optLevel = 2;
  std::vector<std::string> disabled, required;
  bool list = false;
  bool names = false;
};

/// Offsets of a pipeline diagnostic point into the text of --passes.
SourceList pipelineSource(const std::string& text) { return {make<SourceFile>("--passes", text)}; }

void listConfig() {
  fmt::print("\nKeys of --config:\n");
  for (const pass::ConfigKey& key : pass::configKeys()) {
    const char* unread = key.read ? "" : " (no pass of this program looks at it)";
    fmt::print("{}={}\n    {}{}\n", key.spec.name, key.spec.fallback, key.spec.help, unread);
    for (const pass::OptionSpec& field : key.fields) {
      fmt::print("    .{}={}\n        {}\n", field.name, field.fallback, field.help);
    }
  }
}

int listPasses() {
  for (const pass::PassRow& row : compile::passTable().rows()) {
    std::string options;
    for (const pass::OptionSpec& spec : row.options) {
      options += fmt::format("{}{}={}", options.empty() ? "" : ", ", spec.name, spec.fallback);
    }
    const int level = static_cast<int>(row.level);
    fmt::print("{}({}){}\n    {}\n", row.name, options, level ? fmt::format("  level {}", level) : "", row.help);
  }
  listConfig();
  return kYes;
}

std::string changesText(const pass::StepRecord& step) {
  if (!step.changed()) return "same";
  std::string out;
  for (size_t i = 0; i < step.changes.size() && i < 3; ++i) {
    const pass::FunctionChange& change = step.changes[i];
    out += fmt::format("{}{} {:+}", i ? ", " : "", change.name.view(), change.netSize);
  }
  return step.changes.size() > 3 ? fmt::format("{} and {} more", out, step.changes.size() - 3) : out;
}

/// One line a step: number, name, what changed, time, whether the result is well formed.
void listSteps(const pass::History& history) {
  fmt::print("{:>3}  {:<26}\n", 0, "imported");
  for (size_t i = 0; i < history.steps.size(); ++i) {
    const pass::StepRecord& step = history.steps[i];
    const char* lamp = step.leftOut              ? "left out"
                       : step.failed()           ? "failed"
                       : hasErrors(step.verdict) ? "ill-formed"
                                                 : "ok";
    fmt::print("{:>3}  {:<26} {:>9.2f} ms  {:<10} {}\n", i + 1, step.name, step.milliseconds, lamp, changesText(step));
  }
}

int runOpt(const OptArguments& arguments) {
  if (arguments.names) return listPasses();
  ir::Module module = openModule(arguments.input);
  if (!module) return kNo;
  Result<std::vector<pass::PassCall>> calls = pass::parsePipeline(compile::passTable(), arguments.passes);
  if (!calls) return refuse(calls.diagnostics(), pipelineSource(arguments.passes));

  pass::RunOptions options;
  if (!arguments.target.empty()) {
    Result<target::TargetRef> target = target::parseTarget(arguments.target);
    if (!target) return refuse(target.diagnostics());
    options.context.target = *target;
  }
  options.context.optLevel = arguments.optLevel;
  options.context.disabled = arguments.disabled;
  options.context.required = arguments.required;
  Result<Unit> known = pass::checkContext(compile::passTable(), options.context);
  if (!known) return refuse(known.diagnostics());
  if (!arguments.config.empty()) {
    Result<ir::Attrs> config = pass::readConfig(arguments.config);
    if (!config) return refuse(config.diagnostics());
    options.context.config = *config;
  }
  options.verify = [](const ir::Module& result) { return analysis::wellFormed(result); };

  pass::History history = pass::runPipeline(module, *calls, options);
  if (arguments.list) listSteps(history);
  for (const pass::StepRecord& step : history.steps) {
    report(step.messages, *module->sources);
    if (step.failed()) return kNo;
  }
  if (!history.steps.empty()) {
    std::vector<Diagnostic> verdict = history.steps.back().verdict;
    for (Diagnostic& finding : verdict) {
      // The result of a pass has no text that a place could point into.
      finding.severity = Severity::Warning;
      finding.span = {};
    }
    report(verdict, *module->sources);
  }
  if (!arguments.dump.empty()) {
    Result<Unit> written = import::writeHistory(history, arguments.dump);
    if (!written) return refuse(written.diagnostics());
  }
  if (arguments.output.empty() && (arguments.list || !arguments.dump.empty())) return kYes;
  return writeText(arguments.output, script::printModule(history.stage(history.steps.size())).text + "\n");
}

}  // namespace

std::function<int()> setupOpt(CLI::App& command) {
  auto arguments = std::make_shared<OptArguments>();
  command.add_option("file", arguments->input.path, "a TVMScript file, or a folder that holds module.py");
  command.add_option("--module", arguments->input.module,
                     "name of the module or function, where the file holds several");
  command.add_option("--passes", arguments->passes, "Name(option=literal, ...), Name(...); or the name of a pipeline");
  command.add_option("--target", arguments->target,
                     "target the passes compile for: a kind (llvm, cuda), a tag, x86-64-v3, or JSON");
  command.add_option("--config", arguments->config, "JSON object: configuration of passes by key (see --list-passes)");
  command.add_option("--opt-level", arguments->optLevel,
                     "passes of a higher level are left out (default 2; see --list-passes)");
  command.add_option("--disable", arguments->disabled, "passes to leave out, also of pipelines")->delimiter(',');
  command.add_option("--require", arguments->required, "passes to run whatever the level, if the pipeline has them")
      ->delimiter(',');
  command.add_option("-o,--output", arguments->output, "file for the result (default: standard output)");
  command.add_option("--dump", arguments->dump, "folder for every stage as text, openable as a history");
  command.add_flag("--list", arguments->list, "write one line a pass: what changed, time, whether it is well formed");
  command.add_flag("--list-passes", arguments->names, "list every pass with its options, and every key of --config");
  return [arguments, &command] {
    if (!arguments->names && arguments->input.path.empty()) {
      fmt::print(stderr, "file is required\n{}", command.help());
      return kWrongUse;
    }
    return runOpt(*arguments);
  };
}

}  // namespace rx::cli
