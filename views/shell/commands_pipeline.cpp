// What edits the pipeline: every change is another text of it, so that all of them can be undone.
#include <algorithm>

#include "core/compile/request/languages.h"
#include "core/pass/literal.h"
#include "core/pass/only.h"
#include "views/models/diagnostic_sentence.h"
#include "views/models/missing_functions.h"
#include "views/models/samples.h"
#include "views/panels/panel.h"
#include "views/panels/pipeline/context_row.h"
#include "views/panels/pipeline/pipeline_rows.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/dock_area.h"
#include "views/shell/when_stopped.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

PipelineRows rowsOf(const Desk& desk) { return pipelineRows(desk.document.pipeline(), desk.document.language()); }

/// Runs the passes as they are now no further than they were run before.
QString set(Desk& desk, const QString& text) {
  desk.document.setPipeline(text);
  if (const QString refused = desk.document.pipelineError(); !refused.isEmpty()) return refused;
  const int stage = desk.selection.place().stage;
  if (stage > desk.document.lastStage()) goToStage(desk, desk.document.lastStage());
  return {};
}

/// The row that an argument names by its number from 0; -1 where there is none.
int rowArgument(const Desk& desk, const QStringList& arguments, int at = 0) {
  bool ok = false;
  const int row = arguments.value(at).toInt(&ok);
  return ok && row >= 0 && row < static_cast<int>(rowsOf(desk).size()) ? row : -1;
}

QString noSuchRow(const Desk& desk) {
  return QStringLiteral("rows of the pipeline are 0 to %1").arg(static_cast<int>(rowsOf(desk).size()) - 1);
}

void select(Desk& desk, int row) {
  if (Panel* panel = desk.window.panel("pipeline")) panel->command("select", {QString::number(row)});
}

QString add(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) {
    const QString refused = desk.window.showPanel("pipeline");
    Panel* panel = desk.window.panel("pipeline");
    if (refused.isEmpty() && panel) panel->command("add", {});
    return refused;
  }
  PipelineRows rows = rowsOf(desk);
  const int count = static_cast<int>(rows.size());
  const int at = arguments.size() > 1 ? std::clamp(arguments[1].toInt(), 0, count) : count;
  const Result<PipelineRows> made = views::rowsOf(arguments[0], languageAt(rows, at, desk.document.language()));
  if (!made) return sentenceOf(made.diagnostics().front());
  rows.insert(rows.begin() + at, made->begin(), made->end());
  const QString refused = set(desk, pipelineText(rows));
  if (refused.isEmpty()) select(desk, at + static_cast<int>(made->size()) - 1);
  return refused;
}

/// The row behind the passes that made a stage.
int rowBehind(const PipelineRows& rows, int stage) {
  int row = 0;
  for (int made = 0; made < stage && row < static_cast<int>(rows.size()); ++row)
    made += rows[static_cast<size_t>(row)].on;
  return row;
}

/// Asks in the panel for a pass, for this function alone where one is named.
QString ask(Desk& desk, const QString& function) {
  const QString refused = desk.window.showPanel("pipeline");
  if (!refused.isEmpty()) return refused;
  select(desk, rowBehind(rowsOf(desk), desk.selection.place().stage) - 1);
  if (Panel* panel = desk.window.panel("pipeline")) panel->command("add", {function});
  return {};
}

/// Behind the stage that is shown; the passes behind it then start from the new one.
QString apply(Desk& desk, const QStringList& arguments) {
  const int stage = desk.selection.place().stage;
  PipelineRows rows = rowsOf(desk);
  const int at = rowBehind(rows, stage);
  if (arguments.isEmpty()) return ask(desk, {});
  Result<PipelineRows> made = views::rowsOf(arguments[0], languageAt(rows, at, desk.document.language()));
  if (!made) return sentenceOf(made.diagnostics().front());
  for (PipelineRow& row : *made) {
    if (arguments.size() < 2) break;
    const QString option = QString::fromUtf8(pass::onlyOption().name);
    Result<PipelineRow> narrowed = withOption(row, option, arguments[1]);
    if (!narrowed) return sentenceOf(narrowed.diagnostics().front());
    row = std::move(*narrowed);
  }
  rows.insert(rows.begin() + at, made->begin(), made->end());
  const QString refused = set(desk, pipelineText(rows));
  if (refused.isEmpty()) goToStage(desk, stage + static_cast<int>(made->size()));
  return refused;
}

