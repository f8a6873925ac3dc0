// LaunchPlan: a program with all that a step would look up resolved once: what is called, where each argument is, which
// of them the call may write, and which registers nothing uses behind an instruction.
#pragma once

#include <span>
#include <vector>

#include "core/runtime/executable.h"
#include "core/runtime/prepared_call.h"

namespace rx::vm {

/// One instruction; of one that is no call nothing else is set.
struct PlannedCall {
  bool calls = false;
  const Callable* callee = nullptr;  ///< null: a function of the module, or one that is missing
  PreparedCall* prepared = nullptr;  ///< of the plan; may be null
  uint32_t function = 0;             ///< in the function table
  bool givesNull = false;            ///< and does nothing else
  bool bytecode = false;
  bool forwards = false;  ///< what it writes depends on its arguments
  bool writes = false;    ///< some argument
  Word dst = kVoidRegister;
  const PlannedArgument* places = nullptr;  ///< where its arguments are, of the plan
  uint32_t count = 0;

  std::span<const PlannedArgument> arguments() const { return {places, count}; }
  /// The same with the registers of the frame that calls.
  PlannedArguments arguments(const Value* registers) const { return {places, registers}; }
};

/// Constants where the kernels of each device take them: by the index of the device, then by that of the constant, null
/// for what no kernel takes there.
using PlacedConstants = std::vector<std::vector<Value>>;

class LaunchPlan {
 public:
  /// `functions`: what each row of the function table is for the machine; null where it is missing. Executable,
  /// functions and constants have to outlive the plan.
  LaunchPlan(const Executable& executable, std::span<const Value> functions, const PlacedConstants& constants);

  const PlannedCall& call(size_t pc) const { return calls_[pc]; }
  /// The most arguments of a call.
  size_t mostArguments() const { return mostArguments_; }
  /// Registers of the function that were last used by the instructions [begin, end), which lie in one function and were
  /// run or jumped over. None where a function jumps backwards, whose registers live until it returns.
  std::span<const uint32_t> lastUsed(size_t begin, size_t end) const {
    return {lastUsed_.data() + lastUsedAt_[begin], lastUsedAt_[end] - lastUsedAt_[begin]};
  }

 private:
  void planCalls(const Executable& executable, std::span<const Value> functions, const PlacedConstants& constants);
  PlannedArgument place(const Executable& executable, std::span<const Value> functions, Arg arg);
  /// Makes calls ready. Those of a function that differ in registers alone share what is made, so that a loop that was
  /// written out needs no more of the processor's cache than one that was not.
  void prepareCalls(const Executable& executable);
  void planRegisters(const Executable& executable);

  std::vector<PlannedCall> calls_;  ///< one an instruction
  std::vector<PlannedArgument> arguments_;
  std::vector<std::unique_ptr<PreparedCall>> prepared_;
  std::vector<Value> numbers_;  ///< immediate arguments
  Value null_, machine_ = Value::machine();
  size_t mostArguments_ = 0;
  std::vector<uint32_t> lastUsed_;
  std::vector<uint32_t> lastUsedAt_;  ///< where those of an instruction begin; one more at the end
};

}  // namespace rx::vm
