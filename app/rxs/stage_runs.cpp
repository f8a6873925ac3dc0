#include "app/rxs/stage_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/rxs/error_row.h"
#include "app/rxs/held_values.h"
#include "app/rxs/interrupt.h"
#include "app/rxs/pipeline_text.h"
#include "app/rxs/program_stages.h"
#include "app/rxs/replay_binding.h"
#include "app/rxs/run_against.h"
#include "app/rxs/run_recording.h"
#include "core/compile/device_code.h"
#include "core/compile/kernel_store.h"
#include "core/compile/request/history_bytes.h"
#include "core/compile/request/languages.h"
#include "core/compile/request/passes.h"
#include "core/debug/binding_errors.h"
#include "core/debug/overwritten.h"
#include "core/evaluate/evaluate.h"
#include "core/import/match_origins.h"
#include "core/ir/language.h"
#include "core/plugin/plugin.h"
#include "core/runtime/value_tensors.h"
#include "core/support/diagnostic_json.h"
#include "core/support/file.h"
#include "core/tensor/tensor_text.h"

namespace rx::cli {
namespace {

using Json = StageRuns::Json;

constexpr const char* kStages = "/stages";
constexpr const char* kUnderWay = "/pass";

Json failed(const std::vector<Diagnostic>& why, const SourceList& sources = {}) {
  return {{"diagnostics", diagnosticsJson(why, sources)}};
}

/// What a piece gives, or why there is none.
Json answer(Result<Json> made, const SourceList& sources = {}) {
  return made ? std::move(*made) : failed(made.diagnostics(), sources);
}

/// A line of a table as a part of a sentence.
std::string withSingleBlanks(std::string text) {
  const auto end = std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; });
  text.erase(end, text.end());
  return text;
}

pass::StepRecord stepOf(std::string name, const ir::Module& before, const ir::Module& after) {
  pass::StepRecord step;
  step.call = name;
  step.name = std::move(name);
  step.before = before;
  step.after = after;
  return step;
}

/// Writes the modules for the other pieces; each row of a stage gets its number.
Json withModules(Json rows, const std::vector<ir::Module>& modules, const std::string& folder) {
  pass::History history;
  history.imported = modules.front();
  for (size_t i = 1; i < modules.size(); ++i)
    history.steps.push_back(stepOf(std::to_string(i), modules[i - 1], modules[i]));
  const auto write = [&]() -> Result<Json> {
    RX_TRY(bytes, compile::historyToBytes(history, {}));
    RX_CHECK(writeFile(folder + kStages, bytes));
    return Json{{"stages", std::move(rows)}};
  };
  return answer(write());
}

Json rowOf(const std::string& name, const std::string& call, const std::string& file) {
  return {{"name", name}, {"call", call}, {"file", file}};
}

void addVerdict(const ir::Module& module, Json* row) {
  const std::vector<Diagnostic> verdict = compile::wellFormed(module);
  if (!verdict.empty()) (*row)["ill_formed"] = diagnosticsJson(verdict, *module->sources);
}

Result<pass::History> readStages(const std::string& folder) {
  RX_TRY(bytes, readFile(folder + kStages));
  return compile::historyFromBytes(bytes, {});
}

/// Where the difference of a binding comes from, "own", "inherited" or "unknown", and how far it is off what the
/// reference makes of the inputs that this run had.
Json causeOf(const debug::Recording& run, const ir::Module& imported, const debug::Given& given,
             const debug::BindingError& each, std::optional<double> limit) {
  const HeldValues held(run, *imported, each.function, given);
  const auto made = replayBinding(imported, each.function, each.place.ordinal,
                                  [&](const relax::Var& variable) { return held.before(each.got, variable); });
  if (!made) return {{"cause", "unknown"}};
  const auto got = run.valueAt(each.got.place);
  if (!got) return {{"cause", "unknown"}};
  const auto error = debug::valueError(*got, shownValue(*made), limit);
  if (!error) return {{"cause", "unknown"}};
  return {{"cause", error->within() ? "inherited" : "own"}, {"own_absolute", numberJson(error->error.maxAbsolute)}};
}

/// The tensors of a result beside those of a file, in their order.
Result<Json> besideExpected(const vm::Value& result, const std::string& file, std::optional<double> limit) {
  RX_TRY(wanted, readArrays(file));
  RX_TRY(got, vm::tensorsOf(std::span(&result, 1)));
  Json expected = {{"within", got.size() == wanted.size()}, {"max_absolute", 0.0}, {"what", ""}};
  if (got.size() != wanted.size())
    expected["what"] = fmt::format("{} tensors, and {} arrays of {}", got.size(), wanted.size(), file);
  double most = 0;
  for (size_t i = 0; i < got.size() && i < wanted.size(); ++i) {
    RX_TRY(error, debug::valueError(debug::tensorValue(got[i]), debug::tensorValue(wanted[i].second), limit));
    most = std::max(most, error.error.maxAbsolute);
    if (error.within()) continue;
    expected["within"] = false;
    if (!error.apart.empty()) expected["what"] = error.apart;
  }
  expected["max_absolute"] = numberJson(most);
  return Json{{"expected", std::move(expected)}};
}