QString applyTo(Desk& desk, const QStringList& arguments) {
  const QString function = arguments.value(1, desk.selection.place().function);
  if (function.isEmpty()) return QStringLiteral("no function is selected");
  return arguments.value(0).isEmpty() ? ask(desk, function) : apply(desk, {arguments[0], function});
}

/// The schedule that every kernel gets on a device, where a stage has some that no device can run.
QString schedule(Desk& desk, const QStringList&) { return apply(desk, {QStringLiteral("DefaultGPUSchedule()")}); }

/// A list of names as options of passes have it.
QString listText(const QStringList& names) {
  std::vector<NodeRef> items;
  for (const QString& name : names) items.push_back(ir::strAttr(Str(name.toStdString())));
  return QString::fromStdString(pass::literalText(ir::arrayAttr(Array<NodeRef>(std::move(items)))));
}

/// Once the stage that is selected is there: the last run again, by the pipeline as it is now. Where none was asked
/// for, nothing runs. With a binding it goes on to that: all before it is as it was.
void runAgain(Desk& desk, const QString& function = {}, const QString& binding = {}) {
  if (desk.debug.config().function.isEmpty()) return;
  RunConfig config = desk.debug.config();
  config.stage = desk.selection.place().stage;  // what is new there is what is looked at
  whenStage(desk, desk.document.path(), config.stage, [&desk, config, function, binding] {
    desk.debug.start(config);
    const StageIndexPtr stage = desk.document.stage(config.stage, false);
    const FunctionRow* row = stage ? stage->function(function) : nullptr;
    const BindingRow* at = row ? row->bindingNamed(binding) : nullptr;
    if (at) whenStopped(desk, [&desk, function, ordinal = at->ordinal] { desk.debug.runTo(function, ordinal); });
  });
}

/// A pass in front of all others, and the last run again with what it makes.
QString applyInFront(Desk& desk, const QString& pass) {
  goToStage(desk, 0);
  const QString refused = apply(desk, {pass});
  if (refused.isEmpty()) runAgain(desk);
  return refused;
}

QString stub(Desk& desk, const QStringList& arguments) {
  QStringList names = arguments;
  if (const RunFailure* failure = desk.debug.failure(); failure && names.isEmpty()) names = missingFunctions(*failure);
  if (names.isEmpty()) return QStringLiteral("no run lacked a function; name those that zeros are to stand for");
  return applyInFront(desk, QStringLiteral("StubExternalCalls(names=%1)").arg(listText(names)));
}

QString raise(Desk& desk, const QStringList& arguments) {
  const BindingRow* binding = selectedBinding(desk);
  if (!binding) return QStringLiteral("select a binding that an operator makes");
  const QString name = binding->name, function = desk.selection.place().function;
  const QString refused = apply(desk, {QStringLiteral("RaisePrecision(bindings=%1, dtype=\"%2\")")
                                           .arg(listText({name}), arguments.value(0, QStringLiteral("float32"))),
                                       function});
  if (refused.isEmpty()) runAgain(desk, function, name);
  return refused;
}

