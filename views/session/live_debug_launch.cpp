// The part of LiveDebug that says to the engine what shall run, and how.
#include "views/session/live_debug_ask.h"

namespace rx::views {

/// What the passes made goes to the engine as data; a stage of a folder goes as its text, whose passes run there.
void LiveDebug::launch() {
  if (attached()) return launchAttached();
  if (!document_->canRunPasses()) return launch({});
  document_->writeStages(this, [this, engine = engines_](Result<QString> stages) {
    if (engine != engines_ || !engine_) return;
    if (!stages) return refused(stages.diagnostics());
    launch(*stages);
  });
}

void LiveDebug::launchAttached() {
  document_->moduleJson(this, [this, engine = engines_](const QString& module) {
    if (engine != engines_ || !engine_) return;
    ++runs_;
    tracePath_.clear();  // it lies where the engine runs
    dap::LaunchArguments launch;
    launch.ir = module.toStdString();
    launch.passes = document_->pipeline().toStdString();
    sendLaunch(std::move(launch));
  });
}

void LiveDebug::launch(const QString& stages) {
  tracePath_ = traces_.filePath(QStringLiteral("run_%1.rxtrace").arg(++runs_));
  dap::LaunchArguments launch;
  launch.trace = tracePath_.toStdString();
  launch.stages = stages.toStdString();
  if (stages.isEmpty()) {
    launch.program = document_->programPath(config_.stage).toStdString();
    launch.module = document_->moduleName().toStdString();
  }
  sendLaunch(std::move(launch));
}

void LiveDebug::sendLaunch(dap::LaunchArguments launch) {
  configured_ = false;
  launch.function = config_.function.toStdString();
  launch.params = config_.paramsFile.toStdString();
  launch.inputs = config_.inputsFile.toStdString();
  for (const QString& file : config_.files) launch.files.push_back(file.toStdString());
  for (const QString& choice : config_.choices) launch.choices.push_back(choice.toStdString());
  launch.ignoreExtra = config_.ignoreExtra;
  if (config_.generates()) launch.seed = config_.seed;
  dap::Json symbols = dap::Json::object();
  for (const QString& value : config_.symbolValues) {
    symbols[value.section('=', 0, 0).toStdString()] = value.section('=', 1).toLongLong();
  }
  if (!symbols.empty()) launch.symbols = symbols;
  launch.stopOnEntry = config_.stopOnEntry;
  launch.stopOnEnd = true;
  launch.stage = engineStage();
  launch.target = config_.target.toStdString();
  launch.mode = config_.mode.toStdString();
  if (!config_.keep.isEmpty()) launch.recordKeep = config_.keep.toStdString();
  const auto budget = [](qint64 most) { return most > 0 ? std::optional<int64_t>(most) : std::nullopt; };
  launch.maxInstructions = budget(config_.budgets.instructions);
  launch.maxMemory = budget(config_.budgets.memory);
  launch.recordBytes = budget(config_.budgets.record);
  engine_->client().request(
      "initialize",
      {{"clientID", "relaxscope"}, {"adapterID", "rxs"}, {"linesStartAt1", true}, {"columnsStartAt1", true}});
  engine_->client().call<dap::Launch>(launch, [this, engine = engines_](Result<dap::Nothing> body) {
    if (!body && engine == engines_) refused(body.diagnostics());
  });
}

void LiveDebug::configure() {
  sendFilters();
  sendBreakpoints();
  configured_ = true;
  // A run that stops nowhere says what runs by the first instructions, also in a kernel that lets nobody ask.
  if (program_.empty()) growProgram();
  engine_->client().request("configurationDone", dap::Json::object(),
                            [this, engine = engines_](Result<dap::Json> body) {
                              if (engine != engines_) return;
                              if (!body) return fail(body.diagnostics());
                              if (state_ == RunState::Starting) setState(RunState::Running);
                            });
}

}  // namespace rx::views
