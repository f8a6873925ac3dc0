// Finding the runs: equal neighbours by periods of equal signatures, other repeats by blocks between narrow places.
#include <algorithm>
#include <functional>
#include <tuple>
#include <unordered_map>

#include "views/graph/layer_fold.h"
#include "views/graph/layer_kind.h"
#include "views/graph/layer_names.h"

namespace rx {
namespace {

constexpr uint32_t kMaxPeriod = 256;
constexpr uint32_t kLeastBlock = 5;   // nodes; smaller ones are read faster than a name for them
constexpr uint32_t kLeastPeriod = 3;  // of chains that repeat at least this often:
constexpr uint32_t kLeastChainRepeats = 3;
constexpr uint32_t kLeastEnd = 3;

class LayerFinder {
 public:
  explicit LayerFinder(const GraphModel& model) : model_(model), inputs_(model.nodes.size()) {
    for (const GraphEdge& edge : model.edges) inputs_[edge.to].push_back(edge.from);
    exact_ = hashes(&GraphNode::foldKey);
    family_ = hashes(&GraphNode::foldFamily);
    findCuts();
  }

  std::vector<LayerRun> run() {
    taken_.assign(model_.nodes.size(), 0);
    takeStacks();
    takeBlocks();
    std::sort(runs_.begin(), runs_.end(), [](const LayerRun& a, const LayerRun& b) { return a.begin < b.begin; });
    for (LayerRun& run : runs_) run.kind = layerKindOf(model_, inputs_, run);
    nameLayers(model_, &runs_);
    takeEnds();
    return std::move(runs_);
  }

 private:
  bool isPart(uint32_t n) const { return !model_.nodes[n].foldKey.empty(); }

  /// One number a node: equal where its key is, of one region. 0 never repeats.
  std::vector<uint64_t> hashes(std::string GraphNode::*key) const {
    std::vector<uint64_t> result(model_.nodes.size());
    for (uint32_t n = 0; n < model_.nodes.size(); ++n)
      if (isPart(n))
        result[n] =
            (std::hash<std::string>()(model_.nodes[n].*key) * 31 + static_cast<uint64_t>(model_.nodes[n].region + 1)) |
            1;
    return result;
  }

  /// A value that comes into the function and stands among its nodes: no weight.
  bool isInput(uint32_t n) const { return !isPart(n) && !model_.nodes[n].stubOnly; }

  /// The same part of two equal layers: the same operation, and inputs as far away, or the very same from before both
  /// (a mask that all layers read), or none of the layers' business (parameters). The first layer may read what comes
  /// into the function where the next reads the first.
  bool same(uint32_t a, uint32_t b) const {
    if (!exact_[a] || exact_[a] != exact_[b] || inputs_[a].size() != inputs_[b].size()) return false;
    for (size_t i = 0; i < inputs_[a].size(); ++i) {
      const uint32_t from = inputs_[a][i], to = inputs_[b][i];
      const bool outside = !isPart(from) && !isPart(to);
      if (isInput(from) && isPart(to) && to >= a) continue;
      if (!outside && from != to && (!isPart(from) || !isPart(to) || a - from != b - to)) return false;
    }
    return true;
  }

  /// Places before a node at which no more values are alive than anywhere around: between blocks, not within one.
  void findCuts() {
    const size_t count = model_.nodes.size();
    std::vector<uint32_t> lastUse(count);
    for (uint32_t n = 0; n < count; ++n)
      for (uint32_t from : inputs_[n])
        if (isPart(n)) lastUse[from] = std::max(lastUse[from], n);
    std::vector<int> alive(count + 1);
    for (uint32_t n = 0; n < count; ++n) {
      if (!isPart(n) || lastUse[n] <= n) continue;
      ++alive[n + 1];
      --alive[lastUse[n] + 1];
    }
    for (size_t n = 1; n < alive.size(); ++n) alive[n] += alive[n - 1];
    // Values that every layer reads (a mask, angles) are alive all the time: the least number counts as one.
    int least = 1;
    if (count >= 8) {
      least = *std::min_element(alive.begin() + static_cast<ptrdiff_t>(count / 4),
                                alive.begin() + static_cast<ptrdiff_t>(count * 3 / 4));
    }
    cut_.resize(count + 1);
    for (uint32_t n = 0; n < count; ++n)
      cut_[n] = isPart(n) && alive[n] <= std::max(1, least) && (n == 0 || !isPart(n - 1) || sameRegion(n - 1, n));
    cut_[count] = 1;
  }

  bool sameRegion(uint32_t a, uint32_t b) const { return model_.nodes[a].region == model_.nodes[b].region; }

  void takeStacks() {
    const auto count = static_cast<uint32_t>(model_.nodes.size());
    std::vector<LayerRun> candidates;
    struct Stretch {
      uint32_t period = 0, end = 0;
    };
    std::vector<Stretch> inner(count);  // the shortest that each node stands in
    for (uint32_t period = kLeastPeriod; period <= kMaxPeriod && period * 2 <= count; ++period) {
      const auto repeats = [&](uint32_t n) { return n + period < count && same(n, n + period); };
      // A stretch of nodes that repeat one period later is a stack from a whole period on: it has a multiple of it.
      uint32_t end = 0;
      for (uint32_t at = 0; at + period < count; at += period) {
        if (at < end) continue;
        // Where a shorter layer repeats, so do its multiples: they cover no more.
        if (const Stretch& known = inner[at]; known.period && period % known.period == 0) {
          end = std::max(end, known.end > period - known.period ? known.end - (period - known.period) : 0);
          if (at < end) continue;
        }
        if (!repeats(at)) continue;
        uint32_t begin = at;
        while (begin > end && repeats(begin - 1)) --begin;
        for (end = at + 1; repeats(end);) ++end;
        for (uint32_t n = begin; n < end; ++n)
          if (!inner[n].period) inner[n] = {period, end};
        addStack(begin, end, period, &candidates);
      }
    }
    // Most nodes first; of equal cover the shorter period, which is the true layer.
    std::sort(candidates.begin(), candidates.end(), [](const LayerRun& a, const LayerRun& b) {
      const uint32_t coverA = a.period * a.repeats, coverB = b.period * b.repeats;
      return std::tie(coverB, a.period, a.begin) < std::tie(coverA, b.period, b.begin);
    });
    for (const LayerRun& run : candidates) take(run);
  }