/// "n=512 m=3" as a dictionary; empty where it is none.
QString boundsText(const QStringList& arguments) {
  std::vector<std::pair<Str, NodeRef>> bounds;
  for (const QString& each : arguments.join(' ').split(' ', Qt::SkipEmptyParts)) {
    if (each.endsWith('=')) continue;  // offered, and left open
    bool is = false;
    const qint64 size = each.section('=', 1).toLongLong(&is);
    if (!is || size < 0 || each.section('=', 0, 0).isEmpty()) return {};
    bounds.emplace_back(Str(each.section('=', 0, 0).toStdString()), ir::intAttr(size));
  }
  return bounds.empty() ? QString() : QString::fromStdString(pass::literalText(make<ir::DictAttrs>(std::move(bounds))));
}

/// The pass that bounds symbols, in front of all others; one that stands there takes the new bounds.
QString boundSymbols(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("bounds");
  const QString bounds = boundsText(arguments);
  if (bounds.isEmpty()) return QStringLiteral("the largest size of each symbol: n=512");
  const QString pass = QStringLiteral("AttachVariableBounds");
  PipelineRows rows = rowsOf(desk);
  const int shown = desk.selection.place().stage;
  const bool there = !rows.empty() && rows.front().on && rows.front().name() == pass;
  if (there) rows.erase(rows.begin());
  const Result<PipelineRows> made =
      views::rowsOf(QStringLiteral("%1(variable_bounds=%2)").arg(pass, bounds), desk.document.language());
  if (!made) return sentenceOf(made.diagnostics().front());
  rows.insert(rows.begin(), made->begin(), made->end());
  const QString refused = set(desk, pipelineText(rows));
  // The stage that was looked at is one further down now, so that its figures are seen to change.
  if (refused.isEmpty()) goToStage(desk, there ? shown : shown + 1);
  return refused;
}

bool hasUnscheduled(const Desk& desk) {
  const StageIndexPtr stage =
      when::canRunPasses(desk) ? desk.document.stage(desk.selection.place().stage, false) : nullptr;
  return stage && std::any_of(stage->functions.begin(), stage->functions.end(),
                              [](const FunctionRow& function) { return function.badge && !function.badge->ready; });
}

QString setTarget(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("target");
  const QString text = arguments.join(' ');
  const QString refused = desk.document.setTarget(text == "host" ? QString() : text);
  if (refused.isEmpty()) desk.document.runPassesTo(desk.selection.place().stage);
  return refused;
}

QString remove(Desk& desk, const QStringList& arguments) {
  const int row = rowArgument(desk, arguments);
  if (row < 0) return noSuchRow(desk);
  PipelineRows rows = rowsOf(desk);
  const QString name = rows[static_cast<size_t>(row)].name();
  rows.erase(rows.begin() + row);
  const QString refused = set(desk, pipelineText(rows));
  if (refused.isEmpty()) desk.window.say(QStringLiteral("%1 is removed.").arg(name), {"pipeline.undo"});
  return refused;
}

QString move(Desk& desk, const QStringList& arguments) {
  const int from = rowArgument(desk, arguments), to = rowArgument(desk, arguments, 1);
  if (from < 0 || to < 0) return noSuchRow(desk);
  PipelineRows rows = rowsOf(desk);
  const PipelineRow moved = rows[static_cast<size_t>(from)];
  rows.erase(rows.begin() + from);
  rows.insert(rows.begin() + to, moved);
  const QString refused = set(desk, pipelineText(rows));
  if (refused.isEmpty()) select(desk, to);
  return refused;
}

QString switchRow(Desk& desk, const QStringList& arguments) {
  const int row = rowArgument(desk, arguments);
  if (row < 0) return noSuchRow(desk);
  PipelineRows rows = rowsOf(desk);
  bool& on = rows[static_cast<size_t>(row)].on;
  on = arguments.size() > 1 ? arguments[1] == QLatin1String("on") : !on;
  return set(desk, pipelineText(rows));
}

/// The row of the pass that made a stage, -1 for none.
int rowOfStage(const PipelineRows& rows, int stage) {
  const int row = rowBehind(rows, stage) - 1;
  return stage > 0 && row >= 0 && rows[static_cast<size_t>(row)].on ? row : -1;
}