/// Bindings of stages that were read are matched by their names and by what computes them. Where values of such a pair
/// differ and the results of both runs do not, the pair was no binding of both.
void dropWrongMatches(std::vector<debug::BindingError>* errors) {
  const bool sameResult = std::any_of(errors->begin(), errors->end(), [](const debug::BindingError& each) {
    return each.function.empty() && each.binding == debug::kResultName && each.error.within();
  });
  if (sameResult) std::erase_if(*errors, [](const debug::BindingError& each) { return !each.error.within(); });
}

/// An input of the step that gave a value which was overwritten before it was read.
Result<Json> overwrittenFor(const debug::Recording& run, const debug::BindingError& each) {
  RX_TRY(rows, debug::overwrittenInputs(run, each.got.step));
  if (rows.empty()) return Json();
  const debug::Overwritten& first = rows.front();
  const HostTensor &made = *first.made.tensor, &read = *first.read.tensor;
  int64_t at = 0;
  while (at < made.count() && !isApart(read, made, at, 0)) ++at;
  constexpr int64_t kMostShown = 4;
  Json before = Json::array(), after = Json::array();
  for (int64_t i = at; i < std::min(at + kMostShown, made.count()); ++i) {
    before.push_back(numberJson(made.at(i)));
    after.push_back(numberJson(read.at(i)));
  }
  return Json{{"binding", first.binding},  {"by", first.by},          {"storage", first.storage},
              {"offset", first.offset},    {"bytes", first.bytes},    {"written", first.written},
              {"changed", first.changed},  {"until", each.got.step},  {"element", at},
              {"made", std::move(before)}, {"read", std::move(after)}};
}

}  // namespace

std::string StageRuns::recordingOf(size_t module) const {
  return fmt::format("{}/run-{}.rxtrace", setup_.folder, module);
}

Result<pass::History> StageRuns::stages() const { return readStages(setup_.folder); }

Json StageRuns::stagesOfFolder() const {
  Result<std::vector<import::DumpedStage>> stages = import::readStages(setup_.input.path);
  if (!stages) return failed(stages.diagnostics());
  import::matchOrigins(*stages);
  Json rows = Json::array();
  std::vector<ir::Module> modules;
  for (const import::DumpedStage& stage : *stages) {
    Json row = rowOf(stage.name, stage.call, stage.file);
    if (stage.module) {
      row["module"] = modules.size();
      addVerdict(stage.module, &row);
      modules.push_back(stage.module);
    } else {
      row["diagnostics"] = diagnosticsJson(stage.diagnostics, stage.source ? SourceList{stage.source} : SourceList{});
    }
    rows.push_back(std::move(row));
  }
  if (!modules.empty()) return withModules(std::move(rows), modules, setup_.folder);
  return {{"diagnostics", rows.front()["diagnostics"]}};
}

Json StageRuns::stagesOfPasses() const {
  Reply reply(true);
  const ir::Module module = openModule(setup_.input, reply);
  if (!module) return {{"diagnostics", reply.diagnostics()}};
  const auto steps = [&]() -> Result<std::pair<std::vector<pass::PassCall>, pass::PassContext>> {
    RX_TRY(text, pipelineText(setup_.passes));
    RX_TRY(calls, compile::stepsFor(*module, text->text()));
    pass::PassContext context;
    RX_TRY(target, compile::targetHere(setup_.target.empty() ? "llvm" : setup_.target));
    context.target = target;
    return std::pair(std::move(calls), std::move(context));
  }();
  if (!steps) return failed(steps.diagnostics());
  pass::RunOptions options;
  options.context = steps->second;
  options.progress = [&](size_t step, size_t count) {
    (void)writeFile(setup_.folder + kUnderWay, step < count ? steps->first[step].text() : std::string());
  };
  const pass::History history = pass::runPipeline(module, steps->first, options);
  Json rows = Json::array({rowOf("imported", "", moduleFile(setup_.input.path))});
  std::vector<ir::Module> modules{module};
  rows[0]["module"] = 0;
  for (const pass::StepRecord& step : history.steps) {
    Json row = rowOf(step.name, step.call, "");
    if (step.failed()) {
      row["diagnostics"] = diagnosticsJson(step.messages, *module->sources);
    } else {
      row["module"] = modules.size();
      addVerdict(step.after, &row);
      modules.push_back(step.after);
    }
    rows.push_back(std::move(row));
  }
  return withModules(std::move(rows), modules, setup_.folder);
}

bool StageRuns::readsStages() const { return setup_.input.module.empty() && holdsStages(setup_.input.path); }

Json StageRuns::prepare() const { return readsStages() ? stagesOfFolder() : stagesOfPasses(); }

