#include "core/runtime/machine.h"

#include <algorithm>

#include "core/runtime/kernel_fault.h"
#include "core/runtime/placement.h"

namespace rx::vm {

Machine::Machine(Ref<Executable> executable, MachineOptions options)
    : executable_(std::move(executable)), options_(std::move(options)) {
  if (!options_.registry) options_.registry = std::make_shared<const PackedRegistry>(PackedRegistry::withBuiltins());
  around_.memory = std::make_shared<StorageArena>(options_.limits.maxMemory, options_.record);
  if (options_.kernels) around_.devices = options_.kernels->devices();
  for (RunDevice& row : around_.devices) {
    if (row.device) row.memory = std::make_shared<DeviceArena>(row.device, options_.limits.maxMemory, options_.record);
  }
  around_.cancel = options_.cancel;
  around_.stop = options_.stop;
  around_.registry = options_.registry.get();
  around_.print = options_.print;
  for (const RunDevice& row : around_.devices)
    if (row.endWaits) row.endWaits([this] { return around_.cancelled(); });
}

Machine::~Machine() {
  for (const RunDevice& row : around_.devices)
    if (row.endWaits) row.endWaits(nullptr);
}

Result<std::unique_ptr<Machine>> Machine::create(Ref<Executable> executable, MachineOptions options) {
  std::unique_ptr<Machine> machine(new Machine(std::move(executable), std::move(options)));
  RX_CHECK(machine->link());
  return machine;
}

namespace {

/// That there is no such function, where it is called first; behind it a note for each of the other calls.
std::vector<Diagnostic> missingFunction(const Executable& exe, size_t callee) {
  constexpr size_t kShown = 8;
  std::vector<std::string> sites;
  std::vector<Diagnostic> found;
  for (size_t pc = 0; pc < exe.instructionCount() && sites.size() < kShown; ++pc) {
    const Instruction& instruction = exe.instruction(pc);
    if (instruction.op != Opcode::Call || static_cast<size_t>(instruction.function) != callee) continue;
    const auto function = exe.functionAt(pc);
    const DebugSite* site = exe.site(pc);
    const bool named = site && !site->name().empty();
    sites.push_back(fmt::format("{}{}", function ? exe.function(*function).name : "?",
                                named ? ", binding " + site->name() : fmt::format(", instruction {}", pc)));
    const bool first = found.empty();
    if (!first && !(site && site->span.known())) continue;
    found.push_back(errorAt(site ? site->span : Span(), "vm.missing-function", "called here too"));
    if (!first) found.back().severity = Severity::Note;
    if (named) found.back().context = sites.back();
  }
  if (found.empty()) found.push_back(errorAt({}, "vm.missing-function", {}));
  found.front().message =
      fmt::format("there is no function \"{}\": it is neither in the module nor a packed function of this runtime; {}",
                  escapedForDisplay(exe.function(callee).name),
                  sites.empty() ? "nothing calls it directly" : fmt::format("called by {}", fmt::join(sites, "; ")));
  return found;
}

}  // namespace

Result<Unit> Machine::link() {
  std::vector<Diagnostic> missing;
  const auto& functions = executable_->functions();
  for (uint32_t i = 0; i < functions.size(); ++i) {
    if (functions[i].kind == FunctionKind::Bytecode) {
      functionValues_.push_back(Value::of(make<ClosureObject>(i, functions[i].name, std::vector<Value>{})));
      continue;
    }
    Ref<Callable> found;
    if (options_.kernels) {
      auto kernel = options_.kernels->find(functions[i].name);
      if (!kernel) {
        missing.insert(missing.end(), kernel.diagnostics().begin(), kernel.diagnostics().end());
        functionValues_.emplace_back();
        continue;
      }
      found = *kernel;
    }
    if (!found) found = options_.registry->find(functions[i].name);
    functionValues_.push_back(Value::of(found));
    if (found || options_.lateLinking) continue;
    const auto lacks = missingFunction(*executable_, i);
    missing.insert(missing.end(), lacks.begin(), lacks.end());
  }
  if (!missing.empty()) return fail(std::move(missing));
  RX_CHECK(placeConstants());
  plan_.emplace(*executable_, functionValues_, constants_);
  args_.resize(plan_->mostArguments());
  sized_.resize(functions.size());
  return Unit{};
}

Result<Unit> Machine::placeConstants() {
  constants_.assign(around_.devices.size(), std::vector<Value>(executable_->constants().size()));
  for (size_t pc = 0; pc < executable_->instructionCount() && !constants_.empty(); ++pc) {
    const Instruction& instruction = executable_->instruction(pc);
    const Value* callee =
        instruction.op == Opcode::Call ? &functionValues_[static_cast<size_t>(instruction.function)] : nullptr;
    for (size_t i = 0; callee && callee->is(ValueKind::Function) && i < instruction.args.size(); ++i) {
      const int64_t device = callee->asFunction().reaches(i).value_or(kHost);
      const auto place = around_.memoryOf(device);
      if (!place || instruction.arg(i).kind != ArgKind::Constant) continue;
      const auto index = static_cast<size_t>(instruction.arg(i).value);
      Value& placed = constants_[static_cast<size_t>(device)][index];
      if (!placed.isNull()) continue;
      RX_TRY(copy, valueIn(around_, executable_->constants()[index], place));
      placed = std::move(copy);
    }
  }
  return Unit{};
}

Result<Unit> Machine::start(std::string_view function, std::vector<Value> args, std::vector<Ref<Storage>> lent) {
  lent_ = std::move(lent);
  const auto index = executable_->findFunction(function);
  if (!index || executable_->function(*index).kind != FunctionKind::Bytecode) {
    return fail("vm.no-function",
                fmt::format("the module has no function \"{}\" that can be run", escapedForDisplay(function)));
  }
  const FunctionInfo& info = executable_->function(*index);
  if (info.numArgs != static_cast<Word>(args.size())) {
    return fail("vm.argument-count", fmt::format("{} takes {} arguments ({}), {} are given", info.name, info.numArgs,
                                                 fmt::join(info.paramNames, ", "), args.size()));
  }
  if (const auto place = around_.memoryOf(0)) {
    for (Value& arg : args) {
      RX_TRY(placed, valueIn(around_, arg, place));
      arg = std::move(placed);
    }
  }
  frames_.clear();
  record_ = {};
  result_ = Value();
  fault_.reset();
  stepCount_ = 0;
  Frame frame;
  frame.function = *index;
  frame.pc = frame.cleared = static_cast<size_t>(info.start);
  frame.registers = std::move(args);
  frame.registers.resize(static_cast<size_t>(info.registerCount));
  frames_.push_back(std::move(frame));
  status_ = MachineStatus::Running;
  return Unit{};
}

MachineStatus Machine::step() {
  if (status_ != MachineStatus::Running) return status_;
  if (around_.cancelled()) return faulted({errorAt({}, std::string(ruleOf(KernelFault::Cancelled)), kCancelledText)});
  if (stepCount_ >= options_.limits.maxInstructions) {
    return faulted(
        {errorAt({}, "vm.instruction-budget",
                 fmt::format("the run passed its budget of {} instructions", options_.limits.maxInstructions))});
  }
  return execute();
}

MachineStatus Machine::run() {
  whole_ = !options_.record && options_.limits.maxInstructions == UINT64_MAX;
  if (status_ == MachineStatus::Running && stepCount_ == 0) planSizes(frames_.back());
  while (status_ == MachineStatus::Running) step();
  whole_ = false;
  return status_;
}

void Machine::planSizes(Frame& frame) {
  if (!whole_) return;
  std::unique_ptr<SizedPlans>& plans = sized_[frame.function];
  if (!plans) plans = std::make_unique<SizedPlans>(*executable_, *plan_, executable_->function(frame.function));
  frame.sized = plans->find(frame.registers, around_);
}

Result<Unit> Machine::returnLent() {
  if (status_ == MachineStatus::Running) status_ = MachineStatus::Idle;
  frames_.clear();
  record_ = {};
  Result<Unit> returned = Unit();
  for (const Ref<Storage>& storage : std::exchange(lent_, {})) {
    if (storage->unique()) continue;
    auto copied = storage->makeWritable(around_.memory);
    if (copied) continue;
    result_ = Value();
    returned = std::move(copied);
  }
  return returned;
}

Result<Unit> Machine::writeMemory(const Storage& storage, int64_t offset, std::span<const std::byte> bytes) {
  RX_CHECK(storage.makeWritable(around_.memory));
  storage.markWritten();
  return storage.write(offset, bytes);
}

Value Machine::readRegister(const Frame& frame, Word reg) const {
  if (reg == kMachineRegister) return Value::machine();
  return reg == kVoidRegister ? Value() : frame.registers[static_cast<size_t>(reg)];
}

void Machine::writeRegister(Frame& frame, Word reg, Value&& value) {
  if (reg == kVoidRegister) return;
  Value& target = frame.registers[static_cast<size_t>(reg)];
  if (options_.record) {
    record_.registers.emplace_back(static_cast<size_t>(&frame - frames_.data()), reg, std::move(target));
  } else {
    around_.tensors->give(target);
  }
  target = std::move(value);
}

MachineStatus Machine::finishStep() {
  ++stepCount_;
  return status_;
}

MachineStatus Machine::finishCall(Word dst, Value&& value) {
  Frame& frame = frames_.back();
  writeRegister(frame, dst, std::move(value));
  ++frame.pc;
  return finishStep();
}

void Machine::letGo(Value& value) {
  if (!options_.record) return around_.tensors->give(value);
  if (!value.isNull()) record_.released.push_back(std::exchange(value, Value()));
}

void Machine::clearRegisters(Frame& frame) {
  for (const uint32_t reg : plan_->lastUsed(frame.cleared, frame.pc)) letGo(frame.registers[reg]);
  frame.cleared = frame.pc;
}

void Machine::beginRecord(const Frame& frame) {
  // What the step before let go of is there for this one.
  for (RegisterWrite& write : record_.registers) around_.tensors->give(write.before);
  for (Value& value : record_.released) around_.tensors->give(value);
  record_.begin(frame.pc, frames_.size());
}

MachineStatus Machine::execute() {
  Frame& frame = frames_.back();
  const PlannedCall* call = nullptr;
  if (frame.sized) {
    const size_t next = frame.sized->next(frame.pc);
    stepCount_ += next - frame.pc;
    frame.pc = next;
    call = frame.sized->call(next);
  }
  if (options_.record) beginRecord(frame);
  if (frame.cleared < frame.pc) clearRegisters(frame);
  // Nearly all are calls, for which the plan has all there is to know.
  if (!call) call = &plan_->call(frame.pc);
  if (call->calls) return runCall(*call);
  const Instruction& instruction = executable_->instruction(frame.pc);
  switch (instruction.op) {
    case Opcode::Call:
      break;
    case Opcode::Ret:
      return runReturn(instruction);
    case Opcode::Goto:
      frame.pc = static_cast<size_t>(static_cast<Word>(frame.pc) + instruction.offset);
      break;
    case Opcode::If: {
      const Value condition = readRegister(frame, instruction.dst);
      if (!condition.is(ValueKind::Bool) && !condition.is(ValueKind::Int)) {
        return faulted({errorAt({}, "vm.condition", "a condition has to be a bool, it is " + condition.summary())});
      }
      frame.pc =
          condition.isTrue() ? frame.pc + 1 : static_cast<size_t>(static_cast<Word>(frame.pc) + instruction.offset);
      break;
    }
  }
  return finishStep();
}

Arguments Machine::gather(const Frame& frame, const PlannedCall& call) {
  const std::span<const PlannedArgument> places = call.arguments();
  for (size_t i = 0; i < places.size(); ++i)
    args_[i] = places[i].fixed ? places[i].fixed : &frame.registers[places[i].reg];
  return std::span<const Value* const>(args_.data(), places.size());
}

Result<Unit> Machine::noteWrites(const PlannedCall& call, Arguments args) {
  const std::span<const PlannedArgument> places = call.arguments();
  for (size_t i = 0; i < args.size(); ++i) {
    if (call.forwards ? !mayWrite(*call.callee, args, i) : !places[i].written) continue;
    if (args[i].is(ValueKind::Tensor) && !args[i].tensor().storage()->writable()) {
      const Ref<Storage>& storage = args[i].tensor().storage();
      if (std::find(lent_.begin(), lent_.end(), storage) == lent_.end()) {
        return fail("vm.read-only", fmt::format("argument {} of {} is written, but it is a constant in a mapped file",
                                                i, call.callee->name()));
      }
      RX_CHECK(storage->makeWritable(around_.memory));
    }
    if (options_.record) record_.addMemory(args[i]);
  }
  if (beforeWrites_) beforeWrites_(record_.memory);
  return Unit{};
}

Result<Unit> Machine::awaitDevices() const {
  for (const MemoryWrite& write : record_.memory) {
    std::byte one{};
    if (write.storage->device()) RX_CHECK(write.storage->read(write.offset, {&one, 1}));
  }
  return Unit{};
}

std::optional<MachineStatus> Machine::runPrepared(const PlannedCall& call) {
  const PlannedArguments args = call.arguments(frames_.back().registers.data());
  if (options_.record && call.writes) {
    const std::span<const PlannedArgument> places = call.arguments();
    for (size_t i = 0; i < places.size(); ++i)
      if (places[i].written) record_.addMemory(args[i]);
    if (beforeWrites_) beforeWrites_(record_.memory);
  }
  CallContext context(around_);
  Value result;
  const auto outcome = call.prepared->run(context, args, result);
  if (outcome == PreparedCall::Outcome::Unfit) {
    record_.memory.clear();
    return std::nullopt;
  }
  if (outcome == PreparedCall::Outcome::Failed) return faulted(std::move(context.failure), &context);
  if (options_.record && !around_.devices.empty()) {
    if (const auto done = awaitDevices(); !done) return faulted(done.diagnostics(), &context);
  }
  return finishCall(call.dst, std::move(result));
}

MachineStatus Machine::runCall(const PlannedCall& call) {
  if (call.prepared) {
    if (const auto status = runPrepared(call)) return *status;
  }
  if (call.givesNull) return finishCall(call.dst, Value());
  const Arguments args = gather(frames_.back(), call);
  if (call.bytecode) return pushFrame(call.function, args, call.dst);
  if (!call.callee) {
    return faulted({errorAt(
        {}, "vm.missing-function",
        fmt::format("there is no function \"{}\"", escapedForDisplay(executable_->function(call.function).name)))});
  }
  if (call.writes || call.forwards) {
    if (const auto noted = noteWrites(call, args); !noted) return faulted(noted.diagnostics());
  }
  CallContext context(around_);
  auto result = callPlaced(*call.callee, context, args);
  if (!result) return faulted(result.diagnostics(), &context);
  if (options_.record && !around_.devices.empty()) {
    if (const auto done = awaitDevices(); !done) return faulted(done.diagnostics(), &context);
  }
  if (context.call) {
    std::vector<Value> all = std::move(context.call->args);
    const auto& captured = context.call->closure->captured;
    all.insert(all.end(), captured.begin(), captured.end());
    return pushFrame(context.call->closure->function, ArgumentsOf(all), call.dst, std::move(context.call->then));
  }
  return finishCall(call.dst, std::move(*result));
}

MachineStatus Machine::pushFrame(uint32_t function, Arguments args, Word dst,
                                 std::function<Result<Unit>(const Value&)> then) {
  const FunctionInfo& info = executable_->function(function);
  if (info.numArgs != static_cast<Word>(args.size())) {
    return faulted({errorAt({}, "vm.argument-count",
                            fmt::format("{} takes {} arguments, {} are given", info.name, info.numArgs, args.size()))});
  }
  if (frames_.size() >= options_.limits.maxDepth) {
    return faulted(
        {errorAt({}, "vm.depth-budget",
                 fmt::format("{} calls are active, which is the limit: the recursion may never end", frames_.size()))});
  }
  Frame frame;
  if (!spareRegisters_.empty()) {
    frame.registers = std::move(spareRegisters_.back());
    spareRegisters_.pop_back();
  }
  frame.function = function;
  frame.pc = frame.cleared = static_cast<size_t>(info.start);
  frame.registers.reserve(static_cast<size_t>(info.registerCount));
  for (const Value& arg : args) frame.registers.push_back(arg);
  frame.registers.resize(static_cast<size_t>(info.registerCount));
  frame.callerDst = dst;
  frame.then = std::move(then);
  planSizes(frame);
  frames_.push_back(std::move(frame));
  record_.frames = StepRecord::Frames::Pushed;
  return finishStep();
}

MachineStatus Machine::runReturn(const Instruction& instruction) {
  Value value = readRegister(frames_.back(), instruction.dst);
  if (frames_.size() == 1 && !around_.devices.empty()) {
    auto onHost = valueIn(around_, value, nullptr);
    if (!onHost) return faulted(onHost.diagnostics());
    value = std::move(*onHost);
  }
  if (frames_.back().then) {
    if (const auto done = frames_.back().then(value); !done) return faulted(done.diagnostics());
  }
  Frame ended = std::move(frames_.back());
  frames_.pop_back();
  record_.frames = StepRecord::Frames::Popped;
  if (frames_.empty()) {
    result_ = std::move(value);
    status_ = MachineStatus::Finished;
  } else {
    writeRegister(frames_.back(), ended.callerDst, std::move(value));
    ++frames_.back().pc;
  }
  for (Value& left : ended.registers) letGo(left);
  ended.registers.clear();
  spareRegisters_.push_back(std::move(ended.registers));
  return finishStep();
}

}  // namespace rx::vm