QString disable(Desk& desk, const QStringList& arguments) {
  bool ok = false;
  int stage = arguments.value(0).toInt(&ok);
  if (!ok) stage = desk.selection.place().stage;
  PipelineRows rows = rowsOf(desk);
  const int row = rowOfStage(rows, stage);
  if (row < 0) return QStringLiteral("no pass made that stage");
  const QString name = rows[static_cast<size_t>(row)].name();
  rows[static_cast<size_t>(row)].on = false;
  const QString refused = set(desk, pipelineText(rows));
  if (refused.isEmpty()) desk.window.say(QStringLiteral("%1 is switched off.").arg(name), {"pipeline.undo"});
  return refused;
}

QString option(Desk& desk, const QStringList& arguments) {
  const int row = rowArgument(desk, arguments);
  if (row < 0) return noSuchRow(desk);
  PipelineRows rows = rowsOf(desk);
  PipelineRow& edited = rows[static_cast<size_t>(row)];
  Result<PipelineRow> made = withOption(edited, arguments.value(1), arguments.value(2));
  if (!made) return sentenceOf(made.diagnostics().front());
  edited = std::move(*made);
  return set(desk, pipelineText(rows));
}

QString preset(Desk& desk, const QStringList& arguments) {
  const std::vector<PassName> names = passNames();
  const bool known = std::any_of(names.begin(), names.end(), [&](const PassName& pass) {
    return pass.isPipeline && pass.name == arguments.value(0);
  });
  if (!known) return QStringLiteral("there is no pipeline '%1'").arg(arguments.value(0));
  return set(desk, pipelineText(pipelineRows(arguments[0], desk.document.language())));
}

/// The pass of the module's language that binds every value in its scope.
QString scopedForm(const Desk& desk) {
  return QString::fromUtf8(compile::scopedForm(desk.document.language().toStdString()));
}
bool canRaise(const Desk& desk) { return when::canRunPasses(desk) && when::hasBinding(desk); }
bool hasForms(const Desk& desk) { return when::hasFunction(desk) && !scopedForm(desk).isEmpty(); }

/// The stage that the pass makes: where the pipeline has it, else behind the stage that is shown, where it is put.
Result<int> formsStage(Desk& desk) {
  const QString language = desk.document.language();
  PipelineRows rows = rowsOf(desk);
  Result<PipelineRows> made = views::rowsOf(scopedForm(desk), language);
  if (!made) return fail(made.diagnostics());
  int stage = 0;
  for (const PipelineRow& row : rows) {
    stage += row.on;
    if (row.on && row.call.row == made->front().call.row) return stage;
  }
  stage = desk.selection.place().stage;
  int at = rowBehind(rows, stage);
  if (languageAt(rows, at, language) != language) at = stage = 0;  // the module has left the language there
  rows.insert(rows.begin() + at, made->begin(), made->end());
  if (const QString refused = set(desk, pipelineText(rows)); !refused.isEmpty())
    return fail("pipeline.refused", refused.toStdString());
  desk.window.say(QStringLiteral("%1 is in the pipeline now.").arg(made->front().name()), {"pipeline.undo"});
  return stage + 1;
}

QString forms(Desk& desk, const QStringList&) {
  const Result<int> stage = formsStage(desk);
  if (!stage) return sentenceOf(stage.diagnostics().front());
  goToStage(desk, *stage);
  const auto show = [&desk, stage = *stage] { desk.window.docks().pairForms(stage - 1, stage); };
  if (desk.document.stage(*stage, false)) return show(), QString();
  whenStage(desk, desk.document.path(), *stage, show);
  return {};
}

