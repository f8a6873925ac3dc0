// gpu.GEMV in two ways, by how the matrix lies in memory.
#pragma once

#include "core/schedule/gemv.h"
#include "core/target/target.h"

namespace rx::schedule {

/// What both ways schedule: loops over batches, places, sums and a group within one value.
struct GpuGemv {
  Schedule& schedule;
  const target::Target& target;
  const GemvKernel& kernel;
};

/// The sums lie innermost. Fails where a primitive refuses; else nothing, or why it does not fit.
Result<std::string_view> scheduleInnerSums(const GpuGemv& gemv);
/// The places lie innermost.
Result<std::string_view> scheduleInnerPlaces(const GpuGemv& gemv);

/// How the epilogue of a block of threads is dealt out.
struct GemvEpilogue {
  int64_t threads;        ///< along places
  std::string_view axis;  ///< theirs
  int64_t broadcastThreads;
  std::string_view broadcastAxis;
  bool oneEach;  ///< the threads are as many as the places
};
/// Moves the epilogue into the loop over blocks of threads, and deals it out.
Result<Unit> scheduleGemvEpilogue(const GpuGemv& gemv, const LoopRef& blocks, const GemvEpilogue& shape);

}  // namespace rx::schedule
