#include "views/panels/timeline/timeline_scale.h"

#include <algorithm>

namespace rx::views {
namespace {

constexpr double kLeastBar = 2;  // pixels

/// The machine passes values on; only who computes one is told of.
bool holdsBad(const TraceRow& row) { return row.holdsBad && !row.builtin; }

/// Collects thin steps until they are wide enough to be seen.
struct Merged {
  TimelineBar bar;
  double longest = -1;

  bool open() const { return longest >= 0; }
  void add(const TraceRow& row, int step, double left, double right) {
    if (!open()) bar = {step, step, left, right, OpKind::Memory, true, false, false};
    bar.last = step;
    bar.right = right;
    bar.bad = bar.bad || row.bad;
    bar.holdsBad = bar.holdsBad || holdsBad(row);
    const bool kernel = !row.builtin;
    if (right - left < longest && !(kernel && bar.machine)) return;
    if (!kernel && !bar.machine) return;
    longest = right - left;
    bar.kind = kernel ? row.kind : OpKind::Memory;
    bar.machine = !kernel;
  }
};

}  // namespace

void TimelineScale::set(const std::vector<TraceRow>& trace, bool equal) {
  begins_.assign(1, 0);
  begins_.reserve(trace.size() + 1);
  // A clock may not have moved during a step; it stands all the same.
  for (const TraceRow& row : trace)
    begins_.push_back(begins_.back() + (equal ? 1 : std::max(row.microseconds * 1000, 1.0)));
}

int TimelineScale::stepAt(double place) const {
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), place);
  return std::clamp(static_cast<int>(after - begins_.begin()) - 1, steps() > 0 ? 0 : -1, steps() - 1);
}

std::vector<TimelineBar> timelineBars(const std::vector<TraceRow>& trace, const TimelineScale& scale, double from,
                                      double to, double width) {
  std::vector<TimelineBar> bars;
  if (scale.steps() == 0 || width <= 0 || to <= from) return bars;
  const double pixels = width / (to - from);
  const int last = std::min(scale.stepAt(to), static_cast<int>(trace.size()) - 1);
  Merged merged;
  const auto flush = [&] {
    if (merged.open()) bars.push_back(merged.bar);
    merged = {};
  };
  for (int step = scale.stepAt(from); step <= last; ++step) {
    const TraceRow& row = trace[static_cast<size_t>(step)];
    const double left = (scale.at(step) - from) * pixels;
    const double right = (scale.at(step + 1) - from) * pixels;
    if (right - left >= kLeastBar) {
      flush();
      bars.push_back(
          {step, step, left, right, row.builtin ? OpKind::Memory : row.kind, row.builtin, row.bad, holdsBad(row)});
      continue;
    }
    if (merged.open() && merged.bar.right - merged.bar.left >= kLeastBar) flush();
    merged.add(row, step, left, right);
  }
  flush();
  return bars;
}

}  // namespace rx::views
