// Our own request about memory: what is alive at the state that is shown, who holds it, and how much there was over the
// run.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/dap/server/adapter.h"

namespace rx::dap {

namespace {

/// A look at a state reads every register of its frames: a long run is looked at for no longer than this.
constexpr std::chrono::milliseconds kCurveBudget{60};

int64_t bytesOf(const std::vector<debug::LiveStorage>& live) {
  int64_t bytes = 0;
  for (const debug::LiveStorage& storage : live) bytes += storage.bytes;
  return bytes;
}

/// From coarse to fine, so that what there is time for covers the whole run.
std::vector<MemoryPoint> curveOf(debug::History& history, int64_t most) {
  const auto end = std::chrono::steady_clock::now() + kCurveBudget;
  const int64_t first = history.oldest(), states = history.recorded() - first + 1;
  most = std::min(most, states);
  std::map<int64_t, int64_t> found;
  constexpr int64_t kCoarse = 16;
  for (int64_t points = std::min(kCoarse, most); points > 0; points = std::min(points * 4, most)) {
    for (int64_t i = 0; i < points && std::chrono::steady_clock::now() < end; ++i) {
      const int64_t state = first + (states - 1) * i / std::max<int64_t>(points - 1, 1);
      if (!found.contains(state)) found.emplace(state, bytesOf(history.liveAt(state)));
    }
    if (points == most || std::chrono::steady_clock::now() >= end) break;
  }
  std::vector<MemoryPoint> curve;
  for (const auto& [step, bytes] : found) curve.push_back({step, bytes});
  return curve;
}

}  // namespace

Result<MemoryBody> Adapter::memory(const MemoryArguments& arguments) {
  MemoryBody body;
  debug::History& history = session_->history();
  const int64_t state = session_->state();
  const std::vector<debug::LiveStorage> live = history.liveAt(state);
  body.liveBytes = bytesOf(live);
  body.peakBytes = std::max(history.peakBytes(), body.liveBytes);
  if (arguments.points > 0) {
    body.points = curveOf(history, arguments.points);
    body.states = history.recorded() - history.oldest() + 1;
    for (const MemoryPoint& point : body.points) body.peakBytes = std::max(body.peakBytes, point.liveBytes);
  }
  if (!arguments.storages) return body;
  std::unordered_set<uint64_t> given;
  for (const debug::LiveStorage& storage : history.liveAt(history.oldest())) given.insert(storage.id);
  std::unordered_map<int64_t, size_t> byId;
  for (const debug::LiveStorage& storage : live) {
    byId.emplace(static_cast<int64_t>(storage.id), body.storages.size());
    const int64_t step = given.contains(storage.id) ? -1 : storage.step;
    body.storages.push_back({static_cast<int64_t>(storage.id), storage.bytes, step, {}});
  }
  for (const debug::Next& frame : history.frames(state)) {
    const auto& function =
        session_->program().functions[static_cast<size_t>(history.activation(frame.activation).function)];
    for (int reg = 0; reg < function.registers; ++reg) {
      const debug::Value value = history.registerAt(state, frame.activation, reg);
      if (value.kind != debug::ValueKind::Tensor && value.kind != debug::ValueKind::Storage) continue;
      const auto held = byId.find(static_cast<int64_t>(value.storage));
      if (held == byId.end()) continue;
      body.storages[held->second].registers.push_back(
          fmt::format("{} %{} {}", function.name, reg, function.registerNames[static_cast<size_t>(reg)]));
    }
  }
  return body;
}

}  // namespace rx::dap
