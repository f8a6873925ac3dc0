#include "core/script/match_bindings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace rx::script {

namespace {

/// The bindings of one function of two texts, paired.
class Pairing {
 public:
  Pairing(const FunctionText& left, const FunctionText& right)
      : left_(left), right_(right), partner_(right.bindings.size(), -1), taken_(left.bindings.size()) {}

  BindingMatch run() {
    pairByNameAndOrigin();
    pairByContent();
    BindingMatch match;
    for (size_t r = 0; r < partner_.size(); ++r) {
      if (partner_[r] < 0) {
        ++match.added;
        continue;
      }
      const auto l = static_cast<size_t>(partner_[r]);
      const bool renamed = left_.bindings[l].name != right_.bindings[r].name;
      BindingPair pair{partner_[r], static_cast<int>(r), renamed, false, !sameContent(l, r)};
      match.changed += pair.changed;
      match.renamed += pair.renamed;
      match.pairs.push_back(pair);
    }
    match.removed = static_cast<int>(taken_.size() - match.pairs.size());
    markMoved(&match);
    return match;
  }

 private:
  /// Bindings of one name, in their order.
  struct Candidates {
    std::vector<size_t> places;
    size_t at = 0;
    std::optional<size_t> next(const std::vector<char>& taken) {
      while (at < places.size() && taken[places[at]]) ++at;
      return at < places.size() ? std::optional(places[at]) : std::nullopt;
    }
  };

  void pair(size_t l, size_t r) {
    partner_[r] = static_cast<int>(l);
    taken_[l] = true;
  }

  /// By its own name where its origins say that too, then by its own name, then by what its origins were called: one
  /// binding may come from several, and several from one.
  void pairByNameAndOrigin() {
    std::unordered_map<std::string_view, Candidates> byName;
    for (size_t l = 0; l < left_.bindings.size(); ++l) byName[left_.bindings[l].name].places.push_back(l);
    auto tryName = [&](size_t r, std::string_view name, bool byOrigin) {
      const auto found = byName.find(name);
      if (found == byName.end()) return false;
      // Names repeat, in branches say: they are taken in their order.
      const std::optional<size_t> l = found->second.next(taken_);
      if (!l) return false;
      const BindingText& a = left_.bindings[*l];
      const BindingText& b = right_.bindings[r];
      // A name alone may be used again for something else: then the computation has to be alike.
      if (!byOrigin && a.computes != b.computes && a.says != b.says && a.type != b.type) return false;
      return pair(*l, r), true;
    };
    forEachAlone([&](size_t r, const BindingText& binding) {
      const auto& from = binding.cameFrom;
      if (std::find(from.begin(), from.end(), binding.name) != from.end()) tryName(r, binding.name, true);
    });
    forEachAlone([&](size_t r, const BindingText& binding) { tryName(r, binding.name, false); });
    forEachAlone([&](size_t r, const BindingText& binding) {
      for (const std::string& origin : binding.cameFrom) {
        if (tryName(r, origin, true)) break;
      }
    });
  }

  /// The bindings on the right that have no partner yet.
  template <class Visit>
  void forEachAlone(Visit visit) const {
    for (size_t r = 0; r < right_.bindings.size(); ++r)
      if (partner_[r] < 0) visit(r, right_.bindings[r]);
  }

  /// Those left over that compute the same from the same.
  void pairByContent() {
    std::unordered_map<size_t, std::vector<size_t>> bySaying;
    for (size_t l = 0; l < left_.bindings.size(); ++l) {
      if (!taken_[l]) bySaying[left_.bindings[l].says].push_back(l);
    }
    for (size_t r = 0; r < right_.bindings.size(); ++r) {
      if (partner_[r] >= 0) continue;
      const auto found = bySaying.find(right_.bindings[r].says);
      if (found == bySaying.end()) continue;
      for (size_t l : found->second) {
        if (taken_[l] || !sameOperands(l, r)) continue;
        pair(l, r);
        break;
      }
    }
  }

  /// Whether the names behind the bound one stand for each other.
  bool sameOperands(size_t l, size_t r) const {
    const std::vector<VariableUse>& a = left_.bindings[l].variables;
    const std::vector<VariableUse>& b = right_.bindings[r].variables;
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [this](const VariableUse& left, const VariableUse& right) {
                        return left.defines == right.defines && (left.defines || sameVariable(left, right));
                      });
  }

  /// Parameters stand for each other by their place, bindings where they are paired, and both where they are not by
  /// their names.
  bool sameVariable(const VariableUse& left, const VariableUse& right) const {
    if (left.isParam != right.isParam) return false;
    const auto l = static_cast<size_t>(left.target), r = static_cast<size_t>(right.target);
    if (left.isParam) {
      const bool both = l < right_.params.size() && r < left_.params.size();
      return both ? l == r : left_.params[l] == right_.params[r];
    }
    return partner_[r] >= 0 ? partner_[r] == left.target : left_.bindings[l].name == right_.bindings[r].name;
  }

  bool sameContent(size_t l, size_t r) const {
    return left_.bindings[l].says == right_.bindings[r].says && sameOperands(l, r);
  }

  /// Pairs outside of the longest run that kept its order were moved.
  static void markMoved(BindingMatch* match) {
    std::vector<size_t> tails;  // the pair that ends the best run of each length
    std::vector<ptrdiff_t> before(match->pairs.size(), -1);
    for (size_t i = 0; i < match->pairs.size(); ++i) {
      const auto at = std::lower_bound(tails.begin(), tails.end(), match->pairs[i].left,
                                       [&](size_t tail, int left) { return match->pairs[tail].left < left; });
      if (at != tails.begin()) before[i] = static_cast<ptrdiff_t>(*std::prev(at));
      if (at == tails.end()) {
        tails.push_back(i);
      } else if (match->pairs[*at].renamed || !match->pairs[i].renamed) {
        *at = i;  // of two that changed places the one that kept its name stayed
      }
      match->pairs[i].moved = true;
    }
    match->moved = static_cast<int>(match->pairs.size() - tails.size());
    for (ptrdiff_t i = tails.empty() ? -1 : static_cast<ptrdiff_t>(tails.back()); i >= 0;
         i = before[static_cast<size_t>(i)])
      match->pairs[static_cast<size_t>(i)].moved = false;
  }

  const FunctionText& left_;
  const FunctionText& right_;
  std::vector<int> partner_;  // of the bindings on the right
  std::vector<char> taken_;   // on the left
};

}  // namespace

BindingMatch matchBindings(const FunctionText& left, const FunctionText& right) { return Pairing(left, right).run(); }

std::string countsText(const BindingMatch& match) {
  const std::pair<int, const char*> counts[] = {{match.added, "added"},
                                                {match.removed, "removed"},
                                                {match.changed, "changed"},
                                                {match.renamed, "renamed"},
                                                {match.moved, "moved"}};
  std::string text;
  for (const auto& [count, word] : counts) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word);
  }
  return text;
}

}  // namespace rx::script
