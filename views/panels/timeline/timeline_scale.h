// Where the steps of a run stand along a line, and the bars that are drawn for a part of it.
#pragma once

#include <vector>

#include "views/models/debug_rows.h"

namespace rx::views {

/// Steps along a line: as wide as they took, or all alike. Places are in nanoseconds, or in steps.
class TimelineScale {
 public:
  void set(const std::vector<TraceRow>& trace, bool equal);
  int steps() const { return static_cast<int>(begins_.size()) - 1; }
  double length() const { return begins_.back(); }
  /// Where a step begins, which is where the one before it ends.
  double at(int step) const { return begins_[static_cast<size_t>(step)]; }
  /// The step at a place, clipped to those that there are; -1 without steps.
  int stepAt(double place) const;

 private:
  std::vector<double> begins_{0};
};

/// A bar: the steps that it stands for and where it stands, in pixels.
struct TimelineBar {
  int first = 0;
  int last = 0;
  double left = 0;
  double right = 0;
  OpKind kind = OpKind::Memory;  // of the step that took longest; Memory where all are the machine's
  bool machine = true;           // no kernel among the steps
  bool bad = false;              // a step made a NaN or Inf
  bool holdsBad = false;         // a kernel among them wrote a NaN or Inf, wherever that came from
};

/// Bars for the part [from, to) of a scale on `width` pixels. Steps that are thinner than two pixels stand together in
/// one bar, which is a kernel's as soon as one is among them.
std::vector<TimelineBar> timelineBars(const std::vector<TraceRow>& trace, const TimelineScale& scale, double from,
                                      double to, double width);

}  // namespace rx::views
