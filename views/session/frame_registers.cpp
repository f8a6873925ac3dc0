#include "views/session/frame_registers.h"

#include <algorithm>

#include "views/session/engine_rows.h"

namespace rx::views {
namespace {

constexpr int64_t kPart = 500;  // rows of one answer: a longer one would hold the window up

}  // namespace

dap::RegistersArguments FrameRegisters::request(int at) {
  if (next_ > 0 && partOf_ != at) {
    next_ = 0;
    shown_ = -1;
  }
  dap::RegistersArguments arguments;
  arguments.held = true;
  arguments.activation = activation_;
  arguments.since = shown_;
  arguments.start = next_;
  arguments.count = kPart;
  return arguments;
}

bool FrameRegisters::take(const dap::RegistersBody& body, int at) {
  if (next_ == 0) {
    if (body.since < 0) {
      rows_.clear();
      numbers_.clear();
      unnamed_.clear();
    }
    for (RegisterRow& row : rows_) row.changed = false;
  }
  activation_ = body.activation;
  for (const dap::RegisterInfo& info : body.registers) {
    const bool held = info.value.kind != "none" && !info.value.kind.empty();
    put(static_cast<int>(info.index), rowOf(info), held || info.changed);
  }
  next_ = std::max<int64_t>(body.next, 0);
  partOf_ = at;
  if (next_ == 0) shown_ = at;
  return next_ == 0;
}

void FrameRegisters::put(int number, RegisterRow row, bool held) {
  const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), number);
  const auto offset = at - numbers_.begin();
  const bool there = at != numbers_.end() && *at == number;
  if (held) unnamed_.push_back(number);
  if (there && held) {
    rows_[static_cast<size_t>(offset)] = std::move(row);
  } else if (there) {
    rows_.erase(rows_.begin() + offset);
    numbers_.erase(at);
  } else if (held) {
    rows_.insert(rows_.begin() + offset, std::move(row));
    numbers_.insert(at, number);
  }
}

void FrameRegisters::name(const std::map<QString, QString>& bindings) {
  for (const int number : unnamed_) {
    const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), number);
    if (at == numbers_.end() || *at != number) continue;
    RegisterRow& row = rows_[static_cast<size_t>(at - numbers_.begin())];
    if (const auto found = bindings.find(row.name); found != bindings.end()) row.binding = found->second;
  }
  unnamed_.clear();
}

}  // namespace rx::views
