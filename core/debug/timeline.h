// Timeline: the recorded steps along a line, as bars that can be drawn. It keeps a row for each block of steps, and two
// bits for a step, so that any part of a run of millions of steps is told without a look at each of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "core/debug/history.h"

namespace rx::debug {

/// A part of the line. Places are nanoseconds, each step at least one, or steps where all are alike; the oldest step
/// that is kept begins at 0.
struct TimelineView {
  double from = 0;
  double to = 0;
  double least = 0;  ///< steps that are shorter stand together in bars of at least this
  bool equal = false;
};

/// A step that is long enough to be seen, or neighbours that are not.
struct TimelineBar {
  int64_t first = 0;  ///< steps [first, last]
  int64_t last = 0;
  double begin = 0;
  double end = 0;
  int64_t nanoseconds = 0;   ///< that they ran
  int64_t instruction = -1;  ///< of the step that took longest: of a kernel as soon as one is among them
  bool kernel = false;
  bool made = false;   ///< a kernel made NaN or Inf out of finite inputs
  bool holds = false;  ///< a kernel wrote NaN or Inf, wherever that came from
};

/// Calls of kernels whose outputs hold NaN or Inf.
struct NonFiniteCalls {
  int64_t calls = 0;
  int64_t step = -1;  ///< the first that made some out of finite inputs, or the first of all where none did
  bool made = false;  ///< that step did
};

class Timeline {
 public:
  /// Looks at what was recorded since: first how long steps took, then whether what kernels wrote is finite. Stops
  /// where `budget` is spent, at least some steps further; whether all is known.
  bool look(const History& history, std::chrono::milliseconds budget);

  /// The steps [first, known) stand on the line.
  int64_t first() const { return first_; }
  int64_t known() const { return known_; }
  double length(bool equal) const;
  /// Where a state stands: at the end of the step before it. States that are not known stand at the ends.
  double placeOf(const History& history, int64_t state, bool equal) const;
  /// The bars of a part, in order, the first and the last of them perhaps wider than it.
  std::vector<TimelineBar> bars(const History& history, const TimelineView& view) const;

  /// That steps ran so far, those that were dropped since too: all, by instruction, and what compiling took beside it.
  int64_t nanoseconds() const { return ran_; }
  int64_t compiling() const { return compiling_; }
  const std::vector<int64_t>& byInstruction() const { return byInstruction_; }
  /// Of the steps that were looked at, those that were dropped since too.
  const NonFiniteCalls& nonFinite() const { return nonFinite_; }

 private:
  /// One step, or neighbours.
  struct Steps {
    int64_t first = 0;
    int64_t end = 0;
    int64_t nanoseconds = 0;
    int64_t places = 0;             ///< nanoseconds, at least one a step
    int64_t widest = 0;             ///< of `places`, a step's
    int64_t longest[2] = {-1, -1};  ///< nanoseconds of a step: no kernel's, a kernel's
    int64_t instruction[2] = {-1, -1};
    bool made = false;
    bool holds = false;
    void add(const Steps& next);
    double width(bool equal) const { return static_cast<double>(equal ? end - first : places); }
  };
  struct Block {
    int64_t begin = 0;  ///< nanoseconds before it, of steps that were dropped too
    Steps steps;
  };
  class Drawing;
  Steps stepAt(const History& history, int64_t step) const;
  void append(const Steps& step);
  void drop(const History& history);
  void judge(const History& history, int64_t step);
  size_t blockOf(int64_t step) const;
  double begin(const Block& block, bool equal) const;

  int64_t first_ = 0;
  int64_t known_ = 0;
  int64_t judged_ = 0;  ///< what steps before this one wrote was looked at
  std::vector<Block> blocks_;
  int64_t bits_ = 0;  ///< the step of the first bit
  std::vector<bool> made_;
  std::vector<bool> holds_;
  int64_t ran_ = 0;
  int64_t compiling_ = 0;
  std::vector<int64_t> byInstruction_;
  NonFiniteCalls nonFinite_;
};

}  // namespace rx::debug
