#include "views/canvas/layer_fold.h"

#include <algorithm>
#include <functional>

namespace rx {
namespace {

constexpr uint32_t kMaxPeriod = 256;
constexpr uint32_t kMinPeriod = 3;
constexpr uint32_t kMinRepeats = 3;
constexpr uint64_t kFoldedBit = uint64_t(1) << 63;

/// One number a node: equal where the node is the same part of an equal layer. 0 never repeats.
std::vector<uint64_t> signatures(const GraphModel& model) {
  std::vector<std::vector<uint32_t>> inputs(model.nodes.size());
  for (const GraphEdge& edge : model.edges) inputs[edge.to].push_back(edge.from);
  std::vector<uint64_t> result(model.nodes.size());
  for (uint32_t n = 0; n < model.nodes.size(); ++n) {
    const GraphNode& node = model.nodes[n];
    if (node.foldKey.empty()) continue;
    uint64_t hash = std::hash<std::string>()(node.foldKey) * 31 + static_cast<uint64_t>(node.region + 1);
    for (uint32_t from : inputs[n]) {
      const bool local = model.nodes[from].region == node.region && !model.nodes[from].foldKey.empty();
      hash = (hash ^ (local ? n - from : 0x9e3779b9u)) * 0x100000001b3ull;
    }
    result[n] = hash | 1;
  }
  return result;
}

}  // namespace

std::vector<LayerRun> findLayers(const GraphModel& model) {
  const std::vector<uint64_t> sign = signatures(model);
  const auto count = static_cast<uint32_t>(sign.size());
  std::vector<LayerRun> candidates;
  for (uint32_t period = kMinPeriod; period <= kMaxPeriod && period * kMinRepeats <= count; ++period) {
    uint32_t equal = 0;
    for (uint32_t i = 0; i + period <= count; ++i) {
      const bool same = i + period < count && sign[i] && sign[i] == sign[i + period];
      if (same) {
        ++equal;
        continue;
      }
      // The stretch ends here: `equal` nodes repeat one period later, so it holds equal / period + 1 whole copies.
      const uint32_t repeats = equal / period + 1;
      if (repeats >= kMinRepeats) candidates.push_back({i - equal, period, repeats});
      equal = 0;
    }
  }
  // Most nodes first; of equal cover the shorter period, which is the true layer.
  std::sort(candidates.begin(), candidates.end(), [](const LayerRun& a, const LayerRun& b) {
    const uint32_t coverA = a.period * a.repeats, coverB = b.period * b.repeats;
    return std::tie(coverB, a.period, a.begin) < std::tie(coverA, b.period, b.begin);
  });
  std::vector<char> taken(count);
  std::vector<LayerRun> runs;
  for (const LayerRun& run : candidates) {
    if (std::find(taken.begin() + run.begin, taken.begin() + run.end(), 1) != taken.begin() + run.end()) continue;
    std::fill(taken.begin() + run.begin, taken.begin() + run.end(), 1);
    runs.push_back(run);
  }
  std::sort(runs.begin(), runs.end(), [](const LayerRun& a, const LayerRun& b) { return a.begin < b.begin; });
  return runs;
}

FoldedGraph foldLayers(const GraphModel& model, const std::vector<LayerRun>& runs, const std::set<size_t>& open) {
  FoldedGraph folded;
  folded.model.regions = model.regions;
  folded.shownBy.resize(model.nodes.size());
  uint32_t at = 0;
  auto keepUntil = [&](uint32_t end) {
    for (; at < end; ++at) {
      folded.shownBy[at] = static_cast<uint32_t>(folded.model.nodes.size());
      folded.model.nodes.push_back(model.nodes[at]);
    }
  };
  for (size_t r = 0; r < runs.size(); ++r) {
    if (open.contains(r)) continue;
    const LayerRun& run = runs[r];
    keepUntil(run.begin);
    GraphNode node = model.nodes[run.begin];
    node.id |= kFoldedBit;
    node.title = std::to_string(run.repeats) + " × layer";
    node.subtitle = std::to_string(run.period) + " operations each";
    node.kind = OpKind::Control;
    node.count = run.period * run.repeats;
    folded.runOf[node.id] = r;
    for (; at < run.end(); ++at) folded.shownBy[at] = static_cast<uint32_t>(folded.model.nodes.size());
    folded.model.nodes.push_back(std::move(node));
  }
  keepUntil(static_cast<uint32_t>(model.nodes.size()));
  std::set<std::pair<uint32_t, uint32_t>> seen;
  for (const GraphEdge& edge : model.edges) {
    const uint32_t from = folded.shownBy[edge.from], to = folded.shownBy[edge.to];
    if (from != to && seen.insert({from, to}).second) folded.model.edges.push_back({from, to});
  }
  return folded;
}

}  // namespace rx