  /// From the first place of the stretch on at which a block begins: narrow, and not narrow behind its first node. Else
  /// from the first narrow one; a stretch without any is a stack all the same if it is long. The second layer is looked
  /// at: the first may read what comes into the function, which is alive without having been made.
  void addStack(uint32_t begin, uint32_t end, uint32_t period, std::vector<LayerRun>* candidates) const {
    const auto narrow = [&](uint32_t n) { return n + period < cut_.size() && cut_[n + period]; };
    uint32_t aligned = begin;
    while (aligned < begin + period && !(narrow(aligned) && !narrow(aligned + 1))) ++aligned;
    if (aligned == begin + period)
      for (aligned = begin; aligned < begin + period && !narrow(aligned);) ++aligned;
    if (aligned == begin + period) aligned = begin;
    uint32_t repeats = end > aligned ? (end - aligned) / period + 1 : 0;
    if (aligned != begin && repeats < (end - begin) / period + 1 && repeats < 2) {
      aligned = begin;
      repeats = (end - begin) / period + 1;
    }
    const bool blocks = repeats >= 2 && period >= kLeastBlock && cut_[aligned];
    const bool chain = repeats >= kLeastChainRepeats && period * repeats >= 2 * kLeastBlock;
    const bool large = repeats >= 2 && period >= 2 * kLeastBlock;
    if (end > begin && (blocks || chain || large)) candidates->push_back({aligned, period, repeats});
  }

  bool take(const LayerRun& run) {
    const auto from = taken_.begin() + run.begin, to = taken_.begin() + run.end();
    if (std::find(from, to, 1) != to) return false;
    std::fill(from, to, 1);
    runs_.push_back(run);
    return true;
  }

  /// Blocks between narrow places, with the chain behind them (an activation), that come more than once.
  void takeBlocks() {
    struct Block {
      uint32_t begin, end;
    };
    std::unordered_map<uint64_t, std::vector<Block>> byFamily;
    const auto count = static_cast<uint32_t>(model_.nodes.size());
    const auto next = [&](uint32_t from) {
      uint32_t at = from + 1;
      while (at < count && !cut_[at] && isPart(at)) ++at;
      return at;
    };
    for (uint32_t begin = 0; begin < count;) {
      uint32_t end = next(begin);
      if (!cut_[begin] || end - begin < kLeastBlock - 1) {
        begin = end;
        continue;
      }
      while (end < count && cut_[end] && next(end) == end + 1) ++end;
      // A chain longer than the block is no part of it: only what stands behind the last join is.
      const uint32_t behind = std::min(end, firstBehind(begin) + 1);
      byFamily[familyOf(begin, behind)].push_back({begin, behind});
      begin = end;
    }
    for (const auto& [family, blocks] : byFamily)
      for (const Block& block : blocks)
        if (blocks.size() >= 2) take({block.begin, block.end - block.begin, 1});
  }

  uint32_t firstBehind(uint32_t begin) const {
    uint32_t at = begin + 1;
    while (at < model_.nodes.size() && !cut_[at] && isPart(at)) ++at;
    return at;
  }

  uint64_t familyOf(uint32_t begin, uint32_t end) const {
    uint64_t hash = end - begin;
    const auto mix = [&hash](uint64_t value) { hash = (hash ^ value) * 0x100000001b3ull; };
    for (uint32_t n = begin; n < end; ++n) {
      mix(family_[n]);
      // The first nodes read the value before the block from wherever it is.
      for (uint32_t from : inputs_[n]) mix(isPart(from) && from >= begin ? n - from : 0x9e3779b9u);
    }
    return hash;
  }

  /// Where blocks come again, the rest of their region before the first and behind the last.
  void takeEnds() {
    if (runs_.empty()) return;
    const uint32_t first = runs_.front().begin, last = runs_.back().end();
    uint32_t begin = first, end = last;
    while (begin > 0 && isPart(begin - 1) && sameRegion(begin - 1, first)) --begin;
    while (end < model_.nodes.size() && isPart(end) && sameRegion(end, last - 1)) ++end;
    if (first - begin >= kLeastEnd) runs_.insert(runs_.begin(), {begin, first - begin, 1, {}, {"stem"}});
    if (end - last >= kLeastEnd) runs_.push_back({last, end - last, 1, {}, {"head"}});
  }

  const GraphModel& model_;
  std::vector<std::vector<uint32_t>> inputs_;
  std::vector<uint64_t> exact_, family_;
  std::vector<char> cut_, taken_;
  std::vector<LayerRun> runs_;
};

}  // namespace

std::vector<LayerRun> findLayers(const GraphModel& model) { return LayerFinder(model).run(); }

}  // namespace rx
