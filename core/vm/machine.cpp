#include "core/vm/machine.h"

namespace rx::vm {

Machine::Machine(Ref<Executable> executable, MachineOptions options)
    : executable_(std::move(executable)), options_(std::move(options)) {
  memory_ = std::make_shared<MemoryBudget>(options_.limits.maxMemory);
  if (!options_.registry) options_.registry = std::make_shared<const PackedRegistry>(PackedRegistry::withBuiltins());
}

Result<std::unique_ptr<Machine>> Machine::create(Ref<Executable> executable, MachineOptions options) {
  std::unique_ptr<Machine> machine(new Machine(std::move(executable), std::move(options)));
  RX_CHECK(machine->link());
  return machine;
}

namespace {

/// "main (instruction 4, 9)": where a function is called.
std::string callSites(const Executable& exe, size_t callee) {
  constexpr size_t kShown = 8;
  std::vector<std::string> sites;
  for (size_t pc = 0; pc < exe.instructionCount() && sites.size() < kShown; ++pc) {
    const Instruction& instruction = exe.instruction(pc);
    if (instruction.op != Opcode::Call || static_cast<size_t>(instruction.function) != callee) continue;
    const auto function = exe.functionAt(pc);
    const DebugSite* site = exe.site(pc);
    sites.push_back(fmt::format("{}{}", function ? exe.function(*function).name : "?",
                                site && site->known && !site->variable.empty() ? ", binding " + site->variable
                                                                               : fmt::format(", instruction {}", pc)));
  }
  return sites.empty() ? "nothing calls it directly" : fmt::format("called by {}", fmt::join(sites, "; "));
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
    if (!found && !options_.lateLinking) {
      missing.push_back(errorAt(
          {}, "vm.missing-function",
          fmt::format(
              "there is no function \"{}\": it is neither in the module nor a packed function of this runtime; {}",
              escapedForDisplay(functions[i].name), callSites(*executable_, i))));
    }
  }
  if (!missing.empty()) return fail(std::move(missing));
  return Unit{};
}

Result<Unit> Machine::start(std::string_view function, std::vector<Value> args) {
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
  frames_.clear();
  recorder_.clear();
  recorder_.configure(options_.record, options_.recordBytes);
  result_ = Value();
  fault_.reset();
  stepCount_ = 0;
  Frame frame;
  frame.function = *index;
  frame.pc = static_cast<size_t>(info.start);
  frame.registers = std::move(args);
  frame.registers.resize(static_cast<size_t>(info.registerCount));
  frames_.push_back(std::move(frame));
  status_ = MachineStatus::Running;
  return Unit{};
}

MachineStatus Machine::step() {
  if (status_ != MachineStatus::Running) return status_;
  if (recorder_.redo(*this)) return status_;
  if (options_.cancel.cancelled()) return faulted({errorAt({}, "vm.cancelled", "the run was cancelled")});
  if (stepCount_ >= options_.limits.maxInstructions) {
    return faulted(
        {errorAt({}, "vm.instruction-budget",
                 fmt::format("the run passed its budget of {} instructions", options_.limits.maxInstructions))});
  }
  return execute();
}

MachineStatus Machine::run() {
  while (status_ == MachineStatus::Running) step();
  return status_;
}

bool Machine::stepBack() { return recorder_.undo(*this); }

Value Machine::readArgument(const Frame& frame, Word word) const {
  const Arg arg = Arg::fromWord(word);
  switch (arg.kind) {
    case ArgKind::Register:
      if (arg.value == kMachineRegister) return Value::machine();
      return arg.value == kVoidRegister ? Value() : frame.registers[static_cast<size_t>(arg.value)];
    case ArgKind::Immediate:
      return Value::of(arg.value);
    case ArgKind::Constant:
      return executable_->constants()[static_cast<size_t>(arg.value)];
    case ArgKind::Function:
      return functionValues_[static_cast<size_t>(arg.value)];
  }
  return {};
}

void Machine::writeRegister(Frame& frame, Word reg, Value value, StepRecord& record) {
  if (reg == kVoidRegister) return;
  Value& target = frame.registers[static_cast<size_t>(reg)];
  if (recorder_.enabled()) {
    record.registers.push_back({static_cast<size_t>(&frame - frames_.data()), reg, target, value});
  }
  target = std::move(value);
}

MachineStatus Machine::finishStep(StepRecord record) {
  recorder_.append(std::move(record));
  ++stepCount_;
  return status_;
}

MachineStatus Machine::execute() {
  Frame& frame = frames_.back();
  const Instruction& instruction = executable_->instruction(frame.pc);
  StepRecord record;
  record.step = stepCount_;
  record.pc = frame.pc;
  record.function = frame.function;
  record.depth = frames_.size();
  switch (instruction.op) {
    case Opcode::Call:
      return runCall(instruction, std::move(record));
    case Opcode::Ret:
      return runReturn(instruction, std::move(record));
    case Opcode::Goto:
      frame.pc = static_cast<size_t>(static_cast<Word>(frame.pc) + instruction.offset);
      break;
    case Opcode::If: {
      const Value condition = readArgument(frame, Arg::reg(instruction.dst).word());
      if (!condition.is(ValueKind::Bool) && !condition.is(ValueKind::Int)) {
        return faulted({errorAt({}, "vm.condition", "a condition has to be a bool, it is " + condition.summary())});
      }
      const bool taken = condition.is(ValueKind::Bool) ? condition.asBool() : condition.asInt() != 0;
      frame.pc = taken ? frame.pc + 1 : static_cast<size_t>(static_cast<Word>(frame.pc) + instruction.offset);
      break;
    }
  }
  record.pcAfter = frame.pc;
  return finishStep(std::move(record));
}

MachineStatus Machine::runCall(const Instruction& instruction, StepRecord record) {
  Frame& frame = frames_.back();
  std::vector<Value> args;
  args.reserve(instruction.args.size());
  for (const Word word : instruction.args) args.push_back(readArgument(frame, word));
  const auto callee = static_cast<size_t>(instruction.function);
  if (executable_->function(callee).kind == FunctionKind::Bytecode) {
    return pushFrame(static_cast<uint32_t>(callee), std::move(args), instruction.dst, std::move(record));
  }
  if (functionValues_[callee].isNull()) {
    return faulted(
        {errorAt({}, "vm.missing-function",
                 fmt::format("there is no function \"{}\"", escapedForDisplay(executable_->function(callee).name)))});
  }
  const Ref<Callable> function = functionValues_[callee].asFunction();
  for (size_t i = 0; i < args.size(); ++i) {
    if (!function->mayWriteIn(args, i)) continue;
    if (args[i].is(ValueKind::Tensor) && !args[i].tensor().storage()->writable()) {
      return faulted({errorAt(
          {}, "vm.read-only",
          fmt::format("argument {} of {} is written, but it is a constant in a mapped file", i, function->name()))});
    }
    if (recorder_.enabled()) Recorder::saveMemory(record, args[i]);
  }
  CallContext context;
  context.memory = memory_;
  context.cancel = options_.cancel;
  context.registry = options_.registry.get();
  context.print = &options_.print;
  auto result = function->call(context, args);
  if (!result) {
    Recorder::restoreMemory(record);
    return faulted(result.diagnostics(), &context);
  }
  if (context.call) {
    std::vector<Value> all = std::move(context.call->args);
    const auto& captured = context.call->closure->captured;
    all.insert(all.end(), captured.begin(), captured.end());
    return pushFrame(context.call->closure->function, std::move(all), instruction.dst, std::move(record));
  }
  writeRegister(frame, instruction.dst, std::move(*result), record);
  record.pcAfter = ++frame.pc;
  return finishStep(std::move(record));
}

MachineStatus Machine::pushFrame(uint32_t function, std::vector<Value> args, Word dst, StepRecord record) {
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
  frame.function = function;
  frame.pc = static_cast<size_t>(info.start);
  frame.registers = std::move(args);
  frame.registers.resize(static_cast<size_t>(info.registerCount));
  frame.callerDst = dst;
  frames_.push_back(std::move(frame));
  record.frames = StepRecord::Frames::Pushed;
  record.pcAfter = frames_.back().pc;
  return finishStep(std::move(record));
}

MachineStatus Machine::runReturn(const Instruction& instruction, StepRecord record) {
  Value value = readArgument(frames_.back(), Arg::reg(instruction.dst).word());
  Frame ended = std::move(frames_.back());
  frames_.pop_back();
  record.frames = StepRecord::Frames::Popped;
  if (frames_.empty()) {
    record.finished = true;
    record.result = value;
    result_ = std::move(value);
    status_ = MachineStatus::Finished;
  } else {
    Frame& caller = frames_.back();
    writeRegister(caller, ended.callerDst, std::move(value), record);
    record.pcAfter = ++caller.pc;
  }
  if (recorder_.enabled()) record.frame = std::make_shared<Frame>(std::move(ended));
  return finishStep(std::move(record));
}

Ref<HostTensor> Machine::shapeHeap(const Frame& frame) const {
  const FunctionInfo& info = executable_->function(frame.function);
  Ref<HostTensor> heap;
  for (Word pc = info.start; pc < static_cast<Word>(frame.pc); ++pc) {
    const Instruction& instruction = executable_->instruction(static_cast<size_t>(pc));
    if (instruction.op != Opcode::Call || instruction.dst == kVoidRegister) continue;
    if (executable_->function(static_cast<size_t>(instruction.function)).name != "vm.builtin.alloc_shape_heap")
      continue;
    const Value& value = frame.registers[static_cast<size_t>(instruction.dst)];
    if (value.is(ValueKind::Tensor)) heap = value.asTensor();
  }
  return heap;
}

}  // namespace rx::vm
