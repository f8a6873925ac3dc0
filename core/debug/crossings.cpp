#include "core/debug/crossings.h"

#include <algorithm>

namespace rx::debug {
namespace {

/// Frames whose registers are asked one by one; with more, every instruction is looked at.
constexpr int kMostFrames = 16;

}  // namespace

bool Crossings::may(const DataWatch& watch, int64_t step) {
  const auto [at, fresh] = found_.try_emplace(watch, step);
  const bool before = forward_ ? step < at->second : step > at->second;
  if (!fresh && before) return false;
  at->second = find(watch, step);
  return at->second == step;
}

int64_t Crossings::nearer(int64_t found, int64_t step) const {
  if (step < 0) return found;
  return forward_ ? std::min(found, step) : std::max(found, step);
}

bool Crossings::names(const DataWatch& watch, int64_t step) const {
  const Next next = history_.next(step);
  if (next.instruction < 0) return false;
  const auto rowOf = [this](int64_t at) -> const Instruction& {
    return history_.program().instructions[static_cast<size_t>(at)];
  };
  const Instruction& row = rowOf(next.instruction);
  const auto& read = row.arguments;
  if (watch.read && std::find(read.begin(), read.end(), watch.reg) != read.end()) return true;
  if (row.op != OpKind::Ret) return row.dst == watch.reg;
  // A return sets a register of the caller.
  const int64_t call = history_.activation(next.activation).callInstruction;
  return call >= 0 && rowOf(call).dst == watch.reg;
}

int64_t Crossings::find(const DataWatch& watch, int64_t step) {
  // Memory is what the register holds on the side that the walk comes from: it is another one behind a step that sets
  // the register, which is found as well.
  const int64_t state = forward_ ? step : step + 1;
  int64_t found = forward_ ? history_.recorded() : -1;
  if (watch.reg < 0) return nearer(found, forward_ ? history_.nextWrite(state) : history_.lastWrite(state));
  const bool one = watch.activation >= 0;
  if (watch.read || (!one && history_.activationCount() > kMostFrames))
    return may({}, step) || names(watch, step) ? step : step + (forward_ ? 1 : -1);
  const int first = one ? watch.activation : 0, end = one ? watch.activation + 1 : history_.activationCount();
  for (int frame = first; frame < end; ++frame) {
    if (!one && history_.activation(frame).function != watch.function) continue;
    const uint64_t memory = history_.describedAt(state, frame, watch.reg).storage;
    for (const TouchingSteps& steps : {history_.setting(state, frame, watch.reg), history_.writing(state, memory)})
      found = nearer(found, forward_ ? steps.next : steps.last);
  }
  return found;
}

}  // namespace rx::debug
