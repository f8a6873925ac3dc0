// Rules for processors: what schedules one stage of a kernel by its shape, with explicit vectors, one file a rule.
#pragma once

#include <string>

#include "core/schedule/thread_grain.h"

namespace rx::schedule {

/// What a rule is asked.
struct StageInput {
  const Stage& stage;
  /// What stands behind it and alone reads what it writes; null where there is none.
  const Stage* behind;
  VectorShape vectors;
  bool threads = true;  ///< threads may share its steps
  /// Buffers that hold the same in all runs, and that only this stage reads.
  std::span<const tir::BufferRef> weights = {};
  /// What stands before it, and makes something of each element that it may read; null where there is none.
  const Stage* ahead = nullptr;

  /// How threads share a nest over all of its axes, the steps of which move elements, or add products.
  ThreadGrain grainOfElements() const { return {stage.axes, vectors.choices.elementsShared, threads}; }
  ThreadGrain grainOfProducts() const { return {stage.axes, vectors.choices.productsShared, threads}; }

  /// Whether sums of this type are others than those that the kernel makes, where these are to be made in their order.
  bool widens(DataType sums) const { return vectors.inOrder && sums != stage.buffer->dtype; }
};

/// A weight as a rule has it laid out.
struct LaidOut {
  tir::BufferRef buffer;
  tir::Stmt copy;  ///< the block that fills it
};

/// What a rule has made of a stage.
struct StageOutcome {
  tir::Stmt made;              ///< null where the rule does not apply
  bool tookBehind = false;     ///< it does the work of the stage behind too
  std::string why;             ///< the condition that failed
  std::string_view rule = {};  ///< who made it, by the name of its row
  /// Read in the place of a weight.
  std::optional<LaidOut> weight = {};
  bool tookAhead = false;  ///< it does the work of the stage before too
  /// Where a run alone knows whether the rule can: the rules behind it make what runs otherwise. Null: it can.
  tir::PrimExpr onlyIf = nullptr;
};
inline StageOutcome stageStays(std::string why) { return {nullptr, false, std::move(why)}; }

struct HostRuleRow {
  const char* name;
  const char* help;
  /// Of a rule for stages; null for others.
  StageOutcome (*apply)(const StageInput& input);
  /// Of a rule for statements that are no stages: null where it does not apply; `why` then says so of one that is near.
  tir::Stmt (*make)(const tir::Stmt& statement, const VectorShape& vectors, std::string& why);
};
std::span<const HostRuleRow> hostRuleRows();
/// The row of that name; null where there is none.
const HostRuleRow* findHostRule(std::string_view name);

#define RX_HOST_RULE(name, function, help) StageOutcome function(const StageInput& input);
#define RX_HOST_STATEMENT_RULE(name, function, help)
#include "core/schedule/host_rules.def"

}  // namespace rx::schedule
