// Crossings: which recorded steps a walk has to look at. A step that touches what is watched is found by asking the
// recording for the next one, so that a walk over millions of steps costs little where few do.
#pragma once

#include <map>

#include "core/debug/breakpoint.h"
#include "core/debug/history.h"

namespace rx::debug {

/// Of one walk, forwards or backwards, whose steps are asked about in its order.
class Crossings {
 public:
  Crossings(History& history, bool forward) : history_(history), forward_(forward) {}

  /// Whether a step may touch what is watched, or, without a register to watch, may have written any memory. What is
  /// denied is certain.
  bool may(const DataWatch& watch, int64_t step);

 private:
  int64_t find(const DataWatch& watch, int64_t step);
  /// Whether the instruction of a step sets, or reads, a register of this number.
  bool names(const DataWatch& watch, int64_t step) const;
  /// The nearer of two steps, seen from where the walk comes from; -1 for none.
  int64_t nearer(int64_t found, int64_t step) const;

  History& history_;
  bool forward_;
  std::map<DataWatch, int64_t> found_;  ///< up to where nothing is touched
};

}  // namespace rx::debug
