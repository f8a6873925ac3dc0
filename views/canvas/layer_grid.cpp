#include "views/canvas/layer_grid.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rx {
namespace {

constexpr double kHighLayer = 3;  // times the gap between layers: more than a node with its chip

}  // namespace

LayerGrid::LayerGrid(const FlatGraph& graph, const LayoutOptions& options) : options_(options) {
  cells_.reserve(graph.sizes.size() * 2);
  const int base = *std::min_element(graph.ranks.begin(), graph.ranks.end());
  for (size_t v = 0; v < graph.sizes.size(); ++v) {
    Cell cell;
    cell.left = graph.sizes[v].width / 2 + (graph.leftPads.empty() ? 0 : graph.leftPads[v]);
    cell.right = graph.sizes[v].width / 2;
    cell.height = graph.sizes[v].height;
    cell.rank = graph.ranks[v] - base;
    if (!graph.wishes.empty()) cell.wish = graph.wishes[v];
    cells_.push_back(std::move(cell));
  }
  chains_.reserve(graph.edges.size());
  for (const GraphEdge& edge : graph.edges) addEdge(edge, options);
  int last = 0;
  for (const Cell& cell : cells_) last = std::max(last, cell.rank);
  layers_.resize(static_cast<size_t>(last) + 1);
  for (uint32_t c = 0; c < cells_.size(); ++c) layers_[static_cast<size_t>(cells_[c].rank)].push_back(c);
  numberPlaces();
}

void LayerGrid::addEdge(const GraphEdge& edge, const LayoutOptions& options) {
  Chain chain;
  uint32_t from = edge.from, to = edge.to;
  chain.reversed = cells_[from].rank > cells_[to].rank;
  if (chain.reversed) std::swap(from, to);
  const int top = cells_[from].rank, bottom = cells_[to].rank;
  chain.first = static_cast<uint32_t>(cells_.size());
  // Edges within a rank (cycles only) and over-long ones are drawn without way points.
  if (bottom > top && bottom - top <= options.maxSpan + 1) {
    uint32_t upper = from;
    for (int rank = top + 1; rank < bottom; ++rank) {
      Cell cell;
      cell.rank = rank;
      cell.dummy = true;
      // On the straight line between the ends, if both know where they want to be.
      cell.wish = cells_[from].wish + (cells_[to].wish - cells_[from].wish) * (rank - top) / (bottom - top);
      cells_.push_back(std::move(cell));
      const auto dummy = static_cast<uint32_t>(cells_.size() - 1);
      connect(upper, dummy);
      upper = dummy;
    }
    connect(upper, to);
  }
  chain.count = static_cast<uint32_t>(cells_.size()) - chain.first;
  chains_.push_back(chain);
}

void LayerGrid::connect(uint32_t from, uint32_t to) {
  cells_[from].down.push_back(to);
  cells_[to].up.push_back(from);
}

void LayerGrid::numberPlaces() {
  for (const auto& layer : layers_)
    for (uint32_t i = 0; i < layer.size(); ++i) cells_[layer[i]].place = i;
}

