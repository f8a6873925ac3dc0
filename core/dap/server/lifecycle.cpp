// Starting, ending and naming a run.
#include "core/dap/server/adapter.h"
#include "core/dap/server/names.h"
#include "core/debug/trace_history.h"
#include "core/support/memory_limit.h"

namespace rx::dap {

namespace {

/// Capabilities of DAP 1.71 that the engine has.
constexpr const char* kCapabilities[] = {
    "supportsConfigurationDoneRequest",
    "supportsFunctionBreakpoints",
    "supportsConditionalBreakpoints",
    "supportsHitConditionalBreakpoints",
    "supportsLogPoints",
    "supportsEvaluateForHovers",
    "supportsStepBack",
    "supportsRestartRequest",
    "supportsExceptionInfoRequest",
    "supportsTerminateRequest",
    "supportsDataBreakpoints",
    "supportsReadMemoryRequest",
    "supportsWriteMemoryRequest",
    "supportsSetVariable",
    "supportsSetExpression",
    "supportsDisassembleRequest",
    "supportsInstructionBreakpoints",
    "supportsSteppingGranularity",
    "supportsCancelRequest",
    "supportsBreakpointLocationsRequest",
    "supportsLoadedSourcesRequest",
    "supportsModulesRequest",
    "supportsGotoTargetsRequest",
    "supportsRestartFrame",
    "supportsStepInTargetsRequest",
    "supportsCompletionsRequest",
    "supportsExceptionFilterOptions",
    "supportsDelayedStackTraceLoading",
};

StageInfo stageInfo(const debug::Stage& stage, size_t index) {
  StageInfo info{static_cast<int64_t>(index), stage.title(), stage.hash(), {}};
  for (const debug::StageFunction& function : stage.functions()) info.functions.push_back(function.name.string());
  return info;
}

}  // namespace

Result<Json> Adapter::initialize(const InitializeArguments& arguments) {
  if (initialized_) return fail("dap.sequence", "`initialize` comes once");
  initialized_ = true;
  view_ = ClientView(arguments);
  tellsInvalidated_ = arguments.supportsInvalidatedEvent;
  tellsMemory_ = arguments.supportsMemoryEvent;
  Json body = Json::object();
  for (const char* name : kCapabilities) body[name] = true;
  body["completionTriggerCharacters"] = {".", "%"};
  body["exceptionBreakpointFilters"] = {
      {{"filter", "nonfinite"}, {"label", "NaN or Inf produced"}, {"default", false}},
      {{"filter", "matchCast"}, {"label", "match_cast or shape check failed"}, {"default", true}},
      {{"filter", "error"}, {"label", "Any other error"}, {"default", true}}};
  return body;
}

Result<LoadBody> Adapter::load(const LaunchArguments& arguments) {
  if (running_) return fail("dap.running", "`rxs/load` needs the program to be stopped");
  if (!host_.load) return fail("dap.no-compiler", "this engine has no compiler");
  RX_TRY(loaded, host_.load(arguments, cancel_));
  loaded_ = std::move(loaded);
  LoadBody body;
  for (size_t i = 0; i < loaded_->stages.size(); ++i) body.stages.push_back(stageInfo(*loaded_->stages[i], i));
  body.functions = loaded_->functions;
  return body;
}

Result<Nothing> Adapter::launch(const LaunchArguments& arguments) {
  if (running_) return fail("dap.running", "`launch` needs the program to be stopped");
  report_ = {};
  if (!arguments.program.empty() || arguments.ir || !arguments.stages.empty()) {
    RX_CHECK(load(arguments));
  } else if (!loaded_) {
    return fail("dap.arguments", "`launch` names no program, and none was loaded");
  }
  launch_ = arguments;
  RX_CHECK(startRun());
  configured_ = false;
  after_ = [this] { emit_("initialized", Json()); };
  return Nothing();
}

namespace {

/// By what was asked for, else by what there is.
void limitMemory(vm::MachineLimits& limits, const std::optional<int64_t>& asked) {
  const MemoryLimit limit = memoryLimit();
  limits.maxMemory = asked.value_or(static_cast<int64_t>(std::min<uint64_t>(limit.bytes, INT64_MAX)));
  limits.memoryFrom = "the budget is " + (asked ? std::string("what `maxMemory` of the launch says") : limit.why);
}

}  // namespace

Result<Unit> Adapter::startRun() {
  report_ = {};
  RX_TRY(values, loaded_->arguments ? loaded_->arguments(launch_) : host_.arguments(*loaded_, launch_, &report_));
  for (const std::string& note : report_.notes) emit_("output", {{"category", "console"}, {"output", note + "\n"}});
  vm::MachineOptions options;
  options.kernels = loaded_->kernels;
  options.registry = loaded_->registry;
  options.record = true;
  options.cancel = cancel_;
  pulse_->stop = false;
  options.stop = &pulse_->stop;
  for (const std::optional<int64_t>& budget : {launch_.maxInstructions, launch_.maxMemory, launch_.recordBytes})
    if (budget && *budget < 1) return fail("dap.arguments", "a budget of a run is a positive number");
  if (launch_.maxInstructions) options.limits.maxInstructions = static_cast<uint64_t>(*launch_.maxInstructions);
  limitMemory(options.limits, launch_.maxMemory);
  options.print = [this](std::string_view text) {
    emit_("output", {{"category", "stdout"}, {"output", std::string(text)}});
  };
  RX_TRY(machine, vm::Machine::create(loaded_->executable, std::move(options)));
  RX_CHECK(machine->start(launch_.function, std::move(values)));
  debug::Program program = debug::programOf(*loaded_->executable, loaded_->stages);
  debug::MachineHistory::Target target{launch_.trace};
  if (!launch_.trace.empty()) RX_CHECK(host_.writes.check(launch_.trace));
  RX_TRY(policy, store::policyNamed(launch_.recordKeep));
  target.policy = policy;
  if (launch_.recordBytes) target.policy.diskBudget = static_cast<uint64_t>(*launch_.recordBytes);
  int64_t stage = launch_.stage.value_or(session_ ? session_->map().stage() : 0);
  if (stage < 0 || stage >= static_cast<int64_t>(program.stages.size()))
    return fail("debug.stage", "there is no stage " + std::to_string(stage));
  RX_TRY(history, debug::MachineHistory::create(std::move(machine), std::move(program), target, pulse_));
  auto old = std::move(session_);
  history->onCompileTime(loaded_->compileTime);
  session_ = std::make_unique<debug::Session>(std::move(history), static_cast<int>(stage));
  // Another run of the same program keeps its breakpoints; counting starts anew.
  if (old && old->program().instructions.size() == session_->program().instructions.size()) {
    session_->filters() = old->filters();
    for (debug::Breakpoint& breakpoint : old->breakpoints()) {
      if (breakpoint.kind == debug::BreakKind::Data) continue;
      breakpoint.hits.clear();
      session_->breakpoints().push_back(std::move(breakpoint));
    }
  }
  session_->onLog([this](const std::string& text) {
    emit_("output", {{"category", "console"}, {"output", text + "\n"}});
  });
  tracePath_ = launch_.trace;
  byHand_.clear();
  forgetValues();
  return Unit();
}

void Adapter::forgetValues() {
  kernel_ = nullptr;
  importedMap_.reset();
  containers_.clear();
  containerNumbers_.clear();
  forgottenContainers_ = 0;
  parameters_.clear();
}

Result<Nothing> Adapter::restart(const Nothing&) {
  if (!loaded_) return fail("dap.sequence", "a trace can not be run again; `launch` its program");
  RX_CHECK(startRun());
  configured_ = false;
  return configurationDone({});
}

Result<Nothing> Adapter::configurationDone(const Nothing&) {
  if (configured_) return fail("dap.sequence", "`configurationDone` comes once after `launch`");
  configured_ = true;
  if (launch_.stopOnEntry) {
    after_ = [this] { report({debug::StopKind::Entry, {}, {}, {}}); };
    return Nothing();
  }
  if (launch_.noDebug) {
    session_->breakpoints().clear();
    session_->filters() = {false, false, false};
  }
  run([this] { return session_->forward(debug::Motion::Continue, debug::Granularity::Instruction, poll_); });
  return Nothing();
}

Result<Nothing> Adapter::disconnect(const DisconnectArguments&) {
  done_ = true;
  return terminate({});
}

Result<Nothing> Adapter::terminate(const Nothing&) {
  if (session_) after_ = [this] { emit_("terminated", Json::object()); };
  return Nothing();
}

Result<Position> Adapter::openTrace(const PathArguments& arguments) {
  if (running_) return fail("dap.running", "`rxs/openTrace` needs the program to be stopped");
  RX_TRY(history, debug::TraceHistory::open(arguments.path));
  int64_t last = history->recorded();
  loaded_ = nullptr;
  session_ = std::make_unique<debug::Session>(std::move(history));
  tracePath_ = arguments.path;
  forgetValues();
  configured_ = true;
  RX_CHECK(session_->goTo(last));
  return position();
}

Result<TraceBody> Adapter::trace(const Nothing&) { return TraceBody{tracePath_, session_->history().recorded()}; }

Result<Json> Adapter::threads(const Json&) {
  Json list = {{{"id", 1}, {"name", launch_.function.empty() ? "main" : launch_.function}}};
  for (int64_t i = 0; kernel_ && i < kernel_->size(); ++i)
    list.push_back({{"id", kFirstKernelThread + i}, {"name", kernel_->threadName(i)}});
  return Json{{"threads", std::move(list)}};
}

Result<StagesBody> Adapter::stages(const Nothing&) {
  StagesBody body;
  const auto& stages = session_->program().stages;
  for (size_t i = 0; i < stages.size(); ++i) body.stages.push_back(stageInfo(*stages[i], i));
  body.selected = session_->map().stage();
  body.passesRun = loaded_ ? loaded_->passesRun : 0;
  return body;
}

Result<Position> Adapter::selectStage(const StageArguments& arguments) {
  RX_CHECK(session_->selectStage(arguments.stage));
  return position();
}

Result<SourceBody> Adapter::source(const SourceArguments& arguments) {
  int64_t number = arguments.source && arguments.source->sourceReference ? *arguments.source->sourceReference
                                                                         : arguments.sourceReference;
  if (kernel_ && number == kKernelSources + kernelsEntered_) return SourceBody{kernel_->text(), "text/x-python"};
  if (!loaded_ || !loaded_->print || number < 1 || number > static_cast<int64_t>(loaded_->stages.size()))
    return fail("dap.arguments", "there is no source " + std::to_string(number));
  return SourceBody{loaded_->print(loaded_->stages[static_cast<size_t>(number - 1)]->module()), "text/x-python"};
}

}  // namespace rx::dap
