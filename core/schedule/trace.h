// What was done to one kernel: the primitives that were applied, in order, with what they took and gave.
#pragma once

#include <string>

#include "core/schedule/argument.h"

namespace rx::schedule {

enum class Primitive : uint8_t;
class Schedule;

/// A primitive that was applied.
struct Instruction {
  Primitive primitive{};
  std::vector<Argument> arguments;
  std::vector<Argument> results;  ///< blocks and loops
  tir::PrimFuncRef made;          ///< the kernel after it
};

class Trace {
 public:
  const std::vector<Instruction>& instructions() const { return instructions_; }
  bool empty() const { return instructions_.empty(); }

  /// A place to come back to.
  struct Mark {
    size_t instructions, handles;
  };
  /// An instruction without results. What it takes and nobody has named yet is looked up in the kernel first, by
  /// instructions of its own. Gives where the trace was before.
  Mark begin(Schedule& schedule, Primitive primitive, std::vector<Argument> arguments);
  /// Ends the last one, which gave these, and left the kernel so.
  void end(std::vector<Argument> results, tir::PrimFuncRef made);
  void backTo(Mark mark);
  /// What the last one, which has not ended, took in the place of an argument that left something to it.
  void settle(size_t argument, Argument value) { instructions_.back().arguments[argument] = std::move(value); }

  /// The number of a block or a loop in the text: "b0", "l1".
  std::string nameOf(const Argument& handle) const;

 private:
  void name(const Argument& handle);
  void lookUp(Schedule& schedule, const Argument& handle);
  void lookUpBlock(Schedule& schedule, BlockRef block);

  std::vector<Instruction> instructions_;
  std::vector<Argument> handles_;  ///< by their numbers
};

/// The trace of a kernel of this name as text in TVM's form, a line an instruction, each indented so far.
std::string traceLines(const Trace& trace, std::string_view kernel, std::string_view indent);
/// One instruction of it.
std::string instructionText(const Trace& trace, const Instruction& instruction, std::string_view kernel);
/// What stands around such lines: a function that applies them to a schedule.
constexpr std::string_view kTraceHead = "# from tvm import s_tir\ndef apply_trace(sch: s_tir.Schedule) -> None:\n";

}  // namespace rx::schedule
