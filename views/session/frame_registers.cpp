#include "views/session/frame_registers.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

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

bool FrameRegisters::take(const dap::RegistersBody& body, int at) {
  if (next_ == 0) {
    coming_.clear();
    anew_ = body.since < 0;
  }
  activation_ = body.activation;
  partOf_ = at;
  next_ = std::max<int64_t>(body.next, 0);
  for (const dap::RegisterInfo& info : body.registers) {
    const bool held = info.value.kind != "none" && !info.value.kind.empty();
    coming_.push_back({static_cast<int>(info.index), held || info.changed, false, rowOf(info)});
  }
  if (next_ > 0) return false;
  merge();
  shown_ = at;
  return true;
}

void FrameRegisters::merge() {
  std::vector<Known> before = anew_ ? std::vector<Known>() : std::move(known_);
  known_.clear();
  auto old = before.begin();
  const auto keepUntil = [&](int number) {
    for (; old != before.end() && old->number < number; ++old) {
      old->row.changed = false;
      known_.push_back(std::move(*old));
    }
    if (old != before.end() && old->number == number) ++old;
  };
  for (Known& known : coming_) {
    keepUntil(known.number);
    if (known.held) known_.push_back(std::move(known));
  }
  keepUntil(std::numeric_limits<int>::max());
  coming_.clear();
}

void FrameRegisters::name(const std::map<QString, QString>& bindings) {
  for (Known& known : known_) {
    if (known.named) continue;
    known.named = true;
    if (const auto found = bindings.find(known.row.name); found != bindings.end()) known.row.binding = found->second;
  }
}

std::vector<RegisterRow> FrameRegisters::rows() const {
  std::vector<RegisterRow> rows;
  rows.reserve(known_.size());
  for (const Known& known : known_) rows.push_back(known.row);
  return rows;
}

}  // namespace rx::views
