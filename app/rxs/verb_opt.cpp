// rxs opt: applies a pipeline; writes the result, or a folder with every stage, and tells what the passes did.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>

#include "app/rxs/input.h"
#include "app/rxs/opt_report.h"
#include "app/rxs/pipeline_text.h"
#include "app/rxs/reply.h"
#include "app/rxs/standard_output.h"
#include "app/rxs/verbs.h"
#include "core/analysis/lost_types.h"
#include "core/compile/request/languages.h"
#include "core/compile/request/passes.h"
#include "core/import/phase_dumps.h"
#include "core/ir/language.h"
#include "core/pass/config.h"
#include "core/pass/placed_call.h"
#include "core/pass/runner.h"
#include "core/pass/step_json.h"
#include "core/schedule/kernel_schedule.h"
#include "core/support/file.h"
#include "core/support/nearest.h"

namespace rx::cli {

namespace {

struct OptArguments {
  InputOptions input;
  std::string passes = "default";
  std::string target, config, output, dump, report;
  int optLevel = 2;
  std::optional<size_t> stopAfter;
  std::vector<std::string> disabled, required;
  OptReports reports;
  bool noVerifyEach = false;
  bool names = false;
  bool asJson = false;
};

void listConfig() {
  say("\nKeys of --config:\n");
  for (const pass::ConfigKey& key : pass::configKeys()) {
    const char* unread = key.read ? "" : " (no pass of this program looks at it)";
    say("{}={}\n    {}{}\n", key.spec.name, key.spec.fallback, key.spec.help, unread);
    for (const pass::OptionSpec& field : key.fields) {
      say("    .{}={}\n        {}\n", field.name, field.fallback, field.help);
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
    say("{}({}){}\n    {}\n", row.name, options, level ? fmt::format("  level {}", level) : "", row.help);
  }
  listConfig();
  return kYes;
}

/// Standard error, or the file that was asked for, which is written at the end.
class ReportText {
 public:
  explicit ReportText(const std::string& path) : path_(path) {}
  void add(const std::string& text) {
    if (path_.empty()) {
      tell(text);
    } else {
      text_ += text;
    }
  }
  Result<Unit> finish() const { return path_.empty() ? Unit{} : writeFile(path_, text_); }

 private:
  const std::string& path_;
  std::string text_;
};

/// Whether a pass schedules kernels for processors: without another target, as a build does, for this one.
bool schedulesForProcessor(std::span<const pass::PlacedCall> calls) {
  return std::any_of(calls.begin(), calls.end(), [](const pass::PlacedCall& each) {
    return schedule::schedulerOf(each.call.row->name) == &schedule::kHostScheduler;
  });
}

Result<pass::PassContext> contextOf(const OptArguments& arguments, std::span<const pass::PlacedCall> calls) {
  pass::PassContext context;
  if (!arguments.target.empty() || schedulesForProcessor(calls)) {
    RX_TRY(target, target::parseTarget(arguments.target.empty() ? "llvm" : arguments.target));
    context.target = target;
  }
  context.optLevel = arguments.optLevel;
  context.disabled = arguments.disabled;
  context.required = arguments.required;
  RX_CHECK(pass::checkContext(compile::passTable(), context));
  if (!arguments.config.empty()) {
    RX_TRY(config, pass::readConfig(arguments.config));
    context.config = config;
  }
  return context;
}

/// The steps up to --stop-after, with the names of --print-after written as those of the rows.
Result<std::vector<pass::PlacedCall>> callsOf(OptArguments& arguments, const SourceFile& text,
                                              std::string_view language) {
  RX_TRY(calls, pass::parsePlacedPipeline(compile::passTable(), text.text(), language));
  for (std::string& name : arguments.reports.printAfter) {
    if (name == "all") continue;
    const pass::PassRow* row = compile::passTable().find(name, language);
    const bool runs =
        row && std::any_of(calls.begin(), calls.end(), [&](const auto& each) { return each.call.row == row; });
    if (!runs) {
      Diagnostic unknown = errorAt({}, "pass.unknown-name", fmt::format("--print-after: no pass '{}' runs", name));
      Nearest nearest(name);
      for (const pass::PlacedCall& each : calls) nearest.offer(each.call.row->name);
      unknown.fix = nearest.fix();
      return fail(std::move(unknown));
    }
    name = row->name;
  }
  if (!arguments.stopAfter) return calls;
  if (*arguments.stopAfter > calls.size()) {
    return fail("pass.stop-after",
                fmt::format("--stop-after {}: the pipeline has {} passes", *arguments.stopAfter, calls.size()));
  }
  calls.erase(calls.begin() + static_cast<ptrdiff_t>(*arguments.stopAfter), calls.end());
  return calls;
}

pass::History runPasses(const OptArguments& arguments, const ir::Module& module, pass::PassContext context,
                        std::span<const pass::PlacedCall> placed, ReportText& text) {
  pass::RunOptions options;
  options.context = std::move(context);
  options.keepStages = !arguments.dump.empty();
  if (!arguments.noVerifyEach) options.verify = [](const ir::Module& result) { return compile::wellFormed(result); };
  if (arguments.reports.explain || arguments.asJson) {
    options.compare = [](const ir::Module& before, const ir::Module& after) {
      return analysis::lostTypes(*before, *after);
    };
  }
  options.remarks = arguments.reports.remarks || arguments.reports.explain || arguments.asJson;
  size_t number = 0;
  options.finished = [&](const pass::StepRecord& step) { text.add(stepReport(arguments.reports, step, ++number)); };
  std::vector<pass::PassCall> calls;
  for (const pass::PlacedCall& each : placed) calls.push_back(each.call);
  pass::History history = pass::runPipeline(module, calls, options);
  if (!arguments.noVerifyEach || history.steps.empty() || history.steps.back().failed()) return history;
  pass::StepRecord& last = history.steps.back();
  last.verdict = compile::wellFormed(last.after);
  last.verified = true;
  return history;
}

/// What the passes said, and what is ill formed in the result. Whether all of them ran. What a pass says without a
/// place in the module is said of its call in the pipeline.
bool reportFindings(const pass::History& history, std::span<const pass::PlacedCall> calls,
                    const Ref<SourceFile>& pipeline, Reply& reply) {
  const SourceList& sources = *history.imported->sources;
  for (size_t i = 0; i < history.steps.size(); ++i) {
    const pass::StepRecord& step = history.steps[i];
    for (Diagnostic message : step.messages) {
      const bool placed = message.span.known();
      if (!placed) message.span = calls[i].span;
      reply.report({message}, placed ? sources : SourceList{pipeline});
    }
    if (step.failed()) return false;
  }
  if (history.steps.empty()) return true;
  std::vector<Diagnostic> verdict = history.steps.back().verdict;
  for (Diagnostic& finding : verdict) {
    // The result of a pass has no text that a place could point into.
    finding.severity = Severity::Warning;
    finding.span = {};
  }
  reply.report(verdict, sources);
  return true;
}

int runOpt(OptArguments& arguments, Reply& reply) {
  Reply::Json& steps = reply.fields()["passes"] = Reply::Json::array();
  const ir::Module module = openModule(arguments.input, reply);
  if (!module) return kNo;
  const Result<Ref<SourceFile>> pipeline = pipelineText(arguments.passes);
  if (!pipeline) return reply.refuse(pipeline.diagnostics());
  const Result<std::vector<pass::PlacedCall>> calls = callsOf(arguments, **pipeline, ir::languageOf(*module).name);
  if (!calls) return reply.refuse(calls.diagnostics(), {*pipeline});
  Result<pass::PassContext> context = contextOf(arguments, *calls);
  // Of what the context is made of, the config alone is a text with places.
  if (!context) return reply.refuse(context.diagnostics(), {make<SourceFile>("--config", arguments.config)});
  ReportText text(arguments.report);
  const pass::History history = runPasses(arguments, module, std::move(*context), *calls, text);
  text.add(historyReport(arguments.reports, history));
  if (reply.asJson()) {
    for (const pass::StepRecord& step : history.steps) steps.push_back(pass::stepJson(step, *module->sources));
  }
  const bool done = reportFindings(history, *calls, *pipeline, reply);
  const Result<Unit> reported = text.finish();
  if (!reported) return reply.refuse(reported.diagnostics());
  if (!done) return kNo;
  if (!arguments.dump.empty()) {
    const Result<Unit> written = import::writeHistory(history, arguments.dump);
    if (!written) return reply.refuse(written.diagnostics());
  }
  const bool otherwise = arguments.reports.list || arguments.asJson || !arguments.dump.empty();
  if (arguments.output.empty() && otherwise) return kYes;
  return writeText(arguments.output, compile::moduleText(history.stage(history.steps.size())) + "\n");
}

void addReportOptions(CLI::App& command, OptArguments& arguments) {
  OptReports& reports = arguments.reports;
  command.add_flag("--list", reports.list,
                   "tell one line a pass: time, whether its result is well formed, what changed");
  command.add_flag("--time", reports.time, "tell where the time went: passes by their time, and the checks");
  command.add_flag("--diff", reports.diff, "tell what each pass changed, as rxs diff does");
  command.add_flag(
      "--explain", reports.explain,
      "tell of each binding of the result which pass made it from which bindings of the file, and which pass "
      "lost what the types said");
  command.add_flag("--remarks", reports.remarks,
                   "tell why passes left bindings as they are, and which passes or keys would let them change these");
  command.add_option("--print-after", reports.printAfter, "tell the module after these passes, or after all")
      ->delimiter(',');
  command.add_flag("--print-changed", reports.printChanged, "tell the module after each pass that changed it");
  command.add_option("--report", arguments.report, "file for what is told (default: standard error)");
}

}  // namespace

std::function<int()> setupOpt(CLI::App& command) {
  auto arguments = std::make_shared<OptArguments>();
  command.add_option("file", arguments->input.path, "a TVMScript file, or a folder that holds module.py");
  command.add_option("--module", arguments->input.module,
                     "name of the module or function, where the file holds several");
  addInputCounts(command, arguments->input);
  command.add_option("--passes", arguments->passes,
                     "Name(option=literal, ...), Name(...); the name of a pipeline; or @FILE with such text");
  command.add_option(
      "--target", arguments->target,
      "target the passes compile for: a kind (llvm, or of a device), a tag, x86-64-v3, or JSON (default: this "
      "machine where ApplySchedules is among them, else none)");
  command.add_option("--config", arguments->config, "JSON object: configuration of passes by key (see --list-passes)");
  command.add_option("--opt-level", arguments->optLevel,
                     "passes of a higher level are left out (default 2; see --list-passes)");
  command.add_option("--disable", arguments->disabled, "passes to leave out, also of pipelines")->delimiter(',');
  command.add_option("--require", arguments->required, "passes to run whatever the level, if the pipeline has them")
      ->delimiter(',');
  command.add_option("-o,--output", arguments->output,
                     "file for the result (default: standard output; none with --list, --dump and --json)");
  command.add_option("--dump", arguments->dump, "folder for every stage as text, openable as a history");
  command.add_option("--stop-after", arguments->stopAfter, "run the first so many passes alone");
  command.add_flag("--no-verify-each", arguments->noVerifyEach,
                   "check the last result alone, not that of each pass, for being well formed");
  addReportOptions(command, *arguments);
  command.add_flag("--list-passes", arguments->names, "list every pass with its options, and every key of --config");
  addJsonOption(
      command, arguments->asJson,
      "\"passes\": [{\"pass\", \"call\", \"milliseconds\", \"verifyMilliseconds\", \"changes\": "
      "[{\"function\", \"what\": \"changed\", \"added\" or \"removed\", \"net\": bindings or statements after "
      "minus before}], \"size\": of the result, \"verified\", \"verdict\": what is ill formed, \"lost\": "
      "what the types do not say any more, \"remarks\": [{\"function\", \"binding\", \"text\": why the pass left "
      "it as it is}], \"leftOut\", "
      "\"failed\", \"messages\"}]");
  return [arguments, &command] {
    if (!arguments->names && arguments->input.path.empty()) {
      tell(fmt::format("file is required\n{}", command.help()));
      return kWrongUse;
    }
    if (arguments->names) return listPasses();
    Reply reply(arguments->asJson);
    return reply.finish(runOpt(*arguments, reply));
  };
}

}  // namespace rx::cli