/// Takes the settings, of which none or one more row of the pipeline tells, and shows the stage that was shown.
QString under(Desk& desk, const PipelineRows& rows) {
  const int stage = desk.selection.place().stage;
  const auto steps = [&] { return static_cast<int>(desk.document.steps().size()); };
  const int before = steps();
  const QString refused = set(desk, pipelineText(rows));
  if (!refused.isEmpty()) return refused;
  const std::vector<Diagnostic> wrong = contextSettings(rows).problems;
  if (wrong.empty() && stage > 0) goToStage(desk, std::max(0, stage + steps() - before));
  if (!wrong.empty())
    desk.window.say(QStringLiteral("%1. No pass runs until this is right.").arg(sentenceOf(wrong.front())),
                    {"pipeline.undo"});
  return {};
}

QString level(Desk& desk, const QStringList& arguments) {
  bool ok = false;
  const int level = arguments.value(0).toInt(&ok);
  return ok && level >= 0 ? under(desk, withLevel(rowsOf(desk), level))
                          : QStringLiteral("the level is a number from 0");
}

QString config(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showPanel("context");
  const Result<PipelineRows> rows = withKey(rowsOf(desk), arguments[0], arguments.mid(1).join(' '));
  return rows ? under(desk, *rows) : sentenceOf(rows.diagnostics().front());
}

QString turnName(Desk& desk, const QStringList& arguments, const char* option) {
  if (arguments.isEmpty()) return desk.window.showPanel("context");
  return under(desk, withName(rowsOf(desk), arguments[0], option));
}
QString disabled(Desk& desk, const QStringList& arguments) { return turnName(desk, arguments, "disabled_pass"); }
QString required(Desk& desk, const QStringList& arguments) { return turnName(desk, arguments, "required_pass"); }

/// The calls of a way, with the file that they name: the one that is given, else that of the weights beside the module.
QString callsOf(const Desk& desk, const StepRow::Way& way, const QString& given) {
  if (!way.before.contains(kFileOfWay)) return way.before;
  const QString file = given.isEmpty() ? fileBeside(desk.document.folder(), QStringLiteral("params")) : given;
  if (file.isEmpty()) return {};
  return QString(way.before).replace(kFileOfWay, qtText(pass::literalText(ir::strAttr(Str(file.toStdString())))));
}

/// Does what lets a pass do what it left, and runs as far as the pass again.
QString forward(Desk& desk, const QStringList& arguments) {
  bool isStage = false;
  int stage = arguments.value(0).toInt(&isStage);
  if (!isStage) stage = desk.selection.place().stage;
  PipelineRows rows = rowsOf(desk);
  const int row = rowOfStage(rows, stage);
  if (row < 0) return QStringLiteral("no pass made that stage");
  const std::vector<StepRow>& steps = desk.document.steps();
  const auto ways =
      static_cast<size_t>(stage) < steps.size() ? steps[static_cast<size_t>(stage)].ways : std::vector<StepRow::Way>();
  const auto number = static_cast<size_t>(std::max(0, arguments.value(1).toInt()));
  const QString name = rows[static_cast<size_t>(row)].name();
  if (number >= ways.size()) return QStringLiteral("no way forward is known of %1").arg(name);
  const StepRow::Way& way = ways[number];
  if (way.before.isEmpty()) {
    desk.selection.selectStage(stage);
    return config(desk, {way.config, way.value});
  }
  const QString calls = callsOf(desk, way, arguments.value(2));
  if (calls.isEmpty()) return QStringLiteral("no file with weights stands beside the module: name one");
  const Result<PipelineRows> made = views::rowsOf(calls, languageAt(rows, row, desk.document.language()));
  if (!made) return sentenceOf(made.diagnostics().front());
  rows.insert(rows.begin() + row, made->begin(), made->end());
  const QString refused = set(desk, pipelineText(rows));
  if (!refused.isEmpty()) return refused;
  const int more = static_cast<int>(made->size());
  select(desk, row + more);
  goToStage(desk, stage + more);
  desk.window.say(QStringLiteral("%1 runs in front of %2 now.").arg(made->front().name(), name), {"pipeline.undo"});
  return {};
}

