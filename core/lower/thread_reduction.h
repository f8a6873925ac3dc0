// The code of one reduction over the threads of a block: by shuffles in warps, or over shared memory.
#pragma once

#include <optional>
#include <vector>

#include "core/arith/analyzer.h"
#include "core/ir/stmt.h"

namespace rx::lower {

/// What a reduction asks of the device.
struct WarpFacts {
  bool shuffles = false;     ///< values can be exchanged in a warp
  bool masks = false;        ///< by a mask of the threads that take part
  bool wholeWarps = false;   ///< of whole warps only, values of 32 bits only
  int64_t warpSize = 1;      ///< threads
  int64_t mostThreads = -1;  ///< of a block; -1: not known
};

/// A reduction as its call and its surroundings describe it. Threads are flattened: `thread` of `threads` reduce
/// together, in group `group` of `groups`.
struct ThreadReduction {
  const tir::CommReducer* combiner = nullptr;
  std::vector<tir::PrimExpr> values;
  std::vector<DataType> types;
  tir::PrimExpr thread, group;
  int64_t threads = 1, groups = 1;
  int64_t neighbours = 1;  ///< threads in a row, by number, that reduce together
};

/// The statements of the reduction, and the element that holds each result for every thread afterwards. The buffers of
/// these elements are not allocated by the statements: they take the place of what the results were meant for.
struct LoweredReduction {
  tir::Stmt body;
  std::vector<Ref<tir::BufferLoad>> results;
};

class ThreadReducer {
 public:
  explicit ThreadReducer(const WarpFacts& facts) : facts_(facts) {}
  LoweredReduction lower(const ThreadReduction& reduction);

 private:
  struct InWarp {
    std::vector<tir::BufferRef> results, locals;
    tir::BufferRef mask;  ///< null without masks
  };
  bool fitsWarps(const ThreadReduction& reduction) const;
  LoweredReduction inOneWarp(const ThreadReduction& reduction);
  LoweredReduction inManyWarps(const ThreadReduction& reduction);
  LoweredReduction inSharedMemory(const ThreadReduction& reduction);
  InWarp shuffled(const ThreadReduction& reduction, const std::vector<tir::PrimExpr>& values, int64_t threads,
                  const tir::PrimExpr& predicate);
  void tree(const ThreadReduction& reduction, const std::vector<tir::BufferRef>& shared);
  void inWarpTree(const ThreadReduction& reduction, const std::vector<tir::BufferRef>& shared, int64_t width);
  std::vector<tir::PrimExpr> pairs(const ThreadReduction& reduction, const std::vector<tir::BufferRef>& shared,
                                   int64_t offset);
  tir::PrimExpr place(const ThreadReduction& reduction, const tir::PrimExpr& thread);
  tir::PrimExpr shuffle(std::string_view name, const tir::BufferRef& mask, const tir::PrimExpr& value,
                        const tir::PrimExpr& lane) const;
  LoweredReduction finished(const std::vector<tir::BufferRef>& allocated, std::vector<Ref<tir::BufferLoad>> results);

  WarpFacts facts_;
  std::vector<tir::Stmt> code_;
  arith::Analyzer analyzer_;
};

}  // namespace rx::lower
