#include "core/runtime/machine.h"

namespace rx::vm {

Machine::Machine(Ref<Executable> executable, MachineOptions options)
    : executable_(std::move(executable)), options_(std::move(options)) {
  if (!options_.registry) options_.registry = std::make_shared<const PackedRegistry>(PackedRegistry::withBuiltins());
  around_.memory = std::make_shared<MemoryBudget>(options_.limits.maxMemory);
  around_.cancel = options_.cancel;
  around_.registry = options_.registry.get();
  around_.print = options_.print;
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
  last_ = {};
  args_.clear();
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

void Machine::writeRegister(Frame& frame, Word reg, Value value) {
  if (reg == kVoidRegister) return;
  Value& target = frame.registers[static_cast<size_t>(reg)];
  if (options_.record) {
    current_.registers.push_back({static_cast<size_t>(&frame - frames_.data()), reg, target, value});
  }
  target = std::move(value);
}

MachineStatus Machine::finishStep() {
  if (options_.record) std::swap(last_, current_);
  ++stepCount_;
  return status_;
}

MachineStatus Machine::execute() {
  Frame& frame = frames_.back();
  const Instruction& instruction = executable_->instruction(frame.pc);
  if (options_.record) {
    current_ = {};
    current_.step = stepCount_;
    current_.pc = frame.pc;
    current_.function = frame.function;
    current_.depth = frames_.size();
  }
  switch (instruction.op) {
    case Opcode::Call:
      return runCall(instruction);
    case Opcode::Ret:
      return runReturn(instruction);
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
  return finishStep();
}

MachineStatus Machine::runCall(const Instruction& instruction) {
  Frame& frame = frames_.back();
  args_.clear();
  for (const Word word : instruction.args) args_.push_back(readArgument(frame, word));
  const auto callee = static_cast<size_t>(instruction.function);
  if (executable_->function(callee).kind == FunctionKind::Bytecode)
    return pushFrame(static_cast<uint32_t>(callee), instruction.dst);
  if (functionValues_[callee].isNull()) {
    return faulted(
        {errorAt({}, "vm.missing-function",
                 fmt::format("there is no function \"{}\"", escapedForDisplay(executable_->function(callee).name)))});
  }
  const Callable& function = functionValues_[callee].asFunction();
  for (size_t i = 0; i < args_.size(); ++i) {
    if (!function.mayWriteIn(args_, i)) continue;
    if (args_[i].is(ValueKind::Tensor) && !args_[i].tensor().storage()->writable()) {
      return faulted({errorAt(
          {}, "vm.read-only",
          fmt::format("argument {} of {} is written, but it is a constant in a mapped file", i, function.name()))});
    }
    if (options_.record) current_.addMemory(args_[i]);
  }
  CallContext context(around_);
  auto result = function.call(context, args_);
  if (!result) return faulted(result.diagnostics(), &context);
  if (context.call) {
    const auto& captured = context.call->closure->captured;
    args_ = std::move(context.call->args);
    args_.insert(args_.end(), captured.begin(), captured.end());
    return pushFrame(context.call->closure->function, instruction.dst);
  }
  writeRegister(frame, instruction.dst, std::move(*result));
  args_.clear();  // what they hold is not kept alive by them
  ++frame.pc;
  return finishStep();
}

MachineStatus Machine::pushFrame(uint32_t function, Word dst) {
  const FunctionInfo& info = executable_->function(function);
  if (info.numArgs != static_cast<Word>(args_.size())) {
    return faulted(
        {errorAt({}, "vm.argument-count",
                 fmt::format("{} takes {} arguments, {} are given", info.name, info.numArgs, args_.size()))});
  }
  if (frames_.size() >= options_.limits.maxDepth) {
    return faulted(
        {errorAt({}, "vm.depth-budget",
                 fmt::format("{} calls are active, which is the limit: the recursion may never end", frames_.size()))});
  }
  Frame frame;
  frame.function = function;
  frame.pc = static_cast<size_t>(info.start);
  frame.registers.reserve(static_cast<size_t>(info.registerCount));
  for (Value& arg : args_) frame.registers.push_back(std::move(arg));
  frame.registers.resize(static_cast<size_t>(info.registerCount));
  frame.callerDst = dst;
  frames_.push_back(std::move(frame));
  args_.clear();
  current_.frames = StepRecord::Frames::Pushed;
  return finishStep();
}

MachineStatus Machine::runReturn(const Instruction& instruction) {
  Value value = readArgument(frames_.back(), Arg::reg(instruction.dst).word());
  Frame ended = std::move(frames_.back());
  frames_.pop_back();
  current_.frames = StepRecord::Frames::Popped;
  if (frames_.empty()) {
    current_.finished = true;
    if (options_.record) current_.result = value;
    result_ = std::move(value);
    status_ = MachineStatus::Finished;
  } else {
    Frame& caller = frames_.back();
    writeRegister(caller, ended.callerDst, std::move(value));
    ++caller.pc;
  }
  if (options_.record) current_.frame = std::make_shared<Frame>(std::move(ended));
  return finishStep();
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