std::string StageRuns::passUnderWay() const {
  Result<std::string> text = readFile(setup_.folder + kUnderWay);
  return text ? std::move(*text) : std::string();
}

Json StageRuns::run(size_t module) const {
  Interrupt interrupt(setup_.timeLimit);
  const Result<pass::History> history = readStages(setup_.folder);
  if (!history) return failed(history.diagnostics());
  const ir::Module stage = history->stage(module);
  const auto recorded = [&]() -> Result<Json> {
    RX_TRY(compiled, compile::compiledForm(stage));
    const auto function = refAs<relax::Function>(compiled->find(setup_.values.function));
    if (!function)
      return fail("run.no-function", fmt::format("the stage has no Relax function \"{}\"", setup_.values.function));
    RX_TRY(values, valuesFor(setup_.values, setup_.input.path, *function));
    compile::Request request;
    request.module = stage;
    request.passes = evaluate::fewestPasses();
    RX_TRY(mode, compile::modeNamed(setup_.mode));
    request.mode = mode;
    compile::Control control;
    control.keepStages = true;
    RX_TRY(program, compile::compile(request, control));
    RX_TRY(kernels, compile::kernelsOf(program, control, compile::openKernelStore(compile::kernelStoreFolder())));
    RX_TRY(registry, plugin::registryWith({}));
    const AgainstRun run{setup_.values.function, std::move(values), registry, {}};
    const Interruptible running(interrupt, [&run] { run.cancel.cancel(); });
    RX_TRY(machine, startedMachine(program, kernels, run));
    std::vector<std::shared_ptr<const debug::Stage>> before;
    if (module > 0) before.push_back(std::make_shared<debug::Stage>("imported", history->imported));
    RX_TRY(policy, store::policyNamed("everything"));
    RX_TRY(warnings, runRecorded(
                         *machine, program, recordingOf(module), policy, [] { return int64_t{0}; }, before));
    if (const vm::Fault* fault = machine->fault()) return fail(interrupt.explained(fault->diagnostics));
    if (!warnings.empty()) return fail(warnings);
    if (!setup_.expect.empty()) return besideExpected(machine->result(), setup_.expect, setup_.limit);
    return Json::object();
  };
  return answer(recorded(), *stage->sources);
}

Json StageRuns::lastPlace(size_t module) const {
  const auto found = [&]() -> Result<Json> {
    RX_TRY(run, debug::Recording::open(recordingOf(module)));
    RX_TRY(next, run->reader().next(run->reader().recorded()));
    if (next.instruction >= run->program().instructions.size()) return Json::object();
    const debug::Instruction& instruction = run->program().instructions[next.instruction];
    Json place = {{"instruction", withSingleBlanks(instruction.text)},
                  {"binding", run->bindingOf(next.instruction)},
                  {"function", run->program().functions[static_cast<size_t>(instruction.function)].name},
                  {"given", Json::array()}};
    for (const int reg : instruction.arguments) {
      if (reg < 0) continue;
      const auto value =
          run->reader().registerAt(run->reader().recorded(), next.activation, static_cast<uint32_t>(reg));
      const auto told = value ? run->described(run->reader().recorded(), *value) : Result<debug::Value>(debug::Value{});
      if (told) place["given"].push_back(debug::valueText(*told));
    }
    return place;
  };
  return answer(found());
}

Json StageRuns::compare(size_t module, size_t reference) const {
  const auto compared = [&]() -> Result<Json> {
    RX_TRY(got, debug::Recording::open(recordingOf(module)));
    RX_TRY(wanted, debug::Recording::open(recordingOf(reference)));
    RX_TRY(errors, debug::bindingErrors(*got, *wanted, setup_.limit));
    if (readsStages()) dropWrongMatches(&errors);
    Json rows = Json::array();
    for (const debug::BindingError& each : errors) rows.push_back(errorRow(each));
    return Json{{"bindings", std::move(rows)}};
  };
  return answer(compared());
}

Json StageRuns::explain(size_t module, size_t reference) const {
  const auto explained = [&]() -> Result<Json> {
    RX_TRY(history, readStages(setup_.folder));
    RX_TRY(got, debug::Recording::open(recordingOf(module)));
    RX_TRY(wanted, debug::Recording::open(recordingOf(reference)));
    RX_TRY(errors, debug::bindingErrors(*got, *wanted, setup_.limit));
    RX_TRY(given, debug::givenIn(*got));
    Json rows = Json::array();
    for (const debug::BindingError& each : errors) {
      Json row = errorRow(each);
      if (!each.error.within() && each.place.known()) {
        row.update(causeOf(*got, history.imported, given, each, setup_.limit));
        RX_TRY(overwritten, overwrittenFor(*got, each));
        if (!overwritten.is_null()) row["overwritten"] = std::move(overwritten);
      }
      rows.push_back(std::move(row));
    }
    return Json{{"bindings", std::move(rows)}};
  };
  return answer(explained());
}

}  // namespace rx::cli
