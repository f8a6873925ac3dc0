// Running, stepping and the events that they end in.
#include "core/dap/server/adapter.h"
#include "core/dap/server/names.h"

namespace rx::dap {

namespace {

struct StopRow {
  debug::StopKind kind;
  const char* reason;
};
constexpr StopRow kReasons[] = {
    {debug::StopKind::Entry, "entry"},
    {debug::StopKind::Step, "step"},
    {debug::StopKind::Breakpoint, "breakpoint"},
    {debug::StopKind::DataBreakpoint, "data breakpoint"},
    {debug::StopKind::Exception, "exception"},
    {debug::StopKind::Pause, "pause"},
    {debug::StopKind::GoTo, "goto"},
    {debug::StopKind::End, "end"},
};

MisfitInfo misfitInfo(debug::Misfit misfit) {
  static constexpr std::pair<debug::Misfit::What, const char*> kWords[] = {{debug::Misfit::What::Axis, "axis"},
                                                                           {debug::Misfit::What::Rank, "rank"},
                                                                           {debug::Misfit::What::Type, "dtype"},
                                                                           {debug::Misfit::What::Kind, "kind"},
                                                                           {debug::Misfit::What::Value, "value"}};
  MisfitInfo info;
  for (const auto& [what, word] : kWords)
    if (what == misfit.what) info.what = word;
  info.parameter = std::move(misfit.parameter);
  info.axis = misfit.axis;
  info.symbol = std::move(misfit.symbol);
  info.boundBy = std::move(misfit.boundBy);
  info.wanted = std::move(misfit.wanted);
  info.given = std::move(misfit.given);
  return info;
}

Result<debug::Granularity> granularityOf(const std::optional<std::string>& name) {
  if (!name || *name == "statement") return debug::Granularity::Statement;
  if (*name == "line") return debug::Granularity::Line;
  if (*name == "instruction") return debug::Granularity::Instruction;
  return fail("dap.arguments", "there is no granularity `" + escapedForDisplay(*name) + "`");
}

}  // namespace

void Adapter::run(std::function<debug::Stop()> motion) {
  kernel_ = nullptr;
  running_ = true;
  after_ = [this, motion = std::move(motion)] {
    pulse_->running = true;
    debug::Stop stop = motion();
    pulse_->running = false;
    running_ = false;
    // Of a run that the client ended, the end is all there is to tell.
    if (!done_ && !cancel_.cancelled()) report(stop);
  };
}

void Adapter::report(const debug::Stop& stop) {
  lastStop_ = stop;
  if (loaded_ && loaded_->notes)
    for (const std::string& note : loaded_->notes())
      emit_("output", {{"category", "console"}, {"output", note + "\n"}});
  bool over = stop.kind == debug::StopKind::End;
  if (over && !launch_.stopOnEnd && loaded_) {
    bool failed = session_->history().end() == debug::RunEnd::Failed;
    emit_("exited", {{"exitCode", failed ? 1 : 0}});
    emit_("terminated", Json::object());
    return;
  }
  const int64_t thread = kernel_ ? kFirstKernelThread + kernelThread_ : 1;
  const char* reason = "step";
  for (const StopRow& row : kReasons)
    if (row.kind == stop.kind) reason = row.reason;
  Json body = {{"reason", reason}, {"threadId", thread}, {"allThreadsStopped", true}, {"rxs", encode(position())}};
  if (!stop.description.empty()) body["description"] = body["text"] = stop.description;
  if (!stop.breakpoints.empty()) body["hitBreakpointIds"] = stop.breakpoints;
  if (!session_->breakpoints().empty()) body["breakpointHits"] = hits();
  if (!stop.diagnostics.empty()) body["diagnostics"] = errorBody(stop.diagnostics)["diagnostics"];
  if (auto misfit = stop.diagnostics.empty() ? std::nullopt : session_->history().misfit())
    body["misfit"] = encode(misfitInfo(std::move(*misfit)));
  emit_("stopped", std::move(body));
}

Position Adapter::position() const {
  Position p;
  debug::History& history = session_->history();
  p.step = session_->state();
  p.recorded = history.recorded();
  p.past = session_->past();
  p.ended = session_->ended();
  p.stage = session_->map().stage();
  p.depth = history.depth(p.step);
  if (p.step > 0) {
    debug::StagePlace done = session_->placeAt(p.step - 1);
    if (const debug::StageBinding* binding = session_->stage().binding(done)) {
      p.doneFunction = session_->stage().functions()[static_cast<size_t>(done.function)].name.string();
      p.doneBinding = done.ordinal;
      p.doneVariable = binding->variable.string();
    }
  }
  debug::Next next = history.next(p.step);
  p.instruction = next.instruction;
  if (next.instruction < 0) return p;
  const debug::Instruction& instruction = session_->program().instructions[static_cast<size_t>(next.instruction)];
  p.text = instruction.text;
  p.vmFunction = session_->program().functions[static_cast<size_t>(instruction.function)].name;
  debug::StagePlace place = session_->placeAt(p.step);
  if (const debug::StageBinding* binding = session_->stage().binding(place)) {
    p.function = session_->stage().functions()[static_cast<size_t>(place.function)].name.string();
    p.binding = place.ordinal;
    p.variable = binding->variable.string();
    p.line = binding->line;
  }
  return p;
}

Result<Nothing> Adapter::move(bool forward, debug::Motion motion, const std::optional<std::string>& granularity) {
  RX_TRY(by, granularityOf(granularity));
  run([=, this] { return forward ? session_->forward(motion, by, poll_) : session_->backward(motion, by, poll_); });
  return Nothing();
}

Result<Nothing> Adapter::go(const ThreadArguments&) { return move(true, debug::Motion::Continue, {}); }
Result<Nothing> Adapter::reverseGo(const ThreadArguments&) { return move(false, debug::Motion::Continue, {}); }
Result<Nothing> Adapter::next(const StepArguments& a) {
  if (isKernelThread(a.threadId)) return stepThreads({a.threadId});
  return move(true, debug::Motion::Over, a.granularity);
}
Result<Nothing> Adapter::stepOut(const StepArguments& a) {
  // Out of a kernel is behind its call, which its device makes.
  return move(true, isKernelThread(a.threadId) ? debug::Motion::Over : debug::Motion::Out, a.granularity);
}
Result<Nothing> Adapter::stepBack(const StepArguments& a) {
  if (isKernelThread(a.threadId)) return moveKernel(a.threadId, [this] { return kernel_->back(); });
  return move(false, debug::Motion::Over, a.granularity);
}

Result<Nothing> Adapter::reverseStep(const ReverseStepArguments& arguments) {
  static constexpr std::pair<std::string_view, debug::Motion> kinds[] = {
      {"over", debug::Motion::Over}, {"into", debug::Motion::Into}, {"out", debug::Motion::Out}};
  for (const auto& [name, motion] : kinds)
    if (arguments.kind == name) return move(false, motion, arguments.granularity);
  return fail("dap.arguments", "there is no reverse step `" + escapedForDisplay(arguments.kind) + "`");
}

Result<Nothing> Adapter::goTo(const GoToArguments& arguments) {
  RX_TRY(stop, session_->goTo(arguments.step));
  kernel_ = nullptr;
  after_ = [this, stop = std::move(stop)] { report(stop); };
  return Nothing();
}

Result<Nothing> Adapter::runTo(const BindingBreakpoint& arguments) {
  RX_TRY(place, placeOf(arguments));
  int stage = static_cast<int>(arguments.stage);
  if (debug::Breakpoint b = session_->bindingBreakpoint(stage, place); !b.verified())
    return fail("debug.place", b.message);
  run([=, this] {
    auto stop = session_->runTo(stage, place, poll_);
    return stop ? *stop : debug::Stop{debug::StopKind::Step, stop.diagnostics().front().message, {}, {}};
  });
  return Nothing();
}

Result<Nothing> Adapter::pause(const ThreadArguments&) {
  // The wish itself reaches the run through the server's poll; stopped already is no error.
  return Nothing();
}

}  // namespace rx::dap