void LayerGrid::sortLayer(std::vector<uint32_t>& layer, bool byUpper) {
  std::vector<std::pair<double, uint32_t>> keys(layer.size());
  for (uint32_t i = 0; i < layer.size(); ++i) {
    const auto& neighbours = byUpper ? cells_[layer[i]].up : cells_[layer[i]].down;
    double sum = 0;
    for (uint32_t n : neighbours) sum += cells_[n].place;
    // Without neighbours a vertex stays about where it is.
    keys[i] = {neighbours.empty() ? i : sum / static_cast<double>(neighbours.size()), i};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<uint32_t> sorted(layer.size());
  for (uint32_t i = 0; i < layer.size(); ++i) sorted[i] = layer[keys[i].second];
  layer = std::move(sorted);
  for (uint32_t i = 0; i < layer.size(); ++i) cells_[layer[i]].place = i;
}

uint64_t LayerGrid::crossingsBetween(const std::vector<uint32_t>& upper, size_t lowerSize,
                                     std::vector<uint32_t>& tree) const {
  // Edges by upper place; each crosses those already seen whose lower end is further right (a Fenwick tree counts).
  tree.assign(lowerSize + 1, 0);
  uint64_t seen = 0, crossings = 0;
  std::vector<uint32_t> ends;
  for (uint32_t v : upper) {
    ends.clear();
    for (uint32_t n : cells_[v].down) ends.push_back(cells_[n].place);
    std::sort(ends.begin(), ends.end());
    for (uint32_t end : ends) {
      uint64_t notRight = 0;
      for (size_t i = end + 1; i > 0; i -= i & (~i + 1)) notRight += tree[i];
      crossings += seen - notRight;
    }
    for (uint32_t end : ends) {
      for (size_t i = end + 1; i <= lowerSize; i += i & (~i + 1)) ++tree[i];
      ++seen;
    }
  }
  return crossings;
}

uint64_t LayerGrid::crossings() const {
  uint64_t total = 0;
  std::vector<uint32_t> tree;
  for (size_t i = 0; i + 1 < layers_.size(); ++i) total += crossingsBetween(layers_[i], layers_[i + 1].size(), tree);
  return total;
}

bool LayerGrid::orderByWishes() {
  size_t wishes = 0, vertices = 0;
  for (const Cell& cell : cells_) {
    vertices += !cell.dummy;
    wishes += !cell.dummy && !std::isnan(cell.wish);
  }
  if (wishes * 2 <= vertices) return false;
  // One without a wish goes where its inputs are, which stand in a layer that has its order already.
  for (auto& layer : layers_) {
    for (uint32_t c : layer) {
      Cell& cell = cells_[c];
      if (!std::isnan(cell.wish)) continue;
      double sum = 0, count = 0;
      for (uint32_t up : cell.up)
        if (!std::isnan(cells_[up].wish)) sum += cells_[up].wish, ++count;
      if (count > 0) cell.wish = sum / count;
    }
    const auto key = [this](uint32_t c) {
      return std::pair(std::isnan(cells_[c].wish) ? 0.0 : cells_[c].wish, cells_[c].place);
    };
    std::sort(layer.begin(), layer.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  }
  numberPlaces();
  return true;
}

bool LayerGrid::order(const CancelToken& cancel) {
  if (orderByWishes()) return !cancel.cancelled();
  auto best = layers_;
  uint64_t fewest = crossings();
  int stale = 0;
  for (int sweep = 0; sweep < options_.sweeps && fewest > 0 && stale < 6; ++sweep) {
    if (cancel.cancelled()) return false;
    if (sweep % 2 == 0) {
      for (size_t i = 1; i < layers_.size(); ++i) sortLayer(layers_[i], true);
    } else {
      for (size_t i = layers_.size() - 1; i-- > 0;) sortLayer(layers_[i], false);
    }
    const uint64_t now = crossings();
    ++stale;
    if (now < fewest) fewest = now, best = layers_, stale = 0;
  }
  layers_ = std::move(best);
  numberPlaces();
  return !cancel.cancelled();
}

double LayerGrid::gapBetween(const Cell& left, const Cell& right) const {
  const double gap = left.dummy && right.dummy ? options_.nodeGap * 0.5 : options_.nodeGap;
  return left.right + right.left + gap;
}

void LayerGrid::packLayers() {
  for (const auto& layer : layers_) {
    double x = 0;
    for (size_t i = 0; i < layer.size(); ++i) {
      if (i > 0) x += gapBetween(cells_[layer[i - 1]], cells_[layer[i]]);
      cells_[layer[i]].x = x;
    }
    for (uint32_t c : layer) cells_[c].x -= x / 2;
  }
}

/// Least-squares positions: every vertex wants the mean of its neighbours; order and gaps are kept by pooling
/// neighbours that would violate them (isotonic regression), so the result never overlaps.
void LayerGrid::pullLayer(const std::vector<uint32_t>& layer, Pull pull) {
  struct Pool {
    double sum, weight;
    size_t count;
    double mean() const { return sum / weight; }
  };
  std::vector<Pool> pools;
  std::vector<double> offset(layer.size());
  for (size_t i = 0; i < layer.size(); ++i) {
    const Cell& cell = cells_[layer[i]];
    if (i > 0) offset[i] = offset[i - 1] + gapBetween(cells_[layer[i - 1]], cell);
    double sum = 0, weight = 0;
    auto add = [&](const std::vector<uint32_t>& neighbours) {
      for (uint32_t n : neighbours) {
        const double w = cell.dummy && cells_[n].dummy ? 8 : cell.dummy || cells_[n].dummy ? 2 : 1;
        sum += cells_[n].x * w;
        weight += w;
      }
    };
    if (pull != Pull::Down) add(cell.up);
    if (pull != Pull::Up) add(cell.down);
    constexpr double kWishWeight = 12;  // against neighbours at 1 each: places are kept unless a line would be long
    if (!cell.dummy && !std::isnan(cell.wish)) sum += cell.wish * kWishWeight, weight += kWishWeight;
    if (weight == 0) sum = cell.x * 0.05, weight = 0.05;
    pools.push_back({sum - offset[i] * weight, weight, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().weight += last.weight;
      pools.back().count += last.count;
    }
  }
  size_t i = 0;
  for (const Pool& pool : pools)
    for (size_t n = 0; n < pool.count; ++n, ++i) cells_[layer[i]].x = pool.mean() + offset[i];
}

/// A long chain drifts sideways by many small steps in one direction. Whole layers are shifted back by the mean drift
/// of their surroundings, which changes no distance within a layer and little between neighbours.
void LayerGrid::straighten() {
  constexpr size_t kWindow = 24;
  if (layers_.size() < kWindow * 2) return;
  std::vector<double> sums(layers_.size() + 1);
  for (size_t i = 0; i < layers_.size(); ++i) {
    double sum = 0, count = 0;
    for (uint32_t c : layers_[i])
      if (!cells_[c].dummy) sum += cells_[c].x, ++count;
    sums[i + 1] = sums[i] + (count > 0 ? sum / count : i > 0 ? sums[i] - sums[i - 1] : 0);
  }
  for (size_t i = 0; i < layers_.size(); ++i) {
    const size_t reach = std::min({kWindow, i, layers_.size() - 1 - i}), from = i - reach, to = i + reach + 1;
    // Near the ends the window would shrink and follow the zigzag itself, so it keeps its size there.
    const size_t begin = std::min(from, layers_.size() - kWindow),
                 end = std::max(to, std::min(kWindow, layers_.size()));
    const double drift = (sums[end] - sums[begin]) / static_cast<double>(end - begin);
    for (uint32_t c : layers_[i]) cells_[c].x -= drift;
  }
}

bool LayerGrid::placeX(const CancelToken& cancel) {
  packLayers();
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    if (cancel.cancelled()) return false;
    const bool settle = round >= kRounds - 2;
    for (size_t i = 0; i < layers_.size(); ++i) pullLayer(layers_[i], settle ? Pull::Both : Pull::Up);
    for (size_t i = layers_.size(); i-- > 0;) pullLayer(layers_[i], settle ? Pull::Both : Pull::Down);
  }
  if (std::all_of(cells_.begin(), cells_.end(), [](const Cell& cell) { return std::isnan(cell.wish); })) straighten();
  double left = 0, right = 0;
  bool first = true;
  for (const Cell& cell : cells_) {
    left = first ? cell.x - cell.left : std::min(left, cell.x - cell.left);
    right = first ? cell.x + cell.right : std::max(right, cell.x + cell.right);
    first = false;
  }
  for (Cell& cell : cells_) cell.x -= left;
  size_.width = right - left;
  return true;
}

void LayerGrid::placeY() {
  double top = 0, gap = 0;
  for (const auto& layer : layers_) {
    double height = 0;
    for (uint32_t c : layer) height = std::max(height, cells_[c].height);
    for (uint32_t c : layer) cells_[c].y = top + height / 2;
    bands_.push_back({top, top + height});
    // A layer of ports at a border is thin: half a gap is enough for the lines to bend.
    gap = height > 0 ? options_.rankGap : options_.rankGap / 2;
    top += height + gap;
  }
  size_.height = top - gap;
}

std::vector<GraphPoint> LayerGrid::bends(uint32_t edge) const {
  const Chain& chain = chains_[edge];
  std::vector<GraphPoint> points;
  for (uint32_t i = 0; i < chain.count; ++i) {
    const GraphPoint at = center(chain.first + i);
    const FlatLayout::Band layer = band(chain.first + i);
    if (layer.bottom - layer.top < options_.rankGap * kHighLayer) {
      points.push_back(at);
      continue;
    }
    // Past a region it goes straight down: on the way from one middle to the next it would run through it.
    points.push_back({at.x, layer.top});
    points.push_back({at.x, layer.bottom});
  }
  if (chain.reversed) std::reverse(points.begin(), points.end());
  return points;
}

}  // namespace rx
