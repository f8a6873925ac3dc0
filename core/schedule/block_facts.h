// What is known of the blocks of one scope: who writes what the others read, and which form each has.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/arith/equal.h"
#include "core/arith/int_set.h"
#include "core/arith/iter_map.h"
#include "core/ir/stmt.h"
#include "core/schedule/schedule.h"

namespace rx::schedule {

/// The blocks next below a block, in order.
class BlockScope {
 public:
  explicit BlockScope(const tir::Block& root);
  const std::vector<Ref<tir::BlockRealize>>& blocks() const { return blocks_; }

  /// Why the block is not complete: its axes are no data-parallel ones, others write what it writes, or it reads it.
  /// Empty where it is complete.
  std::string_view whyIncomplete(const tir::Block& block) const;
  /// Why the block is no reduction; empty where it is one.
  std::string_view whyNoReduction(const Schedule& schedule, const tir::Block& block) const;
  /// Whether the block writes what is seen outside of the scope.
  bool isOutput(const tir::Block& block) const;
  /// The only block that writes the buffer, or null.
  Ref<tir::BlockRealize> onlyWriter(const tir::Buffer& buffer) const;
  /// Blocks before it that write what it reads or writes, and blocks behind it that read or write what it writes.
  std::vector<Ref<tir::BlockRealize>> producers(const tir::Block& block) const;
  std::vector<Ref<tir::BlockRealize>> consumers(const tir::Block& block) const;
  /// Why the scope is no pipeline of stages, in which what a block reads was written before by another, and is never
  /// written again; empty where it is one.
  std::string_view whyNoPipeline() const;

 private:
  Ref<tir::Block> root_;
  std::vector<Ref<tir::BlockRealize>> blocks_;
};

/// The buffer among the regions, or null.
const tir::BufferRegion* regionOf(const Array<Ref<tir::BufferRegion>>& regions, const tir::Buffer& buffer);
/// The axes with what they stand for in the realization.
arith::VarMap bindings(const tir::BlockRealize& realize);
/// The loops of a path, from the outside, with indices from `first` on.
std::vector<Ref<tir::For>> loopsOf(const Path& path, size_t first = 0);
/// The same loops up to the block next around the end of the path.
std::vector<Ref<tir::For>> loopsInScope(const Path& path);
/// The block of the path that allocates the buffer; null where none does.
Ref<tir::Block> allocatorIn(const Path& path, const tir::BufferRef& buffer);
/// The statements of a body in order.
std::vector<tir::Stmt> statementsOf(const tir::Stmt& body);
/// Ranges of loops as sets.
arith::Domains domainsOf(std::span<const Ref<tir::For>> loops);
/// Whether the values of the axes are independent pieces of the loops.
bool isAffine(const tir::BlockRealize& realize, std::span<const Ref<tir::For>> loops);
/// Whether an expression speaks of one of these loops.
bool usesAny(const tir::PrimExpr& expr, std::span<const Ref<tir::For>> loops);
/// The comparisons of a predicate that do not speak of these loops; null where it has parts of another form.
tir::PrimExpr withoutLoops(const tir::PrimExpr& predicate, std::span<const Ref<tir::For>> loops);
/// The variables that occur in the ranges of a region.
std::unordered_set<const tir::Var*> varsOf(const Array<Ref<tir::Range>>& region);
/// A region with variables replaced.
Array<Ref<tir::Range>> substituted(const Array<Ref<tir::Range>>& region, const arith::VarMap& map);
Array<Ref<tir::BufferRegion>> substituted(const Array<Ref<tir::BufferRegion>>& regions, const arith::VarMap& map);
/// Whether the pointer of the buffer is used by something else than loads, stores and regions, or a part of it has
/// another name in a block.
bool hasOpaqueAccess(const tir::Stmt& statement, const tir::Buffer& buffer);
/// A copy of a node with other fields.
template <class T>
Ref<T> changed(const T& node, const auto& change) {
  auto* copy = new T(node);
  const Ref<T> made(copy);
  change(*copy);
  return made;
}

}  // namespace rx::schedule