QString undo(Desk& desk, const QStringList&) { return set(desk, desk.document.pipelineBefore()); }
QString redo(Desk& desk, const QStringList&) { return set(desk, desk.document.pipelineAfter()); }

QString copy(Desk& desk, const QStringList&) {
  desk.window.copyText(desk.document.commandLine(when::stageCount(desk) - 1), QStringLiteral("the rxs command"));
  return {};
}

QString diff(Desk& desk, const QStringList& arguments) {
  bool ok = false;
  const int stage = arguments.value(0).toInt(&ok);
  if (!ok || stage < 1 || stage >= when::stageCount(desk))
    return QStringLiteral("stages with one before them are 1 to %1").arg(when::stageCount(desk) - 1);
  goToStage(desk, stage);
  desk.document.readOther({});
  desk.selection.setCompareStage(-1);
  return desk.window.showPanel("diff");
}

QString stageOutcome(const Desk& desk) {
  const int stage = desk.selection.place().stage;
  return stage <= desk.document.lastStage() ? QString() : QStringLiteral("stage %1 was not reached").arg(stage);
}

bool canUndo(const Desk& desk) { return when::canRunPasses(desk) && !desk.document.pipelineBefore().isNull(); }
bool canRedo(const Desk& desk) { return when::canRunPasses(desk) && !desk.document.pipelineAfter().isNull(); }

