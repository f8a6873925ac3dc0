#include "core/runtime/launch_plan.h"

#include <algorithm>

namespace rx::vm {

LaunchPlan::LaunchPlan(const Executable& executable, std::span<const Value> functions,
                       const PlacedConstants& constants) {
  planCalls(executable, functions, constants);
  prepareCalls(executable);
  planRegisters(executable);
}

PlannedArgument LaunchPlan::place(const Executable& executable, std::span<const Value> functions, Arg arg) {
  const auto index = static_cast<size_t>(arg.value);
  switch (arg.kind) {
    case ArgKind::Register:
      if (arg.value == kMachineRegister) return {&machine_};
      if (arg.value == kVoidRegister) return {&null_};
      return {nullptr, static_cast<uint32_t>(arg.value)};
    case ArgKind::Immediate:
      numbers_.push_back(Value::of(arg.value));
      return {&numbers_.back()};
    case ArgKind::Constant:
      return {&executable.constants()[index]};
    case ArgKind::Function:
      return {&functions[index]};
  }
  return {&null_};
}

namespace {

/// What differs between two calls that can share what is made ready: an argument in a register of the frame is 0.
Word outside(Word word) {
  const Arg arg = Arg::fromWord(word);
  return arg.kind == ArgKind::Register && arg.value < kRegisterLimit ? 0 : word;
}

/// A constant where its callee takes it; null where it takes the constant itself.
const Value* placedConstant(const PlacedConstants& constants, const Callable* callee, Arg arg, size_t argument) {
  if (!callee || arg.kind != ArgKind::Constant) return nullptr;
  const auto device = callee->reaches(argument);
  if (!device || *device < 0 || static_cast<size_t>(*device) >= constants.size()) return nullptr;
  const Value& placed = constants[static_cast<size_t>(*device)][static_cast<size_t>(arg.value)];
  return placed.isNull() ? nullptr : &placed;
}

}  // namespace

void LaunchPlan::planCalls(const Executable& executable, std::span<const Value> functions,
                           const PlacedConstants& constants) {
  size_t numbers = 0, arguments = 0;
  for (size_t pc = 0; pc < executable.instructionCount(); ++pc) {
    const Instruction& instruction = executable.instruction(pc);
    for (size_t i = 0; i < instruction.args.size(); ++i) numbers += instruction.arg(i).kind == ArgKind::Immediate;
    arguments += instruction.args.size();
  }
  numbers_.reserve(numbers);  // they are pointed to
  arguments_.reserve(arguments);
  calls_.resize(executable.instructionCount());
  for (size_t pc = 0; pc < calls_.size(); ++pc) {
    const Instruction& instruction = executable.instruction(pc);
    if (instruction.op != Opcode::Call) continue;
    PlannedCall& call = calls_[pc];
    call.calls = true;
    call.function = static_cast<uint32_t>(instruction.function);
    call.bytecode = executable.function(call.function).kind == FunctionKind::Bytecode;
    call.dst = instruction.dst;
    call.places = arguments_.data() + arguments_.size();
    call.count = static_cast<uint32_t>(instruction.args.size());
    if (!call.bytecode && !functions[call.function].isNull()) call.callee = &functions[call.function].asFunction();
    // One that is given arguments is called, to refuse them.
    call.givesNull = call.callee && call.count == 0 && call.callee->givesNull();
    call.forwards = call.callee && call.callee->forwardsTo();
    for (size_t i = 0; i < call.count; ++i) {
      PlannedArgument argument = place(executable, functions, instruction.arg(i));
      if (const Value* placed = placedConstant(constants, call.callee, instruction.arg(i), i)) argument.fixed = placed;
      argument.written = call.callee && !call.forwards && call.callee->mayWrite(i);
      call.writes = call.writes || argument.written;
      arguments_.push_back(argument);
    }
    mostArguments_ = std::max(mostArguments_, instruction.args.size());
  }
}

void LaunchPlan::prepareCalls(const Executable& executable) {
  std::vector<uint32_t> order;
  for (uint32_t pc = 0; pc < calls_.size(); ++pc)
    if (calls_[pc].callee && !calls_[pc].givesNull) order.push_back(pc);
  const auto before = [&](uint32_t left, uint32_t right) {
    const Instruction &a = executable.instruction(left), &b = executable.instruction(right);
    if (a.function != b.function) return a.function < b.function;
    return std::lexicographical_compare(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(),
                                        [](Word x, Word y) { return outside(x) < outside(y); });
  };
  std::sort(order.begin(), order.end(), before);
  for (size_t i = 0; i < order.size(); ++i) {
    PlannedCall& call = calls_[order[i]];
    if (i == 0 || before(order[i - 1], order[i])) prepared_.push_back(call.callee->prepare(call.arguments()));
    call.prepared = prepared_.back().get();
  }
}

namespace {

bool jumpsBackwards(const Executable& executable, size_t begin, size_t end) {
  for (size_t pc = begin; pc < end; ++pc)
    if (executable.instruction(pc).jumpsBackwards()) return true;
  return false;
}

}  // namespace

void LaunchPlan::planRegisters(const Executable& executable) {
  constexpr uint32_t kNever = UINT32_MAX;
  lastUsedAt_.resize(executable.instructionCount() + 1);
  std::vector<std::pair<uint32_t, uint32_t>> uses;  // instruction, register
  std::vector<uint32_t> last, touched;
  for (const FunctionInfo& function : executable.functions()) {
    if (function.kind != FunctionKind::Bytecode) continue;
    const auto begin = static_cast<size_t>(function.start), end = static_cast<size_t>(function.end);
    if (jumpsBackwards(executable, begin, end)) continue;
    touched.clear();
    for (size_t pc = begin; pc < end; ++pc) {
      eachRegister(executable.instruction(pc), [&](uint32_t reg) {
        if (reg >= last.size()) last.resize(reg + 1, kNever);
        if (last[reg] == kNever) touched.push_back(reg);
        last[reg] = static_cast<uint32_t>(pc);
      });
    }
    for (const uint32_t reg : touched) uses.emplace_back(std::exchange(last[reg], kNever), reg);
  }
  // A counting sort by instruction.
  for (const auto& [pc, reg] : uses) ++lastUsedAt_[pc + 1];
  for (size_t pc = 1; pc < lastUsedAt_.size(); ++pc) lastUsedAt_[pc] += lastUsedAt_[pc - 1];
  lastUsed_.resize(uses.size());
  std::vector<uint32_t> next(lastUsedAt_.begin(), lastUsedAt_.end() - 1);
  for (const auto& [pc, reg] : uses) lastUsed_[next[pc]++] = reg;
}

}  // namespace rx::vm
