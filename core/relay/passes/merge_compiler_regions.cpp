#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_set>

#include "core/relay/passes/compiler_regions.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// With which regions one must not be merged, since a path from them to it leaves its compiler: what the regions are
/// apart from that it takes values from, and those of other compilers among them. It is looked up when it is asked:
/// listed for every region of a chain it would take a square of the chain's length.
class Apart {
 public:
  using Id = Regions::Id;
  explicit Apart(Regions& regions)
      : regions_(regions), rows_(regions.count()), eldest_(regions.count(), std::numeric_limits<size_t>::max()) {}

  /// Regions are added behind those that they take values from. `foreign` are of other compilers.
  void add(Id region, std::vector<Id> from, std::vector<Id> foreign) {
    std::erase_if(from, [&](Id id) { return rows_[at(id)].age == 0; });
    for (const Id id : foreign) eldest_[at(id)] = std::min(eldest_[at(id)], count_);
    rows_[at(region)] = {++count_, std::move(from), std::move(foreign), {}};
    eldest_[at(region)] = std::min(eldest_[at(region)], count_);
  }
  void merged(Id from, Id into) { eldest_[at(into)] = std::min(eldest_[at(into)], eldest_[at(from)]); }

  /// Whether a region is apart from another that it takes values from. Where not, the two have to be merged.
  bool has(Id region, Id other) {
    ++asked_;
    std::vector<std::pair<Id, size_t>> path{{region, 0}};
    while (!path.empty()) {
      auto& [now, next] = path.back();
      Row& row = rows_[at(now)];
      if (next == 0 && (holds(row.foreign, other) || holds(row.having, other))) {
        path.pop_back();
        for (const auto& [each, unused] : path) rows_[at(each)].having.push_back(other);
        return true;
      }
      // It holds for all that `region` is merged with, now and later: that is looked for from here again.
      row.asked = asked_;
      row.without = region;
      while (next < row.from.size() && isWithout(row.from[next], other)) ++next;
      if (next == row.from.size()) {
        path.pop_back();
      } else {
        path.emplace_back(row.from[next++], 0);
      }
    }
    return false;
  }

 private:
  struct Row {
    size_t age = 0;  ///< the number in the order of their addition, 0 before
    std::vector<Id> from, foreign;
    std::vector<Id> having;       ///< what it was found to be apart from
    Id without = Regions::kNone;  ///< it is not apart from this, and what that became
    size_t asked = 0;             ///< the last question that led here
  };
  static size_t at(Id id) { return static_cast<size_t>(id); }

  bool holds(const std::vector<Id>& ids, Id other) {
    return std::any_of(ids.begin(), ids.end(), [&](Id id) { return regions_.rootOf(id) == other; });
  }
  bool isWithout(Id region, Id other) {
    const Row& row = rows_[at(region)];
    if (row.asked == asked_ || row.age <= eldest_[at(other)]) return true;  // regions are apart from older ones
    if (regions_.rootOf(region) == other) return true;                      // no part of a region is apart from it
    return row.without != Regions::kNone && regions_.rootOf(row.without) == other;
  }

  Regions& regions_;
  std::vector<Row> rows_;
  std::vector<size_t> eldest_;  ///< the least age of the parts of a region; less than that of what is apart from them
  size_t count_ = 0, asked_ = 0;
};

/// Joins a region with those that it takes values from, where no path between them leaves the compiler.
class Merger {
 public:
  explicit Merger(Regions& regions) : regions_(regions), apart_(regions) {}

  void run(const Expr& end) {
    std::vector<Expr> todo{end};
    while (!todo.empty()) {
      const Expr at = todo.back();
      const Regions::Id region = regions_.of(at);
      if (region != Regions::kNone && !merged_.contains(region) && entered_.insert(at.get()).second) {
        // Where values come from is merged first.
        for (const Expr& input : regions_.inputs(region)) {
          if (isRegionEnd(input) && !entered_.contains(input.get())) todo.push_back(input);
        }
        continue;
      }
      todo.pop_back();
      if (region != Regions::kNone && !merged_.contains(region)) merge(region);
    }
  }

 private:
  void merge(Regions::Id region) {
    std::vector<Regions::Id> parents, related;
    std::unordered_set<Regions::Id> met;
    for (const Expr& input : regions_.inputs(region)) {
      const Regions::Id parent = regions_.of(input);
      if (parent == Regions::kNone) {
        appendBranches(input, related);
      } else if (met.insert(parent).second) {
        parents.push_back(parent);
      }
    }
    related.insert(related.end(), parents.begin(), parents.end());
    const auto isForeign = [&](Regions::Id parent) { return regions_.compiler(parent) != regions_.compiler(region); };
    std::vector<Regions::Id> foreign;
    std::copy_if(parents.begin(), parents.end(), std::back_inserter(foreign), isForeign);
    apart_.add(region, std::move(related), std::move(foreign));
    for (const Regions::Id parent : parents) {
      if (isForeign(parent) || apart_.has(region, parent)) continue;
      regions_.merge(parent, region);
      apart_.merged(parent, region);
    }
    merged_.insert(region);
  }
  /// The regions of a branch that is in none itself.
  void appendBranches(const Expr& expr, std::vector<Regions::Id>& out) {
    std::vector<Expr> todo{expr};
    while (!todo.empty()) {
      const Expr at = todo.back();
      todo.pop_back();
      if (!isa<If>(at)) continue;
      std::vector<Expr> operands;
      appendOperands(*at, operands);
      for (const Expr& operand : operands) {
        const Regions::Id region = regions_.of(operand);
        if (region != Regions::kNone) out.push_back(region);
        if (region == Regions::kNone) todo.push_back(operand);
      }
    }
  }

  Regions& regions_;
  Apart apart_;
  std::unordered_set<const Node*> entered_;
  std::unordered_set<Regions::Id> merged_;
};

}  // namespace

Result<ir::Module> mergeCompilerRegions(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return onTypedFunctions(module, context, [](const FunctionRef& function) -> Result<FunctionRef> {
    Regions regions(function);
    Merger merger(regions);
    for (const Expr& expr : postOrder(function)) {
      if (isRegionEnd(expr)) merger.run(expr);
    }
    auto joined = [&](const NodeRef& before, const NodeRef& now) -> NodeRef {
      const auto begin = refAs<Call>(before);
      if (!begin || !isRegionBegin(begin)) return now;
      const Expr end = begin->args[0];
      const bool isInside = isRegionEnd(end) && regions.of(end) == regions.of(begin);
      return isInside ? NodeRef(as<Call>(as<Call>(now)->args[0])->args[0]) : now;
    };
    return refAs<Function>(rewriteGraph(function, nullptr, joined));
  });
}

}  // namespace rx::relay
