#include "views/session/frame_registers.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "views/session/engine_rows.h"

namespace rx::views {
namespace {

constexpr int64_t kPart = 500;  // rows of one answer: a longer one would hold the window up
constexpr int64_t kFar = 500;   // steps beyond which everything is asked for anew, which is less to say

}  // namespace

dap::RegistersArguments FrameRegisters::request(int at) {
  if (next_ > 0 && partOf_ != at) {
    next_ = 0;
    shown_ = -1;
  }
  dap::RegistersArguments arguments;
  arguments.held = true;
  arguments.activation = activation_;
  arguments.since = std::abs(at - shown_) > kFar ? -1 : shown_;
  arguments.start = next_;
  arguments.count = kPart;
  return arguments;
}

bool FrameRegisters::take(const dap::RegistersBody& body, int at, const Names* names) {
  if (next_ == 0) {
    coming_.clear();
    anew_ = body.since < 0;
  }
  activation_ = body.activation;
  partOf_ = at;
  next_ = std::max<int64_t>(body.next, 0);
  for (const dap::RegisterInfo& info : body.registers) {
    const bool held = info.value.kind != "none" && !info.value.kind.empty();
    coming_.push_back({static_cast<int>(info.index), held || info.changed, names != nullptr, rowOf(info)});
    RegisterRow& row = coming_.back().row;
    if (names) row.binding = names->value(row.name, row.binding);
  }
  if (next_ > 0) return false;
  merge();
  shown_ = at;
  return true;
}

size_t FrameRegisters::positionOf(int number) const {
  return static_cast<size_t>(std::lower_bound(numbers_.begin(), numbers_.end(), number) - numbers_.begin());
}

void FrameRegisters::merge() {
  constexpr size_t kFew = 16;  // each moves the rows behind it
  forgetChanges();
  for (const Coming& one : coming_) {
    if (one.held && !one.named) unnamed_.push_back(one.number);
    if (one.row.changed) changed_.push_back(one.number);
  }
  if (!anew_ && coming_.size() <= kFew) {
    mergeFew();
  } else {
    mergeMany();
  }
  coming_.clear();
}

/// What the step before the last emptied was shown for that; now it is a register that holds nothing.
void FrameRegisters::forgetChanges() {
  bool emptied = false;
  for (const int number : std::exchange(changed_, {})) {
    const size_t at = positionOf(number);
    if (!has(at, number)) continue;
    rows_[at].changed = false;
    emptied = emptied || !rows_[at].value.known;
  }
  if (!emptied) return;
  size_t kept = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (!rows_[i].value.known) continue;
    if (kept != i) {
      rows_[kept] = std::move(rows_[i]);
      numbers_[kept] = numbers_[i];
    }
    ++kept;
  }
  rows_.resize(kept);
  numbers_.resize(kept);
}

void FrameRegisters::mergeFew() {
  for (Coming& one : coming_) {
    const size_t at = positionOf(one.number);
    const auto offset = static_cast<std::ptrdiff_t>(at);
    if (has(at, one.number) && one.held) {
      rows_[at] = std::move(one.row);
    } else if (has(at, one.number)) {
      numbers_.erase(numbers_.begin() + offset);
      rows_.erase(rows_.begin() + offset);
    } else if (one.held) {
      numbers_.insert(numbers_.begin() + offset, one.number);
      rows_.insert(rows_.begin() + offset, std::move(one.row));
    }
  }
}

void FrameRegisters::mergeMany() {
  const std::vector<int> numbers = std::exchange(numbers_, {});
  std::vector<RegisterRow> rows = std::exchange(rows_, {});
  // To move them to where more have room would take longer than all else.
  numbers_.reserve(numbers.size() + coming_.size());
  rows_.reserve(rows.size() + coming_.size());
  size_t old = 0;
  const auto keepUntil = [&](int number) {
    for (; !anew_ && old < numbers.size() && numbers[old] < number; ++old) {
      numbers_.push_back(numbers[old]);
      rows_.push_back(std::move(rows[old]));
    }
    if (old < numbers.size() && numbers[old] == number) ++old;
  };
  for (Coming& one : coming_) {
    keepUntil(one.number);
    if (!one.held) continue;
    numbers_.push_back(one.number);
    rows_.push_back(std::move(one.row));
  }
  keepUntil(std::numeric_limits<int>::max());
}

void FrameRegisters::name(const Names& bindings) {
  for (const int number : std::exchange(unnamed_, {})) {
    const size_t at = positionOf(number);
    if (!has(at, number)) continue;
    if (const auto found = bindings.find(rows_[at].name); found != bindings.end()) rows_[at].binding = *found;
  }
}

}  // namespace rx::views
