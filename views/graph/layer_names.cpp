#include "views/graph/layer_names.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_map>

namespace rx {
namespace {

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool isSeparator(char c) { return c == '.' || c == '_'; }

/// The words of a name between its dots and underscores.
std::vector<std::string> wordsOf(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (!isSeparator(c)) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool isNumber(const std::string& word) { return !word.empty() && std::all_of(word.begin(), word.end(), isDigit); }

/// "layer2.0": numbers stand behind dots, words that belong together keep their underscore.
std::string joined(const std::vector<std::string>& words) {
  std::string name;
  for (const std::string& word : words) {
    if (!name.empty()) name += isNumber(word) ? '.' : '_';
    name += word;
  }
  return name;
}

struct Block {
  uint32_t begin = 0, end = 0;
  const std::string* kind = nullptr;
  std::string* name = nullptr;
};

class Namer {
 public:
  Namer(const GraphModel& model, std::vector<LayerRun>* runs) : model_(model), inputs_(model.nodes.size()) {
    for (const GraphEdge& edge : model.edges) inputs_[edge.to].push_back(edge.from);
    for (LayerRun& run : *runs) {
      run.names.assign(run.repeats, {});
      for (uint32_t r = 0; r < run.repeats; ++r) {
        const uint32_t begin = run.begin + r * run.period;
        blocks_.push_back({begin, begin + run.period, &run.kind, &run.names[r]});
      }
    }
    findWeights();
  }

  void run() {
    if (blocks_.empty()) return;
    if (!nameBy(&Namer::commonStart) && !nameBy(&Namer::commonEnd)) nameByStructure();
  }

 private:
  /// The names of weights that one block alone reads.
  void findWeights() {
    weights_.resize(blocks_.size());
    constexpr size_t kNobody = SIZE_MAX, kSeveral = SIZE_MAX - 1;
    std::unordered_map<uint32_t, size_t> readers;
    for (size_t b = 0; b < blocks_.size(); ++b)
      for (uint32_t n = blocks_[b].begin; n < blocks_[b].end; ++n)
        for (const uint32_t from : inputs_[n]) {
          const GraphNode& weight = model_.nodes[from];
          if (!weight.stubOnly || weight.kind != OpKind::Parameter) continue;
          size_t& reader = readers.try_emplace(from, kNobody).first->second;
          reader = reader == kNobody || reader == b ? b : kSeveral;
        }
    std::vector<std::pair<uint32_t, size_t>> sorted(readers.begin(), readers.end());
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [node, block] : sorted)
      if (block < blocks_.size()) weights_[block].push_back(wordsOf(model_.nodes[node].title));
  }

  using Rule = std::optional<std::string> (Namer::*)(size_t) const;

  /// False, and nothing named, where the rule gives a block no name or two the same one.
  bool nameBy(Rule rule) {
    std::vector<std::string> names;
    for (size_t b = 0; b < blocks_.size(); ++b) {
      const std::optional<std::string> name = (this->*rule)(b);
      if (!name) return false;
      names.push_back(*name);
    }
    std::vector<std::string> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return false;
    for (size_t b = 0; b < blocks_.size(); ++b) *blocks_[b].name = std::move(names[b]);
    return true;
  }

  /// The first words that all weights of the block share, as far as the last number among them.
  std::optional<std::string> commonStart(size_t block) const {
    const auto& names = weights_[block];
    if (names.empty()) return std::nullopt;
    std::vector<std::string> common = names.front();
    if (names.size() == 1) common.pop_back();
    for (const auto& words : names) {
      const auto [at, ignored] = std::mismatch(common.begin(), common.end(), words.begin(), words.end());
      common.erase(at, common.end());
    }
    while (!common.empty() && !isDigit(common.back().back())) common.pop_back();
    // What exporters put in front of every parameter says nothing.
    if (common.size() > 1 && common.front() == "p") common.erase(common.begin());
    if (common.empty() || isNumber(common.front())) return std::nullopt;
    return joined(common);
  }

  /// The number that all weights of the block end with.
  std::optional<std::string> commonEnd(size_t block) const {
    const auto& names = weights_[block];
    if (names.empty()) return std::nullopt;
    for (const auto& words : names)
      if (words.size() < 2 || !isNumber(words.back()) || words.back() != names.front().back()) return std::nullopt;
    return familyOf(block) + '.' + names.front().back();
  }

  bool isResidual(size_t block) const { return blocks_[block].kind->starts_with(kResidual); }
  std::string familyOf(size_t block) const {
    const std::string& kind = *blocks_[block].kind;
    return kind == kLayer ? "layers" : kind == kStep ? "steps" : "blocks";
  }

  void nameByStructure() {
    bool changes = false;
    for (size_t b = 1; b < blocks_.size(); ++b) changes |= isResidual(b) && startsGroup(b);
    size_t group = 0, inGroup = 0;
    std::unordered_map<std::string, size_t> counts;
    for (size_t b = 0; b < blocks_.size(); ++b) {
      if (changes && isResidual(b)) {
        if (group == 0 || startsGroup(b)) ++group, inGroup = 0;
        *blocks_[b].name = "layer" + std::to_string(group) + '.' + std::to_string(inGroup++);
      } else {
        const std::string family = familyOf(b);
        *blocks_[b].name = family + '.' + std::to_string(counts[family]++);
      }
    }
  }

  /// Another shape than that of the block before.
  bool startsGroup(size_t block) const {
    return block == 0 || !isResidual(block - 1) ||
           model_.nodes[blocks_[block].end - 1].subtitle != model_.nodes[blocks_[block - 1].end - 1].subtitle;
  }

  const GraphModel& model_;
  std::vector<std::vector<uint32_t>> inputs_;
  std::vector<Block> blocks_;
  std::vector<std::vector<std::vector<std::string>>> weights_;  // words of each weight of each block
};

}  // namespace

void nameLayers(const GraphModel& model, std::vector<LayerRun>* runs) { Namer(model, runs).run(); }

}  // namespace rx
