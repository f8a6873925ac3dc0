#include "views/graph/layer_fold.h"

#include <algorithm>

#include "views/graph/layer_names.h"

namespace rx {
namespace {

constexpr uint64_t kStackBit = uint64_t(1) << 63;
constexpr uint64_t kBlockBit = uint64_t(1) << 62;

std::string stackKey(const GraphModel& model, const LayerRun& run) {
  return "stack of " + model.nodes[run.begin].placeKey;
}
std::string blockKey(const GraphModel& model, const LayerRun& run, uint32_t repeat) {
  return "block of " + model.nodes[run.begin + repeat * run.period].placeKey;
}

class Folder {
 public:
  Folder(const GraphModel& model, const std::set<std::string>& open) : model_(model), open_(open) {
    folded_.model.regions = model.regions;
    folded_.shownBy.resize(model.nodes.size());
  }

  FoldedGraph run(const std::vector<LayerRun>& runs) {
    for (const LayerRun& run : runs) {
      keep(run.begin, -1);
      const std::string key = stackKey(model_, run);
      if (run.repeats == 1) {
        addBlock(run, 0, -1);
      } else if (!open_.contains(key)) {
        const uint32_t before = open_.contains(blockKey(model_, run, 0)) ? 1 : 0;
        if (before > 0) addBlock(run, 0, -1);
        if (run.repeats - before > 1)
          addFolded(run, run.end(), kStackBit, key, run.repeats - before);
        else
          addBlock(run, before, -1);
      } else {
        const int region = addRegion(run, kStackBit, key, std::to_string(run.repeats) + " × " + run.kind,
                                     model_.nodes[run.begin].region, run.repeats);
        for (uint32_t r = 0; r < run.repeats; ++r) addBlock(run, r, region);
      }
    }
    keep(static_cast<uint32_t>(model_.nodes.size()), -1);
    addEdges();
    return std::move(folded_);
  }

 private:
  void keep(uint32_t end, int region) {
    for (; at_ < end; ++at_) {
      folded_.shownBy[at_] = static_cast<uint32_t>(folded_.model.nodes.size());
      folded_.model.nodes.push_back(model_.nodes[at_]);
      if (region >= 0) folded_.model.nodes.back().region = region;
    }
  }

  void addBlock(const LayerRun& run, uint32_t repeat, int outer) {
    const std::string key = blockKey(model_, run, repeat);
    const uint32_t end = at_ + run.period;
    const std::string& name = run.names[repeat];
    if (!open_.contains(key)) {
      addFolded(run, end, kBlockBit, key, 1);
      folded_.model.nodes.back().title = name + (run.kind == kResidualProjected ? " with projection" : "");
      if (outer >= 0) folded_.model.nodes.back().region = outer;
      return;
    }
    const std::string title = run.kind.empty() ? name : name + "  ·  " + run.kind;
    keep(end, addRegion(run, kBlockBit, key, title, outer >= 0 ? outer : model_.nodes[at_].region, 1));
  }

  int addRegion(const LayerRun& run, uint64_t bit, const std::string& key, const std::string& title, int parent,
                uint32_t repeats) {
    const uint64_t id = model_.nodes[at_].id | bit;
    folded_.keyOf[id] = key;
    std::string text = title + "  ·  " + bindingsText(at_, at_ + run.period) + (repeats > 1 ? " each" : "");
    folded_.model.regions.push_back({std::move(text), RegionKind::Layer, parent, id});
    return static_cast<int>(folded_.model.regions.size()) - 1;
  }

  void addFolded(const LayerRun& run, uint32_t end, uint64_t bit, const std::string& key, uint32_t stack) {
    GraphNode node = model_.nodes[at_];
    const GraphNode& last = model_.nodes[end - 1];
    node.id |= bit;
    if (stack > 1) {
      node.title = std::to_string(stack) + " × " + run.kind;
      node.members = run.names[run.repeats - stack] + " … " + run.names.back();
    }
    node.subtitle = bindingsText(at_, at_ + run.period) + (stack > 1 ? " each" : "");
    if (!last.subtitle.empty() && last.subtitle.size() < 24) node.subtitle = last.subtitle + " · " + node.subtitle;
    node.placeKey = key;
    node.chip.clear();
    node.count = end - at_;
    node.stack = stack;
    node.impure = false;
    node.bindings = 0;
    folded_.keyOf[node.id] = key;
    for (uint32_t n = at_; n < end; ++n) {
      node.bindings += model_.nodes[n].bindings;
      if (model_.nodes[n].kind == OpKind::Compute) node.kind = OpKind::Compute;
    }
    for (; at_ < end; ++at_) folded_.shownBy[at_] = static_cast<uint32_t>(folded_.model.nodes.size());
    folded_.model.nodes.push_back(std::move(node));
  }

