// A loop whose statements run in stages: what a stage makes in one step, later stages use in later steps.
#pragma once

#include "core/lower/access_regions.h"
#include "core/support/result.h"

namespace rx::lower {

/// A statement of the loop's body as a block.
struct PipelineStep {
  Ref<tir::Block> block;
  int64_t stage = 0;   ///< in how many steps after the first it runs
  int64_t order = 0;   ///< its place among the statements of a step
  bool async = false;  ///< it starts what it does, and others wait for it
};

struct SoftwarePipeline {
  Ref<tir::For> loop;
  std::vector<PipelineStep> steps;          ///< in the order of the body
  std::vector<tir::BufferRef> allocations;  ///< of the body
  std::vector<tir::BufferRef> doubled;      ///< that get two versions in any case
  ir::Attrs annotations;                    ///< that the loop keeps
};

/// The block that the statement is, or a new one around it with the regions that it accesses of known buffers.
Ref<tir::Block> blockOf(const tir::Stmt& statement, const BufferByPointer& known);

/// The loop as prologue, loop and epilogue, with as many versions of its buffers as are in use at one time.
Result<tir::Stmt> pipelined(const SoftwarePipeline& pipeline, const BufferByPointer& known);

}  // namespace rx::lower
