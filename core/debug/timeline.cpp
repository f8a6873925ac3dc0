#include "core/debug/timeline.h"

#include <algorithm>

namespace rx::debug {
namespace {

constexpr int64_t kBlock = 256;  // steps

}  // namespace

void Timeline::Steps::add(const Steps& next) {
  if (end == first) first = next.first;
  end = next.end;
  nanoseconds += next.nanoseconds;
  places += next.places;
  widest = std::max(widest, next.widest);
  for (const int kind : {0, 1}) {
    if (next.longest[kind] <= longest[kind]) continue;
    longest[kind] = next.longest[kind];
    instruction[kind] = next.instruction[kind];
  }
  made = made || next.made;
  holds = holds || next.holds;
}

Timeline::Steps Timeline::stepAt(const History& history, int64_t step) const {
  const TimedStep timed = history.timed(step);
  Steps one;
  one.first = step;
  one.end = step + 1;
  one.nanoseconds = timed.nanoseconds;
  // A clock may not have moved during a step; it stands all the same.
  one.places = one.widest = std::max<int64_t>(timed.nanoseconds, 1);
  const bool kernel =
      timed.instruction >= 0 && history.program().instructions[static_cast<size_t>(timed.instruction)].callsKernel();
  one.longest[kernel] = timed.nanoseconds;
  one.instruction[kernel] = timed.instruction;
  if (step < judged_) {
    const auto bit = static_cast<size_t>(step - bits_);
    one.made = made_[bit];
    one.holds = holds_[bit];
  }
  return one;
}

size_t Timeline::blockOf(int64_t step) const {
  return static_cast<size_t>(step / kBlock - blocks_.front().steps.first / kBlock);
}

void Timeline::append(const Steps& step) {
  if (blocks_.empty() || step.first % kBlock == 0) {
    const int64_t begin = blocks_.empty() ? 0 : blocks_.back().begin + blocks_.back().steps.places;
    blocks_.push_back({begin, {}});
  }
  blocks_.back().steps.add(step);
  made_.push_back(false);
  holds_.push_back(false);
}

/// Steps that are not kept any more leave the line.
void Timeline::drop(const History& history) {
  const int64_t oldest = history.oldest();
  if (oldest <= first_) return;
  if (oldest >= known_) {
    blocks_.clear();
    made_.clear();
    holds_.clear();
    first_ = known_ = judged_ = bits_ = oldest;
    return;
  }
  blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<ptrdiff_t>(blockOf(oldest)));
  made_.erase(made_.begin(), made_.begin() + (oldest - bits_));
  holds_.erase(holds_.begin(), holds_.begin() + (oldest - bits_));
  first_ = bits_ = oldest;
  judged_ = std::max(judged_, oldest);
  Block& cut = blocks_.front();
  const int64_t behind = cut.begin + cut.steps.places, end = cut.steps.end;
  cut.steps = {};
  for (int64_t step = oldest; step < end; ++step) cut.steps.add(stepAt(history, step));
  cut.begin = behind - cut.steps.places;
}

void Timeline::judge(const History& history, int64_t step) {
  const int64_t instruction = history.timed(step).instruction;
  if (instruction < 0 || !history.program().instructions[static_cast<size_t>(instruction)].callsKernel()) return;
  const Finiteness found = history.finiteness(step);
  const auto bit = static_cast<size_t>(step - bits_);
  made_[bit] = found.made;
  holds_[bit] = found.holds || found.made;
  Steps& block = blocks_[blockOf(step)].steps;
  block.made = block.made || found.made;
  block.holds = block.holds || holds_[bit];
  if (!holds_[bit]) return;
  ++nonFinite_.calls;
  // What was given such values passes them on; the one to look at made them, where there is such a one.
  if (nonFinite_.made || (nonFinite_.calls > 1 && !found.made)) return;
  nonFinite_.step = step;
  nonFinite_.made = found.made;
}