constexpr Command kRows[] = {
    {"pipeline.add", "Add Pass…", "Puts a pass into the pipeline, at its end or before a row.", "", "Passes/Pipeline",
     0, "[CALL [ROW]]", "insert pipeline", nullptr, when::canRunPasses, add, nullptr},
    {"pass.apply", "Apply Pass Here…", "Puts a pass behind the stage that is shown, and runs it.", "",
     "Passes/Pipeline", 0, "[CALL]", "insert pipeline here run", nullptr, when::canRunPasses, apply, stageOutcome},
    {"pass.applyTo", "Apply Pass to This Function…",
     "Puts a pass behind the stage that is shown, for the selected function or kernel alone, and runs it.", "",
     "Passes/Pipeline", 0, "[CALL [FUNCTION]]", "insert pipeline only kernel run", nullptr, when::canRunPasses, applyTo,
     stageOutcome},
    {"pass.schedule", "Apply Default Schedule Here",
     "Puts DefaultGPUSchedule behind the stage that is shown: each kernel gets a schedule that a device can run.", "",
     "Passes/Pipeline", 0, "", "bind threads gpu device badge unscheduled", nullptr, hasUnscheduled, schedule,
     stageOutcome},
    {"pass.stub", "Stub Missing Functions",
     "Puts zeros in the place of calls of functions that nobody gives, in front of all passes, and runs again.", "",
     "Passes/Pipeline", 0, "[NAME…]", "external packed function PackedFunc link zeros", nullptr, when::canRunPasses,
     stub, stageOutcome},
    {"pass.raise", "Compute in float32",
     "Gives the selected binding, and what operators make of it, float32 behind the stage that is shown, and runs "
     "again as far as that binding.",
     "", "Passes/Pipeline", 0, "[float32|float64]", "cast precision fp16 half Inf overflow", nullptr, canRaise, raise,
     stageOutcome},
    {"pass.bounds", "Bounds of Symbols…",
     "Says how large symbolic variables get at the most: memory is planned for that, and a run with more is refused.",
     "", "Passes/Pipeline", 0, "[NAME=SIZE…]", "upper bound tir_var_upper_bound memory plan dynamic", nullptr,
     when::canRunPasses, boundSymbols, stageOutcome},
    {"pass.target", "Target of the Passes…",
     "What the passes compile for: host is this machine; for a device each kernel says whether it can run there.", "",
     "Passes", 2, "[TARGET|host]", "device gpu badge", nullptr, when::canRunPasses, setTarget, nullptr},
    {"pipeline.remove", "Remove Pass", "Takes a row out of the pipeline.", "", "", 0, "ROW", "delete pipeline", nullptr,
     when::canRunPasses, remove, nullptr},
    {"pipeline.move", "Move Pass", "Moves a row of the pipeline to the place of another.", "", "", 0, "ROW TO",
     "order pipeline", nullptr, when::canRunPasses, move, nullptr},
    {"pipeline.switch", "Switch Pass", "Leaves a row of the pipeline out, or takes it in again.", "", "", 0,
     "ROW [on|off]", "disable enable pipeline", nullptr, when::canRunPasses, switchRow, nullptr},
    {"pass.disable", "Switch Off This Pass", "Leaves the pass that made the stage out of the pipeline.", "",
     "Passes/Pipeline", 1, "[STAGE]", "disable leave out skip", nullptr, when::canRunPasses, disable, nullptr},
    {"pass.forward", "Way Forward",
     "Changes the pipeline so that the pass which made the stage does what it left, and runs it again.", "", "", 0,
     "[STAGE [NUMBER [FILE]]]", "nothing remark reason fix", nullptr, when::canRunPasses, forward, stageOutcome},
    {"pass.level", "Level of Passes", "Leaves out the passes of a higher level.", "", "", 0, "LEVEL",
     "opt_level context optimisation", nullptr, when::canRunPasses, level, nullptr},
    {"pass.config", "Config of Passes…",
     "Sets a key that passes look at; without a value its default holds. With a key that is none no pass runs.", "",
     "Passes/Pipeline", 3, "[KEY [VALUE]]", "PassContext context key opt_level", nullptr, when::canRunPasses, config,
     nullptr},
    {"pass.disabled", "Disable Pass by Name", "Leaves every pass of a name out, also of pipelines, or runs it again.",
     "", "", 0, "NAME", "PassContext context disabled_pass", nullptr, when::canRunPasses, disabled, nullptr},
    {"pass.required", "Require Pass by Name", "Runs a pass whatever the level, or no more.", "", "", 0, "NAME",
     "PassContext context required_pass", nullptr, when::canRunPasses, required, nullptr},
    {"pipeline.option", "Set Option", "Sets an option of a pass; without a value its default holds.", "", "", 0,
     "ROW OPTION [VALUE]", "pipeline", nullptr, when::canRunPasses, option, nullptr},
    {"pipeline.preset", "Use Pipeline", "Puts a pipeline in the place of the one that is there.", "", "", 0, "NAME",
     "zero opt_llm default", nullptr, when::canRunPasses, preset, nullptr},
    {"pipeline.diff", "Diff of Pass", "Shows what the pass that made a stage changed.", "", "", 0, "STAGE", "pipeline",
     nullptr, when::open, diff, nullptr},
    {"pass.forms", "Graph Form and Let Form",
     "Shows a function as it is written and with every value bound in its scope, as graphs and as texts that are "
     "selected together.",
     "Ctrl+Alt+M", "Passes/Difference", 2, "", "scopes let normal form basic block side by side", nullptr, hasForms,
     forms, stageOutcome},
    {"pipeline.undo", "Undo Change of Pipeline", "Takes the last change of the pipeline back.", "", "Passes/Pipeline",
     1, "", "pipeline", nullptr, canUndo, undo, nullptr},
    {"pipeline.redo", "Redo Change of Pipeline", "Makes the change again that was taken back.", "", "Passes/Pipeline",
     1, "", "pipeline", nullptr, canRedo, redo, nullptr},
    {"pipeline.copy", "Copy as rxs Command", "Copies the rxs command that runs the pipeline.", "", "Passes/Pipeline", 2,
     "", "pipeline clipboard", nullptr, when::canRunPasses, copy, nullptr},
};

}  // namespace

std::span<const Command> pipelineCommands() { return kRows; }

}  // namespace rx::views
