// Our own request about memory: what is alive at the state that is shown, who holds it, and how much there was over the
// run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>

#include "core/dap/server/adapter.h"

namespace rx::dap {

namespace {

/// How long the points of one answer are looked for: what asks for them alone, and what asks at every stop and waits.
constexpr std::chrono::milliseconds kCurvePart{8}, kCurveAtStop{1};

}  // namespace

Result<MemoryBody> Adapter::memory(const MemoryArguments& arguments) {
  MemoryBody body;
  debug::History& history = session_->history();
  const int64_t state = session_->state();
  const std::vector<debug::LiveStorage> live = history.liveAt(state);
  body.liveBytes = debug::bytesOf(live);
  body.peakBytes = std::max(history.peakBytes(), body.liveBytes);
  if (arguments.points > 0) {
    debug::MemoryCurve& curve = session_->memoryCurve();
    body.more = !curve.look(history, arguments.points, arguments.storages ? kCurveAtStop : kCurvePart);
    body.states = history.recorded() - history.oldest() + 1;
    for (const auto& [step, bytes] : curve.bytes()) {
      body.points.push_back({step, bytes});
      body.peakBytes = std::max(body.peakBytes, bytes);
    }
  }
  if (!arguments.storages) return body;
  const std::unordered_set<uint64_t>& given = session_->memoryCurve().given(history);
  std::unordered_map<int64_t, size_t> byId;
  for (const debug::LiveStorage& storage : live) {
    byId.emplace(static_cast<int64_t>(storage.id), body.storages.size());
    const int64_t step = given.contains(storage.id) ? -1 : storage.step;
    body.storages.push_back(
        {static_cast<int64_t>(storage.id), storage.bytes, step, history.timed(step).instruction, {}});
  }
  for (const debug::Next& frame : history.frames(state)) {
    const auto& function =
        session_->program().functions[static_cast<size_t>(history.activation(frame.activation).function)];
    const std::vector<uint64_t>& memory = session_->memoryHeld(frame.activation, state);
    for (size_t reg = 0; reg < memory.size(); ++reg) {
      const auto held = byId.find(static_cast<int64_t>(memory[reg]));
      if (held == byId.end()) continue;
      body.storages[held->second].registers.push_back(
          fmt::format("{} %{} {}", function.name, reg, function.registerNames[reg]));
    }
  }
  return body;
}

}  // namespace rx::dap
