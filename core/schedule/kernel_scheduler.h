// The stages of one kernel by rules for processors.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/ir/relax.h"
#include "core/schedule/host_rules.h"
#include "core/schedule/row_group.h"
#include "core/schedule/zero_steps.h"

namespace rx::schedule {

/// Schedules the stages of one kernel, from the first to the last: by rows those that go through the same, each other
/// with the one behind it where a rule does the work of both.
class KernelScheduler {
 public:
  /// The body of the function is a block.
  KernelScheduler(const tir::PrimFuncRef& function, std::span<const HostRuleRow* const> rules, VectorShape vectors);
  /// Null where no rule applies to any stage.
  tir::PrimFuncRef run();
  /// Of each stage that stays as it is, which conditions failed.
  const std::string& why() const { return why_; }
  /// Of each block that was made, by which rules: "matmul: host.Products".
  const std::vector<std::string>& made() const { return made_; }
  /// The rules that made something, in the forms for some sizes too, each once.
  const std::vector<std::string_view>& used() const { return used_; }

 private:
  /// A statement of the kernel, and what it is as a stage.
  struct Part {
    tir::Stmt statement;
    std::optional<Stage> stage;
  };
  /// Sums of products with what has zeros between its elements, without the products with these.
  void leaveZerosOut();
  /// Puts these in the place of what they replace; the number of the last of them.
  size_t replaceParts(WithoutZeros by);
  /// The parts of the kernel where the size is that number.
  KernelScheduler(const KernelScheduler& any, const tir::VarRef& size, int64_t number);
  /// The stages of all parts, those that one part reduces together among them; none where a part is no stage.
  std::vector<Stage> allStages() const;
  /// Sizes that a run alone knows, as numbers of steps of these stages.
  static std::vector<tir::VarRef> sizes(std::span<const Stage> stages);
  /// Where such a size is one of some small numbers, other rules are the quicker ones: loops go, and vectors go along
  /// other axes.
  tir::Stmt withForms(tir::Stmt any);
  /// One of the forms, with the buffers that it uses, compiled apart from the others.
  tir::Stmt apart(const tir::Stmt& made) const;
  /// All parts in order, with vector math; `some_` says whether a rule applies to any.
  tir::Stmt scheduled();
  /// Own buffers that something uses still.
  std::vector<tir::BufferRef> left() const;
  StageOutcome byRules(const StageInput& input);
  /// What the rule made where it can, and otherwise what others make of the stage.
  StageOutcome withOthers(const StageInput& input, const HostRuleRow& rule, StageOutcome outcome);
  /// Of a part that is no stage.
  StageOutcome byRules(const tir::Stmt& statement);
  void use(std::string_view rule);
  /// What a part is told by: its stage, its first block, else the kernel's.
  std::string_view nameOf(const Part& part) const;
  /// What becomes of the parts, in order; null in the place of one that another does the work of.
  std::vector<tir::Stmt> partByPart();
  tir::Stmt inRows(const RowGroup& group, bool threads = true);
  tir::Stmt withOneDivision(const RowGroup& group, size_t stage, const tir::Stmt& made);
  /// The stages from this part on in tiles of rows, and how many; null where they are no such group, or a stage is left
  /// that no rule takes.
  tir::Stmt inTiles(size_t first, const std::vector<bool>& folded, size_t& count);
  tir::Stmt oneTile(const RowGroup& tile, std::string& said);
  /// The stages from this part on, up to one that is none or made already.
  std::vector<std::optional<Stage>> stagesFrom(size_t first, const std::vector<bool>& folded) const;
  /// Whether nobody outside of the kernel reads the buffer, and in it only `count` parts from `first` on.
  bool isOwnOf(const tir::BufferRef& buffer, size_t first, size_t count) const;
  std::optional<RowGroup> groupAt(size_t first, const std::vector<bool>& folded) const;
  /// The part behind that alone reads what this one writes, where nobody outside of the kernel does.
  std::optional<size_t> onlyReader(size_t part) const;
  bool isOwn(const tir::BufferRef& buffer) const;
  /// Of the buffers whose layout is free, those that only this part reads.
  std::vector<tir::BufferRef> weightsOf(size_t part) const;
  void note(const tir::Stmt& statement, const std::string& why);
  tir::PrimFuncRef withStatement(const tir::Stmt& statement) const;

  const tir::PrimFuncRef& function_;
  Ref<tir::BlockRealize> root_;
  std::span<const HostRuleRow* const> rules_;
  VectorShape vectors_;
  bool inStages_;  ///< nothing is written that was read before
  std::vector<Part> parts_;
  std::vector<tir::BufferRef> own_;   ///< that nobody outside of the kernel sees
  std::vector<tir::BufferRef> gone_;  ///< buffers that nothing uses any more
  std::vector<LaidOut> weights_;      ///< what parts read in the place of weights
  bool some_ = false;
  std::string why_;
  std::vector<std::string> made_;
  std::vector<std::string_view> used_;
};

}  // namespace rx::schedule
