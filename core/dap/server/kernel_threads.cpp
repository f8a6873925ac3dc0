// Kernels of devices that a user steps into: their threads as threads of the protocol, in the interpreter.
#include <fmt/format.h>

#include <algorithm>

#include "core/dap/server/adapter.h"
#include "core/dap/server/names.h"
#include "core/dap/server/rows.h"

namespace rx::dap {

namespace {

/// Targets of steps that are kernels: the instruction of the call behind this number.
constexpr int64_t kKernelTargets = int64_t{1} << 30;

struct ScopeRow {
  const char *title, *scope, *hint;
};
constexpr ScopeRow kScopes[] = {
    {"Variables", "", "locals"},
    {"Memory of the thread", "local", "locals"},
    {"Memory of the group", "shared", ""},
    {"Memory of the device", "global", ""},
};

struct WhoRow {
  std::string_view name;
  debug::SteppedKernel::Who who;
};
constexpr WhoRow kWho[] = {{"thread", debug::SteppedKernel::Who::Thread},
                           {"warp", debug::SteppedKernel::Who::Warp},
                           {"group", debug::SteppedKernel::Who::Group}};

/// In the order of SteppedKernel::State.
constexpr std::string_view kStates[] = {"ready", "waits", "done", "failed"};

Failure noThread(int64_t id) { return fail("dap.thread", fmt::format("there is no thread {} of a kernel here", id)); }

/// "[0.5, 1, …] of (8, 64)".
std::string firstElements(const HostTensor& tensor) {
  constexpr int64_t kMost = 64;
  std::vector<std::string> elements;
  for (int64_t i = 0; i < std::min(tensor.count(), kMost); ++i) elements.push_back(elementText(tensor, i));
  if (tensor.count() > kMost) elements.emplace_back("…");
  return fmt::format("[{}] of ({})", fmt::join(elements, ", "), fmt::join(tensor.shape(), ", "));
}

/// A tensor or number that is no part of the run.
debug::Value valueOf(const vm::Value& constant) {
  if (constant.is(vm::ValueKind::Tensor)) return debug::tensorValue(constant.asTensor());
  debug::Value value;
  if (constant.is(vm::ValueKind::Int)) {
    value.kind = debug::ValueKind::Int;
    value.integer = constant.asInt();
  } else if (constant.is(vm::ValueKind::Float)) {
    value.kind = debug::ValueKind::Float;
    value.real = constant.asFloat();
  }
  return value;
}

}  // namespace

debug::StagePlace Adapter::bindingAhead(int64_t instruction) const {
  const auto& instructions = session_->program().instructions;
  for (auto at = static_cast<size_t>(instruction); at < instructions.size(); ++at) {
    if (instructions[at].function != instructions[static_cast<size_t>(instruction)].function) break;
    const debug::StagePlace place = session_->placeOf(static_cast<int64_t>(at));
    if (session_->stage().binding(place)) return place;
  }
  return session_->placeOf(instruction);
}

void Adapter::addKernelTargets(StepInTargetsBody& body) const {
  const debug::Next next = session_->history().next(session_->state());
  if (!loaded_ || !loaded_->hasThreads) return;
  const auto& instructions = session_->program().instructions;
  const debug::StagePlace place = bindingAhead(next.instruction);
  for (int64_t at : session_->map().instructionsOf(session_->program(), place)) {
    const debug::Instruction& row = instructions[static_cast<size_t>(at)];
    if (at < next.instruction || row.builtin || row.calledFunction >= 0 || !loaded_->hasThreads(row.callee)) continue;
    body.targets.push_back({kKernelTargets + at, std::string(kThreadsOf) + row.callee});
  }
}

bool Adapter::isKernelTarget(int64_t target) const {
  const int64_t at = target - kKernelTargets;
  const auto& instructions = session_->program().instructions;
  return at >= 0 && at < static_cast<int64_t>(instructions.size()) && loaded_ && loaded_->hasThreads &&
         loaded_->hasThreads(instructions[static_cast<size_t>(at)].callee);
}

Result<std::vector<debug::Value>> Adapter::argumentsOfCall(int64_t at) {
  const vm::Instruction& instruction = loaded_->executable->instruction(static_cast<size_t>(at));
  const int activation = session_->history().next(session_->state()).activation;
  std::vector<debug::Value> values;
  for (size_t i = 0; i < instruction.args.size(); ++i) {
    const vm::Arg arg = instruction.arg(i);
    if (arg.kind == vm::ArgKind::Register) {
      RX_TRY(held, session_->read({session_->state(), activation, static_cast<int>(arg.value), {}}));
      values.push_back(std::move(held));
    } else if (arg.kind == vm::ArgKind::Constant) {
      values.push_back(valueOf(loaded_->executable->constants()[static_cast<size_t>(arg.value)]));
    } else {
      values.push_back(valueOf(vm::Value::of(int64_t{arg.value})));
    }
  }
  return values;
}

Result<Nothing> Adapter::stepIntoKernel(int64_t target) {
  const int64_t at = target - kKernelTargets;
  const int64_t next = session_->history().next(session_->state()).instruction;
  if (at < next) return fail("dap.reference", "that call is over");
  run([this, at] {
    // Up to the call itself; where the run stops for something else, there.
    while (session_->history().next(session_->state()).instruction != at) {
      debug::Stop stop = session_->forward(debug::Motion::Into, debug::Granularity::Instruction, poll_);
      if (stop.kind != debug::StopKind::Step) return stop;
    }
    const std::string& name = session_->program().instructions[static_cast<size_t>(at)].callee;
    auto values = argumentsOfCall(at);
    if (!values) return debug::Stop{debug::StopKind::Step, values.diagnostics().front().message, {}, {}};
    auto made = loaded_->stepInto(name, std::move(*values), cancel_);
    if (!made) return debug::Stop{debug::StopKind::Step, made.diagnostics().front().message, {}, {}};
    kernel_ = std::move(*made);
    kernelThread_ = 0;
    kernelRaces_.clear();
    ++kernelsEntered_;
    return debug::Stop{debug::StopKind::Step, "in " + name, {}, {}};
  });
  return Nothing();
}

bool Adapter::isKernelThread(int64_t threadId) const {
  return kernel_ && threadId >= kFirstKernelThread && threadId < kFirstKernelThread + kernel_->size();
}

Result<Nothing> Adapter::stepThreads(const StepThreadsArguments& arguments) {
  if (!isKernelThread(arguments.threadId)) return noThread(arguments.threadId);
  const auto* row =
      std::find_if(std::begin(kWho), std::end(kWho), [&](const WhoRow& one) { return one.name == arguments.of; });
  if (row == std::end(kWho))
    return fail("dap.arguments", "`of` is thread, warp or group, not " + escapedForDisplay(arguments.of));
  return moveKernel(arguments.threadId, [this, thread = arguments.threadId - kFirstKernelThread, who = row->who] {
    return kernel_->step(thread, who);
  });
}

Result<KernelThreadsBody> Adapter::kernelThreads(const KernelThreadsArguments& arguments) {
  if (!isKernelThread(arguments.threadId)) return noThread(arguments.threadId);
  KernelThreadsBody body;
  body.kernel = kernel_->name();
  body.source = kKernelSources + kernelsEntered_;
  if (arguments.knows != body.source) body.text = kernel_->text();
  const debug::SteppedKernel::Place place = kernel_->place();
  const std::array<int64_t, 3> groups = kernel_->groups();
  body.launch = place.launch;
  body.group.assign(place.group.begin(), place.group.end());
  body.groups.assign(groups.begin(), groups.end());
  for (int64_t thread = 0; thread < kernel_->size(); ++thread)
    body.threads.push_back({kFirstKernelThread + thread, kernel_->threadName(thread),
                            std::string(kStates[static_cast<size_t>(kernel_->state(thread))]), kernel_->line(thread)});
  for (debug::SteppedKernel::Value& value : kernel_->values(arguments.threadId - kFirstKernelThread))
    body.values.push_back({std::move(value.scope), std::move(value.name),
                           value.buffer ? firstElements(*value.buffer) : std::move(value.text)});
  body.races = kernelRaces_;
  return body;
}

Result<Nothing> Adapter::chooseGroup(const ChooseGroupArguments& arguments) {
  debug::SteppedKernel::Place place;
  if (!kernel_) return noThread(kFirstKernelThread);
  if (arguments.group.size() > place.group.size()) return fail("dap.arguments", "a group has at most three numbers");
  place.launch = arguments.launch;
  std::copy(arguments.group.begin(), arguments.group.end(), place.group.begin());
  kernelThread_ = 0;
  running_ = true;
  after_ = [this, place] {
    const Result<Unit> chosen = kernel_->choose(place);
    ++kernelSteps_;
    running_ = false;
    if (done_ || cancel_.cancelled()) return;
    if (chosen) kernelRaces_.clear();
    reportKernel("step", chosen.diagnostics());
  };
  return Nothing();
}

Result<Nothing> Adapter::moveKernel(int64_t threadId, std::function<Result<Unit>()> motion) {
  kernelThread_ = threadId - kFirstKernelThread;
  running_ = true;
  after_ = [this, motion = std::move(motion)] {
    const Result<Unit> moved = motion();
    ++kernelSteps_;
    running_ = false;
    if (done_ || cancel_.cancelled()) return;
    for (std::string& race : kernel_->newRaces()) {
      emit_("output", {{"category", "stderr"}, {"output", race + "\n"}});
      kernelRaces_.push_back(std::move(race));
    }
    reportKernel(moved ? "step" : "exception", moved.diagnostics());
  };
  return Nothing();
}

void Adapter::reportKernel(const char* reason, const std::vector<Diagnostic>& said) {
  Json body = {{"reason", reason},
               {"threadId", kFirstKernelThread + kernelThread_},
               {"allThreadsStopped", true},
               {"rxs", encode(position())}};
  if (!said.empty()) {
    body["description"] = body["text"] = said.front().message;
    body["diagnostics"] = errorBody(said)["diagnostics"];
  }
  emit_("stopped", std::move(body));
}

StackTraceBody Adapter::kernelStack(int64_t threadId) const {
  const int64_t thread = threadId - kFirstKernelThread;
  StackFrame row;
  row.id = kKernelFrames + threadId;
  row.name = kernel_->name();
  if (kernel_->state(thread) == debug::SteppedKernel::State::Waits) row.name += " (waits for others)";
  if (kernel_->state(thread) == debug::SteppedKernel::State::Done) row.name += " (at its end)";
  row.source = Source{kernel_->name() + ", as its threads run it", std::nullopt, kKernelSources + kernelsEntered_};
  row.line = kernel_->line(thread);
  row.column = 1;
  return {{std::move(row)}, 1};
}

ScopesBody Adapter::kernelScopes(int64_t threadId) {
  const int64_t thread = threadId - kFirstKernelThread;
  const std::vector<debug::SteppedKernel::Value> values = kernel_->values(thread);
  ScopesBody body;
  for (size_t i = 0; i < std::size(kScopes); ++i) {
    const auto count =
        std::count_if(values.begin(), values.end(), [&](const auto& value) { return value.scope == kScopes[i].scope; });
    if (count == 0) continue;
    Scope scope;
    scope.name = kScopes[i].title;
    if (*kScopes[i].hint) scope.presentationHint = kScopes[i].hint;
    scope.namedVariables = count;
    const debug::Next next = session_->history().next(session_->state());
    scope.variablesReference =
        reference({ScopeKind::KernelScope,
                   {session_->state(),
                    next.activation,
                    -1,
                    {static_cast<int>(thread), static_cast<int>(i), static_cast<int>(kernelSteps_)}}});
    body.scopes.push_back(std::move(scope));
  }
  return body;
}

VariablesBody Adapter::kernelVariables(const debug::ValueRef& scope, const VariablesArguments& arguments) {
  VariablesBody body;
  if (!kernel_) return body;
  const auto values = kernel_->values(scope.path[0]);
  std::vector<Variable> rows;
  for (size_t i = 0; i < values.size(); ++i) {
    const debug::SteppedKernel::Value& value = values[i];
    if (value.scope != kScopes[static_cast<size_t>(scope.path[1])].scope) continue;
    Variable row = plain(value.name, value.text);
    if (value.buffer) {
      row.value = debug::valueText(debug::tensorValue(value.buffer));
      row.indexedVariables = value.buffer->count();
      debug::ValueRef buffer = scope;
      buffer.path[1] = static_cast<int>(i);
      row.variablesReference = reference({ScopeKind::KernelBuffer, std::move(buffer)});
    }
    rows.push_back(std::move(row));
  }
  const auto [from, to] = page(arguments.start, arguments.count, static_cast<int64_t>(rows.size()));
  body.variables.assign(rows.begin() + from, rows.begin() + to);
  return body;
}

Result<VariablesBody> Adapter::kernelElements(const debug::ValueRef& buffer,
                                              const VariablesArguments& arguments) const {
  const auto values = kernel_ ? kernel_->values(buffer.path[0]) : std::vector<debug::SteppedKernel::Value>();
  const auto at = static_cast<size_t>(buffer.path[1]);
  if (at >= values.size() || !values[at].buffer) return fail("dap.reference", "the kernel was left");
  const HostTensor& tensor = *values[at].buffer;
  VariablesBody body;
  const auto [from, to] = page(arguments.start, arguments.count, tensor.count());
  for (int64_t i = from; i < to; ++i)
    body.variables.push_back(plain(indexText(i, tensor.shape()), elementText(tensor, i)));
  return body;
}

}  // namespace rx::dap
