// core/schedule: primitives over the TIR of one kernel, with the names and the meaning of TVM's tensor schedules, and
// the rules of default schedules that are made of them, one file a primitive and one a rule. A primitive checks what it
// needs, and where that does not hold it says so with its name and leaves the kernel as it was.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/relax.h"
#include "core/schedule/trace.h"
#include "core/support/result.h"

namespace rx::schedule {

/// The statements around a statement, from the body of the kernel, and it last.
using Path = std::vector<tir::Stmt>;

/// A kernel that primitives rewrite. The kernel itself is immutable: a copy of a schedule is a place to come back to.
class Schedule {
 public:
  /// Fails with schedule.no-root where the body of the function is no block. Blocks of one name are told apart by
  /// numbers, which the result keeps: T_add, T_add_1.
  static Result<Schedule> of(const tir::PrimFuncRef& function);

  const tir::PrimFuncRef& function() const { return function_; }
  /// The block of that name, or a failure with schedule.no-block.
  Result<BlockRef> block(std::string_view name);
  BlockRef root() const { return BlockRef{0}; }
  /// The blocks next below a block, in the order in which they run.
  std::vector<BlockRef> childBlocks(BlockRef block);
  std::string_view name(BlockRef block) const { return names_[block.id].view(); }

  /// Whether the block still is a part of the kernel: inlined ones are not.
  bool has(BlockRef block) const { return !pathTo(block).empty(); }
  /// The path to the BlockRealize of a block, or to a loop; empty where the kernel no longer has it.
  Path pathTo(BlockRef block) const;
  Path pathTo(const LoopRef& loop) const;
  /// The block, its realization and a loop as they are now. They must be parts of the kernel.
  Ref<tir::Block> get(BlockRef block) const { return realize(block)->block; }
  Ref<tir::BlockRealize> realize(BlockRef block) const;
  Ref<tir::For> get(const LoopRef& loop) const;
  /// The loops around a block up to the next block, from the outside.
  std::vector<LoopRef> loops(BlockRef block) const;
  /// The block next around a block or a loop.
  BlockRef scopeOf(const Path& path);
  /// The handle of a block that a primitive has just made or met.
  BlockRef handle(const tir::Block& block);

  /// Whether the values of the block's axes were independent pieces of its loops when it came to where it stands. Loops
  /// that are split since then under a predicate do not change that.
  bool isAffine(const tir::Block& block) const;
  /// Finds that out again for a block that has moved.
  void moved(BlockRef block);
  /// A primitive has made the block so.
  void markAffine(BlockRef block) { affine_[block.id] = true; }

  /// A name that no block has, and none of `others`, which are names of blocks to come.
  Str freshName(std::string name, std::span<const Str> others = {}) const;
  /// From now on the block has another name.
  void rename(BlockRef block, Str name) { names_[block.id] = std::move(name); }
  /// Puts a statement in the place of another, null to drop it with the loops and branches around it that hold nothing
  /// else.
  void replace(const tir::Stmt& statement, const tir::Stmt& by);
  /// The kernel with another body or parameters.
  void commit(tir::Stmt body);

  /// What is said of the kernel as a whole.
  void say(std::string_view key, NodeRef value);
  /// Why parts of the kernel stay as they are though a primitive applied; empty where none does.
  const std::string& left() const { return left_; }
  void leave(std::string why) { left_ = std::move(why); }

  /// What primitives have made of the kernel so far, and how they tell it: before one is tried, and after that.
  const Trace& trace() const { return trace_; }
  Trace::Mark record(Primitive primitive, std::vector<Argument> arguments) {
    return trace_.begin(*this, primitive, std::move(arguments));
  }
  /// For the primitive that is being tried: what it took in the place of an argument that left something to it. The
  /// trace says that, so that a reader sees it and may change it.
  void settle(size_t argument, Argument value) { trace_.settle(argument, std::move(value)); }
  void recorded(Trace::Mark before, bool applied, std::vector<Argument> results);

 private:
  explicit Schedule(tir::PrimFuncRef function) : function_(std::move(function)) {}
  tir::PrimFuncRef function_;
  std::vector<Str> names_;    ///< of blocks, by handle
  std::vector<bool> affine_;  ///< by handle too
  Trace trace_;
  std::string left_;
};

/// What a primitive says where it does not apply: "schedule.split", "the loop i: its factors ...".
Failure refuse(std::string_view primitive, std::string_view place, std::string_view reason);

/// A body with one statement replaced, as Schedule::replace does it.
tir::Stmt withReplaced(const tir::Stmt& body, const tir::Stmt& statement, const tir::Stmt& by);
/// The realizations of blocks next below a statement, in order.
std::vector<Ref<tir::BlockRealize>> blocksBelow(const tir::Stmt& statement);

}  // namespace rx::schedule
