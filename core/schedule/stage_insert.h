// New blocks between those of a scope, and how others refer to what they copy.
#pragma once

#include <unordered_set>

#include "core/schedule/block_facts.h"

namespace rx::schedule {

/// A place among the statements of a loop or a block.
struct StagePlace {
  tir::Stmt holder;  ///< the For or the Block
  size_t index = 0;
};

/// The place between a block and the first of others behind it; the end of the scope where there are none.
StagePlace placeBetween(const Ref<tir::Block>& scope, const tir::BlockRealize& block,
                        std::span<const Ref<tir::BlockRealize>> others);
/// The holder with a statement more.
tir::Stmt withStage(const StagePlace& place, const tir::Stmt& stage);

/// A copy of one buffer that blocks use in its place.
struct BufferCopy {
  tir::BufferRef from, copy;
  /// What of `from` the copy holds; empty where it has the same indices.
  Array<Ref<tir::Range>> region;
};
/// The scope with the copy in the place of the buffer in those of its blocks that `uses` names.
tir::Stmt usingCopy(const tir::Block& scope, const BufferCopy& copy, const std::unordered_set<const tir::Block*>& uses);

}  // namespace rx::schedule
