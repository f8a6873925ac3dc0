#include <algorithm>
#include <unordered_set>

#include "core/relay/compiler_regions.h"
#include "core/relay/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// Joins a region with those that it takes values from, where no path between them leaves the compiler.
class Merger {
 public:
  explicit Merger(Regions& regions) : regions_(regions), apart_(regions.count()) {}

  void run(const Expr& end) {
    std::vector<Expr> todo{end};
    while (!todo.empty()) {
      const Expr at = todo.back();
      const Regions::Id region = regions_.of(at);
      if (region != Regions::kNone && entered_.insert(at.get()).second) {
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
    for (const Expr& input : regions_.inputs(region)) {
      const Regions::Id parent = regions_.of(input);
      if (parent == Regions::kNone) {
        appendBranches(input, related);
      } else if (std::find(parents.begin(), parents.end(), parent) == parents.end()) {
        parents.push_back(parent);
      }
    }
    related.insert(related.end(), parents.begin(), parents.end());
    auto& apart = apart_[static_cast<size_t>(region)];
    for (const Regions::Id other : related) {
      const auto theirs = apart_[static_cast<size_t>(other)];
      apart.insert(theirs.begin(), theirs.end());
    }
    for (const Regions::Id parent : parents) {
      if (regions_.compiler(parent) != regions_.compiler(region)) {
        apart.insert(parent);
      } else if (std::none_of(apart.begin(), apart.end(),
                              [&](Regions::Id id) { return regions_.rootOf(id) == parent; })) {
        regions_.merge(parent, region);
      }
    }
    merged_.insert(region);
  }
  /// The regions of a branch that is in none itself.
  void appendBranches(const Expr& expr, std::vector<Regions::Id>& out) const {
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
  std::vector<std::unordered_set<Regions::Id>> apart_;  ///< regions with which one must not be merged
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
