// What compute_inline and reverse_compute_inline share.
#pragma once

#include "core/lower/rewriter.h"
#include "core/schedule/block_facts.h"

namespace rx::schedule {

/// Where an inlined block stands.
struct InlineSite {
  Ref<tir::BlockRealize> realize;
  Ref<tir::BufferStore> store;  ///< the body of the block
  Ref<tir::Block> scope;        ///< the block next around it
  Ref<tir::Block> rest;         ///< the same without the inlined block
};

/// Rewrites the blocks of a scope that lose a buffer: what they read and write follows from their new bodies.
class Inliner : public lower::Rewriter {
 public:
  Inliner(const InlineSite& site, tir::BufferRef buffer);

 protected:
  tir::Stmt visit(const tir::Stmt& statement) override;
  const tir::BufferRef& buffer() const { return buffer_; }

 private:
  const tir::Block* scope_;
  tir::BufferRef buffer_;
  std::unordered_map<const tir::Var*, tir::BufferRef> known_;  ///< buffers that blocks name, by their pointers
};

/// The site of a block that is a single store without init, in a pipeline of stages that has more blocks than it; a
/// failure of the primitive elsewhere.
Result<InlineSite> inlineSite(Schedule& schedule, std::string_view primitive, BlockRef block);

}  // namespace rx::schedule