bool Timeline::look(const History& history, std::chrono::milliseconds budget) {
  const auto end = std::chrono::steady_clock::now() + budget;
  const auto late = [end] { return std::chrono::steady_clock::now() >= end; };
  drop(history);
  const int64_t recorded = history.recorded();
  byInstruction_.resize(history.program().instructions.size());
  for (const int64_t from = known_; known_ < recorded; ++known_) {
    if (known_ % kBlock == 0 && known_ > from && late()) return false;
    const TimedStep timed = history.timed(known_);
    append(stepAt(history, known_));
    ran_ += timed.nanoseconds;
    compiling_ += timed.compiling;
    if (timed.instruction >= 0) byInstruction_[static_cast<size_t>(timed.instruction)] += timed.nanoseconds;
  }
  // Values are looked at here first, which for large ones takes time.
  for (const int64_t from = judged_; judged_ < known_; ++judged_) {
    if (judged_ > from && late()) return false;
    judge(history, judged_);
  }
  return true;
}

double Timeline::begin(const Block& block, bool equal) const {
  return static_cast<double>(equal ? block.steps.first - first_ : block.begin - blocks_.front().begin);
}

double Timeline::length(bool equal) const {
  return blocks_.empty() ? 0 : begin(blocks_.back(), equal) + blocks_.back().steps.width(equal);
}

double Timeline::placeOf(const History& history, int64_t state, bool equal) const {
  state = std::clamp(state, first_, known_);
  if (equal || state == known_) return equal ? static_cast<double>(state - first_) : length(equal);
  const Block& block = blocks_[blockOf(state)];
  double place = begin(block, equal);
  for (int64_t step = block.steps.first; step < state; ++step) place += stepAt(history, step).width(equal);
  return place;
}

/// Puts steps beside each other: thin ones are collected until they are wide enough to be seen.
class Timeline::Drawing {
 public:
  Drawing(const TimelineView& view, double place) : view_(view), place_(place) {}

  double place() const { return place_; }
  bool done() const { return place_ >= view_.to; }
  /// Whether steps can be added as if they were one: nothing of them stands by itself or ends a bar.
  bool takesAtOnce(const Steps& steps) const {
    const double widest = view_.equal ? 1 : static_cast<double>(steps.widest), width = steps.width(view_.equal);
    return place_ >= view_.from && widest < view_.least && thin_.width(view_.equal) + width < view_.least;
  }
  void add(const Steps& steps) {
    const double width = steps.width(view_.equal);
    place_ += width;
    if (place_ <= view_.from) return;
    if (width >= view_.least) {
      flush(place_ - width);
      push(steps, place_);
      return;
    }
    if (thin_.width(view_.equal) >= view_.least) flush(place_ - width);
    thin_.add(steps);
  }
  std::vector<TimelineBar> finish() {
    flush(place_);
    return std::move(bars_);
  }

 private:
  void flush(double end) {
    if (thin_.end > thin_.first) push(thin_, end);
    thin_ = {};
  }
  void push(const Steps& steps, double end) {
    const bool kernel = steps.longest[1] >= 0;
    bars_.push_back({steps.first, steps.end - 1, end - steps.width(view_.equal), end, steps.nanoseconds,
                     steps.instruction[kernel], kernel, steps.made, steps.holds});
  }

  const TimelineView& view_;
  double place_;
  Steps thin_;
  std::vector<TimelineBar> bars_;
};

std::vector<TimelineBar> Timeline::bars(const History& history, const TimelineView& view) const {
  if (blocks_.empty() || !(view.to > view.from)) return {};
  const auto behind =
      std::upper_bound(blocks_.begin(), blocks_.end(), view.from,
                       [&](double place, const Block& block) { return place < begin(block, view.equal); });
  auto block = behind == blocks_.begin() ? behind : std::prev(behind);
  Drawing drawing(view, begin(*block, view.equal));
  for (; block != blocks_.end() && !drawing.done(); ++block) {
    if (drawing.takesAtOnce(block->steps)) {
      drawing.add(block->steps);
      continue;
    }
    for (int64_t step = block->steps.first; step < block->steps.end && !drawing.done(); ++step)
      drawing.add(stepAt(history, step));
  }
  return drawing.finish();
}

}  // namespace rx::debug
