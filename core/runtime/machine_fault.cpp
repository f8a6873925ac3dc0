// How the machine explains a fault: where it is, and for a shape that does not fit, who bound the value it should have.
#include <algorithm>

#include "core/runtime/machine.h"

namespace rx::vm {
namespace {

/// The value of "key=" in TVM's `ErrorContext(fn=main, loc=param[0], param=x, annotation=...)`.
std::string contextField(const std::string& context, std::string_view key) {
  const std::string start = std::string(key) + "=";
  size_t at = context.find("(" + start);
  if (at == std::string::npos) at = context.find(" " + start);
  if (at == std::string::npos) return {};
  at += start.size() + 1;
  return context.substr(at, context.find_first_of(",)", at) - at);
}

std::string boundText(const ShapeMismatch& mismatch) {
  return mismatch.axis >= 0 ? fmt::format(", axis {}", mismatch.axis) : std::string();
}

}  // namespace

std::string Machine::placeText() const {
  if (frames_.empty()) return {};
  const Frame& frame = frames_.back();
  const DebugSite* site = executable_->site(frame.pc);
  const bool named = site && !site->name().empty();
  std::string binding = named ? fmt::format(", binding {}", site->name()) : "";
  return fmt::format("{}{}, instruction {}", executable_->function(frame.function).name, binding, frame.pc);
}

std::string Machine::callText() const {
  constexpr size_t kMost = 12;
  const Frame& frame = frames_.back();
  const PlannedCall& call = plan_->call(frame.pc);
  const PlannedArguments args = call.arguments(frame.registers.data());
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min<size_t>(call.count, kMost); ++i) shown.push_back(args[i].summary());
  if (call.count > kMost) shown.push_back(fmt::format("{} more", call.count - kMost));
  return fmt::format("the call is {}({})", escapedForDisplay(executable_->function(call.function).name),
                     fmt::join(shown, ", "));
}

MachineStatus Machine::faulted(std::vector<Diagnostic> diagnostics, const CallContext* context) {
  for (Frame& frame : frames_) {
    frame.then = nullptr;
    if (frame.sized) frame.sized->restore(*plan_, frame.registers, frame.pc, frame.cleared);
    frame.sized = nullptr;
  }
  Fault fault;
  fault.diagnostics = std::move(diagnostics);
  fault.function = frames_.back().function;
  fault.pc = frames_.back().pc;
  if (context && context->mismatch) explainMismatch(fault, *context);
  Diagnostic& first = fault.diagnostics.front();
  if (context && !context->mismatch) first.notes.push_back({callText(), {}});
  if (first.context.empty()) first.context = placeText();
  const DebugSite* site = executable_->site(fault.pc);
  if (!first.span.known() && site) first.span = site->span;
  const std::string& memory = options_.limits.memoryFrom;
  if (first.rule == "vm.memory-budget" && !memory.empty()) first.notes.push_back({memory, {}});
  fault_ = std::move(fault);
  status_ = MachineStatus::Faulted;
  return status_;
}

/// The slot's value came from the last match that stores into it; code generation puts matches in the order they run.
std::string Machine::whoBound(const Frame& frame, int64_t slot) const {
  const FunctionInfo& info = executable_->function(frame.function);
  std::string found;
  for (Word pc = info.start; pc < static_cast<Word>(frame.pc); ++pc) {
    const Instruction& call = executable_->instruction(static_cast<size_t>(pc));
    if (call.op != Opcode::Call) continue;
    const std::string& name = executable_->function(static_cast<size_t>(call.function)).name;
    const bool shape = name == "vm.builtin.match_shape";
    if (!shape && name != "vm.builtin.match_prim_value") continue;
    const size_t first = shape ? 3 : 2;
    for (size_t i = first; i + 2 < call.args.size(); i += 2) {
      const bool stores = call.arg(i) == Arg::imm(1) && call.arg(i + 1) == Arg::imm(slot);
      if (!stores) continue;
      const Arg last = call.arg(call.args.size() - 1);
      const Value text =
          last.kind == ArgKind::Constant ? executable_->constants()[static_cast<size_t>(last.value)] : Value();
      std::string who = text.is(ValueKind::String) ? contextField(text.asString(), "param") : "";
      if (who.empty() && call.arg(0).kind == ArgKind::Register)
        who = executable_->registerName(frame.function, call.arg(0).value);
      if (who.empty()) who = "an earlier value";
      found = shape ? fmt::format("{}, axis {}", who, (i - first) / 2) : who;
    }
  }
  return found;
}

void Machine::explainMismatch(Fault& fault, const CallContext& context) const {
  const ShapeMismatch& mismatch = *context.mismatch;
  const Frame& frame = frames_.back();
  const Instruction& call = executable_->instruction(frame.pc);
  fault.mismatch = mismatch;
  fault.parameter = contextField(mismatch.context, "param");
  if (fault.parameter.empty() && contextField(mismatch.context, "loc") == "return") fault.parameter = "the result";
  if (fault.parameter.empty() && mismatch.argument < call.args.size()) {
    const Arg arg = call.arg(mismatch.argument);
    if (arg.kind == ArgKind::Register) fault.parameter = executable_->registerName(frame.function, arg.value);
  }
  if (fault.parameter.empty()) fault.parameter = "the value";
  Diagnostic& diagnostic = fault.diagnostics.front();
  if (!mismatch.slot) {
    diagnostic.message = fmt::format("{}: {}", fault.parameter, diagnostic.message);
    return;
  }
  fault.symbol = executable_->heapSlotText(frame.function, *mismatch.slot);
  fault.boundBy = whoBound(frame, *mismatch.slot);
  const std::string symbol = fault.symbol.empty() ? "the size" : fault.symbol;
  const std::string by =
      fault.boundBy.empty() ? " (computed from the sizes before)" : fmt::format(" (bound by {})", fault.boundBy);
  diagnostic.message = fmt::format("{}{}: {} is {}{}, but here it is {}", fault.parameter, boundText(mismatch), symbol,
                                   mismatch.expected, by, mismatch.actual);
}

}  // namespace rx::vm
