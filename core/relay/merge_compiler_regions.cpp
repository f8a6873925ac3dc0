#include <algorithm>
#include <unordered_set>

#include "core/relay/emit.h"
#include "core/relay/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

constexpr const char* kBegin = "annotation.compiler_begin";
constexpr const char* kEnd = "annotation.compiler_end";

/// What lies between begin and end marks of one compiler, as far as it hangs together.
class Regions {
 public:
  using Id = int64_t;
  static constexpr Id kNone = -1;

  explicit Regions(const Expr& root) {
    for (const Expr& expr : postOrder(root)) add(expr);
  }
  Id of(const Expr& expr) const {
    const auto hit = ids_.find(expr.get());
    return hit == ids_.end() ? kNone : rootOf(hit->second);
  }
  Id rootOf(Id id) const {
    while (parents_[static_cast<size_t>(id)] != id) id = parents_[static_cast<size_t>(id)];
    return id;
  }
  size_t count() const { return parents_.size(); }
  std::string_view compiler(Id id) const { return compilers_[static_cast<size_t>(id)]; }
  /// What begin marks of the region are put around, without what the region gives itself.
  std::vector<Expr> inputs(Id id) const {
    std::vector<Expr> out;
    for (const Expr& begin : begins_[static_cast<size_t>(id)]) {
      if (of(as<Call>(begin)->args[0]) != id) out.push_back(as<Call>(begin)->args[0]);
    }
    return out;
  }
  void merge(Id from, Id into) {
    parents_[static_cast<size_t>(from)] = into;
    auto& begins = begins_[static_cast<size_t>(from)];
    auto& all = begins_[static_cast<size_t>(into)];
    all.insert(all.end(), begins.begin(), begins.end());
    begins.clear();
  }

 private:
  void add(const Expr& expr) {
    if (isCallOf(expr, kBegin)) {
      ids_[expr.get()] = static_cast<Id>(parents_.size());
      parents_.push_back(static_cast<Id>(parents_.size()));
      compilers_.emplace_back(textAttrOf(*as<Call>(expr), "compiler"));
      begins_.push_back({expr});
      return;
    }
    if (isCallOf(expr, kEnd)) {
      if (const Id region = of(as<Call>(expr)->args[0]); region != kNone) ids_[expr.get()] = region;
      return;
    }
    if (isa<Function>(expr)) return;
    std::vector<Expr> operands;
    appendOperands(*expr, operands);
    for (const Expr& operand : operands) {
      const Id theirs = isCallOf(operand, kEnd) ? kNone : of(operand), ours = of(expr);
      if (theirs == kNone || theirs == ours) continue;
      if (ours != kNone) merge(theirs, ours);
      if (ours == kNone) ids_[expr.get()] = theirs;
    }
  }

  std::unordered_map<const Node*, Id> ids_;
  std::vector<Id> parents_;
  std::vector<std::string> compilers_;
  std::vector<std::vector<Expr>> begins_;
};

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
          if (isCallOf(input, kEnd) && !entered_.contains(input.get())) todo.push_back(input);
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
      if (isCallOf(expr, kEnd)) merger.run(expr);
    }
    auto joined = [&](const NodeRef& before, const NodeRef& now) -> NodeRef {
      const auto begin = refAs<Call>(before);
      if (!begin || !isCallOf(begin, kBegin)) return now;
      const Expr end = begin->args[0];
      const bool isInside = isCallOf(end, kEnd) && regions.of(end) == regions.of(begin);
      return isInside ? NodeRef(as<Call>(as<Call>(now)->args[0])->args[0]) : now;
    };
    return refAs<Function>(rewriteGraph(function, nullptr, joined));
  });
}

}  // namespace rx::relay
