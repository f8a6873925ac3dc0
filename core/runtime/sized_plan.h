// SizedPlan: what is left of a function where the shapes and types of its arguments are known. Checks that hold are
// gone, and what finds sizes (the shape heap, what is computed in it, shapes made of it) gave its values once: calls
// have them as if the program named them. A function of unknown sizes that is called with sizes it was called with
// before runs as one of these sizes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/runtime/launch_plan.h"

namespace rx::vm {

class SizedPlan : public Object {
 public:
  /// Of a function that would be called with these registers, its arguments first. Evaluates the instructions before
  /// its first jump whose results the sizes of the arguments `read` decide; nothing of the program sees that. Null
  /// where none could be left out. Function and plan outlive it.
  static Ref<SizedPlan> make(const Executable& executable, const LaunchPlan& plan, const FunctionInfo& function,
                             std::span<const uint32_t> read, std::span<const Value> registers,
                             const Surroundings& around);

  /// The first instruction from `pc` on that has to run.
  size_t next(size_t pc) const {
    const size_t row = pc - begin_;
    return row < rows_.size() ? rows_[row].next : pc;
  }
  /// The call of an instruction that has to run, where it has values in the place of registers; null: as it is planned.
  const PlannedCall* call(size_t pc) const {
    const size_t row = pc - begin_;
    return row < rows_.size() ? rows_[row].call : nullptr;
  }
  /// Gives registers what the instructions before `pc` that did not run would have left in them; registers that are
  /// used no more are empty up to the instruction `cleared`.
  void restore(const LaunchPlan& plan, std::span<Value> registers, size_t pc, size_t cleared) const;

 private:
  struct Row {
    size_t next = 0;
    const PlannedCall* call = nullptr;
    const Value* left = nullptr;  ///< what one that does not run gives
  };
  size_t begin_ = 0;
  std::vector<Row> rows_;  ///< of the instructions before the first jump
  std::vector<Value> values_;
  std::vector<PlannedCall> calls_;
  std::vector<PlannedArgument> arguments_;
  std::vector<std::unique_ptr<PreparedCall>> prepared_;
};

/// The plans of one function, for the sizes that it was called with last.
class SizedPlans {
 public:
  /// All outlive it.
  SizedPlans(const Executable& executable, const LaunchPlan& plan, const FunctionInfo& function);
  /// Of a call that begins with these registers; null where it is to run as it is. Sizes that come for the first time
  /// are only noted: to plan costs more than it saves once.
  Ref<SizedPlan> find(std::span<const Value> registers, const Surroundings& around);

 private:
  struct Sizes {
    std::vector<int64_t> words;  ///< kind, rank and type of each argument that is read, behind it its shape or number
    bool planned = false;
    Ref<SizedPlan> plan = nullptr;
  };
  static constexpr size_t kMost = 4;

  const Executable& executable_;
  const LaunchPlan& plan_;
  const FunctionInfo& function_;
  std::vector<uint32_t> read_;  ///< arguments whose sizes calls look at
  std::vector<Sizes> sizes_;    ///< the last ones first
};

}  // namespace rx::vm
