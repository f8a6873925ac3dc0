#include "views/graph/layer_kind.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "views/graph/layer_names.h"

namespace rx {
namespace {

/// "fused_conv2d_add" adds among what else it does.
bool adds(const GraphNode& node) {
  constexpr std::string_view kAdd = "add";
  const std::string& words = node.foldFamily;
  for (size_t at = words.find(kAdd); at != std::string::npos; at = words.find(kAdd, at + 1)) {
    const size_t end = at + kAdd.size();
    if ((at == 0 || words[at - 1] == '_') && (end == words.size() || words[end] == '_')) return true;
  }
  return false;
}

class BlockLook {
 public:
  BlockLook(const GraphModel& model, const std::vector<std::vector<uint32_t>>& inputs, uint32_t begin, uint32_t end)
      : model_(model), inputs_(inputs), begin_(begin), end_(end) {}

  const char* kind() const {
    size_t skips = 0, projected = 0;
    for (uint32_t n = begin_; n < end_; ++n) {
      if (!adds(model_.nodes[n])) continue;
      const bool plain = addsSkip(n), other = !plain && addsProjection(n);
      skips += plain || other;
      projected += other;
    }
    if (skips > 1) return kLayer;
    return skips == 0 ? nullptr : projected > 0 ? kResidualProjected : kResidual;
  }

 private:
  bool isWeight(uint32_t n) const { return model_.nodes[n].stubOnly; }
  bool isInside(uint32_t n) const { return n >= begin_ && n < end_; }

  /// One of its inputs is made from another one, or from what that is made of, by an operation that computes.
  bool addsSkip(uint32_t add) const {
    for (const uint32_t skip : inputs_[add])
      for (const uint32_t made : inputs_[add])
        if (made != skip && !isWeight(skip) && isMadeOf(made, skip)) return true;
    return false;
  }

  /// As in a residual block whose output has another shape than its input: that comes through a projection of its own,
  /// which is a chain with one operation that computes, and no more are added to nothing else.
  bool addsProjection(uint32_t add) const {
    for (const uint32_t chain : inputs_[add]) {
      const std::optional<uint32_t> source = startOfProjection(chain);
      for (const uint32_t made : inputs_[add])
        if (source && made != chain && isMadeOf(made, *source)) return true;
    }
    return false;
  }

  std::optional<uint32_t> startOfProjection(uint32_t node) const {
    constexpr int kLongest = 4;
    bool computes = false;
    for (int i = 0; i < kLongest && isInside(node); ++i) {
      std::optional<uint32_t> only;
      for (const uint32_t from : inputs_[node]) {
        if (isWeight(from) || only == from) continue;
        if (only) return std::nullopt;
        only = from;
      }
      const bool computesHere = model_.nodes[node].kind == OpKind::Compute;
      if (!only || (computes && computesHere)) return std::nullopt;
      computes |= computesHere;
      node = *only;
    }
    return computes ? std::optional(node) : std::nullopt;
  }

  /// Within the block, and by way of an operation that computes.
  bool isMadeOf(uint32_t made, uint32_t source) const {
    struct At {
      uint32_t node;
      bool computed;
    };
    std::vector<std::array<char, 2>> seen(end_ - begin_);
    std::vector<At> left{{made, false}};
    while (!left.empty()) {
      const At at = left.back();
      left.pop_back();
      if (at.node == source && at.computed) return true;
      if (!isInside(at.node) || std::exchange(seen[at.node - begin_][at.computed], 1)) continue;
      const bool computed = at.computed || model_.nodes[at.node].kind == OpKind::Compute;
      for (const uint32_t from : inputs_[at.node])
        if (!isWeight(from)) left.push_back({from, computed});
    }
    return false;
  }

  const GraphModel& model_;
  const std::vector<std::vector<uint32_t>>& inputs_;
  const uint32_t begin_, end_;
};

/// The parameters that each of the repeats reads are those of the first.
bool sharesWeights(const GraphModel& model, const std::vector<std::vector<uint32_t>>& inputs, const LayerRun& run) {
  bool any = false;
  for (uint32_t n = run.begin; n + run.period < run.end(); ++n) {
    const auto &here = inputs[n], &next = inputs[n + run.period];
    for (size_t i = 0; i < std::min(here.size(), next.size()); ++i) {
      const GraphNode& weight = model.nodes[here[i]];
      if (!weight.stubOnly || weight.kind != OpKind::Parameter) continue;
      if (here[i] != next[i]) return false;
      any = true;
    }
  }
  return any;
}

}  // namespace

const char* layerKindOf(const GraphModel& model, const std::vector<std::vector<uint32_t>>& inputs,
                        const LayerRun& run) {
  // Of the second of several: the first may read what comes into the function in the place of what a block made.
  const uint32_t begin = run.begin + (run.repeats > 1 ? run.period : 0);
  if (const char* kind = BlockLook(model, inputs, begin, begin + run.period).kind()) return kind;
  return run.repeats > 1 && sharesWeights(model, inputs, run) ? kStep : kBlock;
}

}  // namespace rx
