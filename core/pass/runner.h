// The pass runner: applies a pipeline step by step and records what each step did.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "core/pass/pass.h"

namespace rx::pass {

/// Change of one function in a step.
struct FunctionChange {
  enum class What : uint8_t { Changed, Added, Removed };
  Str name;
  What what = What::Changed;
  /// Bindings (Relax) or statements (TIR) after minus before.
  int64_t netSize = 0;
};

/// One recorded step. Stage 0 of a history is the imported module; step i leads from stage i to stage i + 1.
struct StepRecord {
  std::string name;  ///< `FuseOps`
  std::string call;  ///< `FuseOps(fuse_opt_level=1)`
  ir::Module before;
  ir::Module after;                     ///< null when the pass failed, or where stages are not kept
  std::vector<FunctionChange> changes;  ///< in module order; empty = unchanged
  double milliseconds = 0;
  double verifyMilliseconds = 0;
  int64_t nodesAfter = 0;            ///< bindings and statements of the result
  int64_t bytesAdded = -1;           ///< memory of what the result holds beside `before` (RunOptions::measure)
  bool verified = false;             ///< the verifier ran on the result
  std::vector<Diagnostic> verdict;   ///< what the verifier found in the result
  std::vector<Diagnostic> messages;  ///< what the pass said, its errors last
  std::vector<Diagnostic> lost;      ///< what the result does not say any more (RunOptions::compare)
  std::vector<Remark> remarks;       ///< in the order of the text (RunOptions::remarks)
  bool leftOut = false;              ///< the context left the pass out: after is before, a note says why
  bool kept = true;                  ///< false: the stages went (RunOptions::keepStages)
  bool failed() const { return kept && !after; }
  bool changed() const { return !changes.empty(); }
};

struct History {
  ir::Module imported;
  std::vector<StepRecord> steps;
  /// Module of a stage: 0 = imported, i = after step i - 1; the last good one when a step failed.
  const ir::Module& stage(size_t index) const;
  size_t stageCount() const;
};

struct RunOptions {
  PassContext context;
  /// False: a stage goes as soon as the next one is there; the history keeps the last and what the steps said.
  bool keepStages = true;
  /// Keeps what passes say of bindings that they leave as they are.
  bool remarks = false;
  /// Finds out what the stages take in memory.
  bool measure = false;
  /// Called on the calling thread with a result that differs from what was given, before anything is found out about
  /// it: who shows it can begin. May be empty.
  std::function<void(const ir::Module& made)> made;
  /// Finds what is ill formed in a result; may be empty (then nothing is verified).
  std::function<std::vector<Diagnostic>(const ir::Module&)> verify;
  /// Finds what a result does not say that the stage before said; may be empty. Not asked of passes that lower for the
  /// VM, whose values have other types.
  std::function<std::vector<Diagnostic>(const ir::Module& before, const ir::Module& after)> compare;
  /// Called on the calling thread before each step with its index and after the last with the count.
  std::function<void(size_t step, size_t count)> progress;
  /// Called on the calling thread after each step, while both of its stages are there; may be empty.
  std::function<void(const StepRecord& step)> finished;
};

/// Runs the steps one after another and stops at the first that fails or when cancelled (rule `pass.cancelled`);
/// the history holds every step that was started.
History runPipeline(const ir::Module& module, std::span<const PassCall> calls, const RunOptions& options);
/// One step, for callers that step by hand.
StepRecord runStep(const ir::Module& module, const PassCall& call, const RunOptions& options);

/// Functions that differ between two modules by identity, in the order of `after`, removed ones last.
std::vector<FunctionChange> changedFunctions(const ir::Module& before, const ir::Module& after);
/// The same by structure, for modules that were read apart from each other.
std::vector<FunctionChange> changedByStructure(const ir::Module& before, const ir::Module& after);
/// Size of a function as its language counts it: bindings, statements, operations.
int64_t sizeOf(const ir::BaseFunc& function);

}  // namespace rx::pass
