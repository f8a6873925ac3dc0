#include "core/analysis/axis_graph.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ir/structural_equal.h"

namespace rx::analysis {

namespace {

AxisEdge reversed(AxisEdge kind) {
  if (kind == AxisEdge::Sibling) return kind;
  return kind == AxisEdge::ToProducer ? AxisEdge::ToConsumer : AxisEdge::ToProducer;
}

/// By the ways that were taken from a source: none, only towards consumers, both, only towards producers.
int priorityOf(unsigned ways) {
  if (ways == 0) return 3;
  if (ways == static_cast<unsigned>(AxisEdge::ToConsumer)) return 2;
  return ways == static_cast<unsigned>(AxisEdge::ToProducer) ? 0 : 1;
}

}  // namespace

bool samePlacement(const AxisPlacement& a, const AxisPlacement& b) {
  return a.meshDim == b.meshDim && (a.mesh == b.mesh || structuralEqual(a.mesh, b.mesh));
}

size_t AxisGraph::Hash::operator()(const Axis& axis) const {
  const size_t place = static_cast<size_t>(axis.dim * 31 + axis.item * 1009 + 1);
  return std::hash<const void*>()(axis.tensor) ^ (place * 0x9e3779b97f4a7c15ULL);
}

void AxisGraph::join(const Axis& from, const Axis& to, AxisEdge kind) {
  edges_[from].push_back({to, kind});
  edges_[to].push_back({from, reversed(kind)});
}

void AxisGraph::addSource(const Axis& axis, AxisPlacement placement) {
  if (given_.insert_or_assign(axis, std::move(placement)).second) sources_.push_back(axis);
}

void AxisGraph::reach(const Axis& axis, const AxisPlacement& placement, int priority) {
  std::vector<Reached>& all = reached_[axis];
  for (Reached& known : all) {
    if (!samePlacement(known.placement, placement)) continue;
    known.priority = std::max(known.priority, priority);
    return;
  }
  all.push_back({placement, priority});
}

/// Walks from all sources of one placement at once. An axis is met once for each set of ways that leads to it, so the
/// walk is as long as the graph.
void AxisGraph::spreadFrom(const std::vector<Axis>& sources, const AxisPlacement& placement) {
  struct Step {
    Axis axis;
    unsigned ways;
  };
  std::unordered_map<Axis, unsigned, Hash> seen;  // a bit for each set of ways
  std::vector<Step> open;
  for (const Axis& source : sources) open.push_back({source, 0});
  while (!open.empty()) {
    const Step step = open.back();
    open.pop_back();
    const auto own = given_.find(step.axis);
    const bool stops = cut_.contains(step.axis) || (own != given_.end() && !samePlacement(own->second, placement));
    unsigned& met = seen[step.axis];
    if (stops || (met >> step.ways & 1U) != 0) continue;
    met |= 1U << step.ways;
    reach(step.axis, placement, priorityOf(step.ways));
    const auto edges = edges_.find(step.axis);
    if (edges == edges_.end()) continue;
    for (const Edge& edge : edges->second) open.push_back({edge.to, step.ways | static_cast<unsigned>(edge.kind)});
  }
}

Result<Unit> AxisGraph::spread(const CancelToken& cancel) {
  reached_.clear();
  std::vector<std::pair<AxisPlacement, std::vector<Axis>>> groups;
  for (const Axis& source : sources_) {
    const AxisPlacement& placement = given_.at(source);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& other) { return samePlacement(other.first, placement); });
    if (group == groups.end()) group = groups.insert(group, {placement, {}});
    group->second.push_back(source);
  }
  for (const auto& [placement, sources] : groups) {
    if (cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    spreadFrom(sources, placement);
  }
  for (auto& [axis, all] : reached_) {
    std::sort(all.begin(), all.end(), [](const Reached& a, const Reached& b) { return a.priority > b.priority; });
    if (all.size() < 2 || all[0].priority > all[1].priority) continue;
    const auto* var = as<relax::Var>(axis.tensor);
    return fail(errorAt(axis.tensor->span, "pass.sharding",
                        fmt::format("two placements reach {} of {}, and neither is given there",
                                    axis.dim < 0 ? "the devices" : fmt::format("dimension {}", axis.dim),
                                    var ? var->name.view() : "a constant")));
  }
  return Unit{};
}

const AxisPlacement* AxisGraph::find(const Axis& axis) const {
  const auto found = reached_.find(axis);
  return found == reached_.end() || found->second.empty() ? nullptr : &found->second.front().placement;
}

}  // namespace rx::analysis