  std::string bindingsText(uint32_t begin, uint32_t end) const {
    uint32_t sum = 0;
    for (uint32_t n = begin; n < end; ++n) sum += model_.nodes[n].bindings;
    return std::to_string(sum) + (sum == 1 ? " binding" : " bindings");
  }

  void addEdges() {
    std::set<std::pair<uint32_t, uint32_t>> seen, weighed;
    for (const GraphEdge& edge : model_.edges) {
      const uint32_t from = folded_.shownBy[edge.from], to = folded_.shownBy[edge.to];
      // A weight of a block that several of its operations read is counted once.
      const GraphNode& weight = model_.nodes[edge.from];
      if (weight.isWeight() && weighed.insert({edge.from, to}).second)
        folded_.model.nodes[to].weights.push_back({weight.id, weight.title, weight.subtitle, weight.bytes});
      // Weights and constants of a folded block are its own affair.
      if (folded_.model.nodes[to].count > 1 && model_.nodes[edge.from].stubOnly) continue;
      // How a value is read says one of the operations in a block, not the block.
      const bool toBlock = folded_.model.nodes[to].count > 1;
      if (from != to && seen.insert({from, to}).second)
        folded_.model.edges.push_back({from, to, toBlock ? std::string() : edge.label});
    }
    dropUnused();
  }

  /// Labels that nothing shown uses any more would become nodes.
  void dropUnused() {
    GraphModel& model = folded_.model;
    std::vector<char> used(model.nodes.size());
    for (const GraphEdge& edge : model.edges) used[edge.from] = used[edge.to] = 1;
    std::vector<char> usedBefore(model_.nodes.size());
    for (const GraphEdge& edge : model_.edges) usedBefore[edge.from] = 1;
    std::vector<uint32_t> moved(model.nodes.size());
    std::vector<char> drop(model.nodes.size());
    for (uint32_t n = 0; n < model_.nodes.size(); ++n) {
      const uint32_t shown = folded_.shownBy[n];
      drop[shown] = model.nodes[shown].stubOnly && usedBefore[n] && !used[shown];
    }
    uint32_t count = 0;
    for (uint32_t n = 0; n < model.nodes.size(); ++n) {
      moved[n] = drop[n] ? kNone : count;
      if (drop[n]) continue;
      if (count != n) model.nodes[count] = std::move(model.nodes[n]);
      ++count;
    }
    model.nodes.resize(count);
    for (GraphEdge& edge : model.edges) edge.from = moved[edge.from], edge.to = moved[edge.to];
    for (uint32_t& shown : folded_.shownBy) shown = moved[shown];
    for (uint32_t n = 0; n < model_.nodes.size(); ++n)
      if (folded_.shownBy[n] == kNone) folded_.shownBy[n] = readerOf(n);
  }

  /// Who shows a label that is folded away: the block that reads it.
  uint32_t readerOf(uint32_t node) {
    if (readers_.empty()) {
      readers_.assign(model_.nodes.size(), 0);
      for (const GraphEdge& edge : model_.edges)
        if (folded_.shownBy[edge.to] != kNone) readers_[edge.from] = folded_.shownBy[edge.to];
    }
    return readers_[node];
  }

  static constexpr uint32_t kNone = UINT32_MAX;
  const GraphModel& model_;
  const std::set<std::string>& open_;
  FoldedGraph folded_;
  std::vector<uint32_t> readers_;
  uint32_t at_ = 0;
};

}  // namespace

uint64_t firstNodeOf(uint64_t id) { return id & ~(kStackBit | kBlockBit); }

FoldedGraph foldLayers(const GraphModel& model, const std::vector<LayerRun>& runs, const std::set<std::string>& open) {
  return Folder(model, open).run(runs);
}

std::string blockKeyOf(const GraphModel& model, const std::vector<LayerRun>& runs, const std::string& name) {
  for (const LayerRun& run : runs)
    if (run.names.front() == name) return blockKey(model, run, 0);
  return {};
}

std::set<std::string> allFoldKeys(const GraphModel& model, const std::vector<LayerRun>& runs) {
  std::set<std::string> keys;
  for (const LayerRun& run : runs) {
    keys.insert(stackKey(model, run));
    for (uint32_t r = 0; r < run.repeats; ++r) keys.insert(blockKey(model, run, r));
  }
  return keys;
}

}  // namespace rx
