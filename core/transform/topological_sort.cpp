// TopologicalSort: the bindings of dataflow blocks in another order that keeps definitions before uses: depth or
// breadth first, from the inputs or from the outputs.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <span>
#include <unordered_map>

#include "core/analysis/value_parts.h"
#include "core/build/mutator.h"
#include "core/ir/reflect.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

/// Two places that stand for all inputs and all outputs of a function; its variables have the numbers after them.
constexpr uint32_t kInput = 0;
constexpr uint32_t kOutput = 1;
constexpr uint32_t kFirstVar = 2;

/// What `to` uses of `from`.
struct Edge {
  uint32_t from, to;
};

/// Who uses what in a function, in the order of its text.
struct Dependencies {
  PointerMap<relax::Var, uint32_t> places;
  uint32_t count = kFirstVar;
  std::vector<uint32_t> order;  ///< places of what is bound
  std::vector<Edge> edges;
  /// Of one block: what uses symbols that a match_cast binds. TVM does not count them, so that they only do where its
  /// order would leave a symbol unbound.
  std::vector<Edge> symbols;
};

/// What needs nothing and what nobody needs hangs on the ends, so that a search reaches it.
void hangOnEnds(Dependencies& all) {
  std::vector<bool> needs(all.count), needed(all.count);
  for (const Edge& edge : all.edges) needs[edge.to] = needed[edge.from] = true;
  std::vector<Edge> edges;
  for (const uint32_t var : all.order)
    if (!needed[var]) edges.push_back({var, kOutput});
  edges.insert(edges.end(), all.edges.begin(), all.edges.end());
  for (const uint32_t var : all.order)
    if (!needs[var]) edges.push_back({kInput, var});
  all.edges = std::move(edges);
}

class DependencyCollector {
 public:
  explicit DependencyCollector(const CancelToken& cancel) : cancel_(cancel) {}

  Dependencies run(const relax::Function& function) {
    addParams(function);
    visitSeq(*function.body, kOutput);
    return std::move(all_);
  }

 private:
  uint32_t addPlace(const relax::VarRef& var) {
    all_.places.set(var.get(), all_.count);
    return all_.count++;
  }
  void addParams(const relax::Function& function) {
    for (const relax::VarRef& param : function.params) {
      all_.edges.push_back({kInput, addPlace(param)});
      eachSymbol(param->sinfo, [&](const tir::Var& symbol) { symbols_.insert_or_assign(&symbol, Bound{}); });
    }
  }
  void visitSeq(const relax::SeqExpr& seq, uint32_t user) {
    for (const relax::BlockRef& block : seq.blocks) {
      for (const relax::Binding& binding : block->bindings) {
        if (cancel_.cancelled()) return;
        const uint32_t var = addPlace(binding->var);
        all_.order.push_back(var);
        const auto* plain = as<relax::VarBinding>(binding);
        const relax::Expr& value = plain ? plain->value : as<relax::MatchCast>(binding)->value;
        visitValue(*value, var);
        visitSymbols(*binding, value, {block.get(), var});
      }
    }
    visitValue(*seq.body, user);
  }
  void visitValue(const Node& value, uint32_t user) {
    auto variable = [&](const relax::Var& var) {
      if (const uint32_t* place = all_.places.find(&var)) all_.edges.push_back({*place, user});
    };
    auto function = [&](const relax::Function& local) {
      addParams(local);
      visitSeq(*local.body, user);
    };
    analysis::walkValue(value, {.variable = variable,
                                .sequence = [&](const relax::SeqExpr& seq) { visitSeq(seq, user); },
                                .function = function});
  }

  /// What binds a symbol; no block for parameters.
  struct Bound {
    const relax::BindingBlock* block = nullptr;
    uint32_t place = kInput;
  };

  static void eachSymbol(const NodeRef& root, const std::function<void(const tir::Var&)>& symbol) {
    if (!root) return;
    walk(*root, Into::Parts, [&](const Node& node) {
      if (const auto* var = as<tir::Var>(&node)) symbol(*var);
      return true;
    });
  }

  void visitSymbols(const relax::BindingNode& binding, const relax::Expr& value, Bound here) {
    auto uses = [&](const tir::Var& symbol) {
      const auto bound = symbols_.find(&symbol);
      if (bound == symbols_.end() || bound->second.block != here.block || bound->second.place == here.place) return;
      all_.symbols.push_back({bound->second.place, here.place});
    };
    eachSymbol(value, uses);
    if (isa<relax::MatchCast>(&binding))
      eachSymbol(binding.var->sinfo, [&](const tir::Var& symbol) { symbols_.try_emplace(&symbol, here); });
    eachSymbol(binding.var->sinfo, uses);
  }

  const CancelToken& cancel_;
  std::unordered_map<const tir::Var*, Bound> symbols_;
  Dependencies all_;
};

/// The neighbours of each place in the direction of the edges or against it, in the order of the edges.
class Neighbours {
 public:
  Neighbours(const Dependencies& all, bool along) : first_(all.count + 1), places_(all.edges.size()) {
    for (const Edge& edge : all.edges) ++first_[(along ? edge.from : edge.to) + 1];
    for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<size_t> next(first_.begin(), first_.end() - 1);
    for (const Edge& edge : all.edges) places_[next[along ? edge.from : edge.to]++] = along ? edge.to : edge.from;
  }
  std::span<uint32_t> of(uint32_t place) {
    return std::span(places_).subspan(first_[place], first_[place + 1] - first_[place]);
  }

 private:
  std::vector<size_t> first_;
  std::vector<uint32_t> places_;
};

struct Order {
  bool depthFirst = true;
  bool fromInputs = true;
};

/// When a search from an end comes to each place: to a variable once it was at all that lies before it. Nothing stands
/// for places that it never comes to.
std::vector<std::optional<uint32_t>> searched(const Dependencies& all, Order order) {
  Neighbours next(all, order.fromInputs);
  if (order.depthFirst && order.fromInputs) {
    for (uint32_t place = 0; place < all.count; ++place) std::ranges::reverse(next.of(place));
  }
  std::vector<uint32_t> open(all.count);  ///< edges that lead to a place from where the search was not yet
  for (const Edge& edge : all.edges) ++open[order.fromInputs ? edge.to : edge.from];
  std::vector<std::optional<uint32_t>> when(all.count);
  std::deque<uint32_t> waiting{order.fromInputs ? kInput : kOutput};
  uint32_t time = 0;
  while (!waiting.empty()) {
    const uint32_t place = order.depthFirst ? waiting.back() : waiting.front();
    order.depthFirst ? waiting.pop_back() : waiting.pop_front();
    if (when[place]) continue;
    when[place] = time++;
    for (const uint32_t neighbour : next.of(place)) --open[neighbour];
    for (const uint32_t neighbour : next.of(place))
      if (open[neighbour] == 0 && !when[neighbour]) waiting.push_back(neighbour);
  }
  return when;
}

class Sorter : public build::Mutator {
 public:
  Sorter(build::ModuleContext& context, Order order)
      : Mutator("TopologicalSort", &context), cancel_(context.cancel()), order_(order) {}

 protected:
  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    Dependencies all = DependencyCollector(cancel_).run(*function);
    std::swap(all.places, places_);
    std::vector<std::optional<uint32_t>> when = std::exchange(when_, ordered(all));
    relax::FunctionRef result = Mutator::visitFunction(function);
    std::swap(all.places, places_);
    when_ = std::move(when);
    return result;
  }

  void visitBlock(const relax::BlockRef& block) override {
    if (!block->isDataflow() || cancel_.cancelled()) return Mutator::visitBlock(block);
    const std::optional<std::vector<relax::Binding>> sorted = sortedBindings(*block);
    if (!sorted) {
      builder.report(errorAt(block->span, "pass.order", "the bindings of this block depend on each other in a circle"));
      return Mutator::visitBlock(block);
    }
    Mutator::visitBlock(make<relax::DataflowBlock>(Array<relax::Binding>(*sorted)));
  }

 private:
  /// When each place comes, symbols bound before they are used.
  std::vector<std::optional<uint32_t>> ordered(Dependencies& all) const {
    std::vector<Edge> edges = all.edges;
    hangOnEnds(all);
    std::vector<std::optional<uint32_t>> when = searched(all, order_);
    const bool bound = std::ranges::all_of(all.symbols, [&](const Edge& edge) {
      return order_.fromInputs ? when[edge.from] < when[edge.to] : when[edge.to] < when[edge.from];
    });
    if (bound) return when;
    all.edges = std::move(edges);
    all.edges.insert(all.edges.end(), all.symbols.begin(), all.symbols.end());
    hangOnEnds(all);
    return searched(all, order_);
  }

  /// Nothing where the search did not come to all of them.
  std::optional<std::vector<relax::Binding>> sortedBindings(const relax::BindingBlock& block) const {
    std::vector<std::pair<uint32_t, const relax::Binding*>> timed;
    timed.reserve(block.bindings.size());
    for (const relax::Binding& binding : block.bindings) {
      const uint32_t* place = places_.find(binding->var.get());
      if (!place || !when_[*place]) return std::nullopt;
      timed.emplace_back(*when_[*place], &binding);
    }
    std::sort(timed.begin(), timed.end());
    if (!order_.fromInputs) std::reverse(timed.begin(), timed.end());
    std::vector<relax::Binding> sorted;
    sorted.reserve(timed.size());
    for (const auto& [time, binding] : timed) sorted.push_back(*binding);
    return sorted;
  }

  const CancelToken& cancel_;
  Order order_;
  PointerMap<relax::Var, uint32_t> places_;
  std::vector<std::optional<uint32_t>> when_;  ///< by place
};

/// True for the first word, false for the second, a diagnostic for anything else.
Result<bool> choice(const ir::Attrs& options, const char* name, std::string_view first, std::string_view second) {
  const std::string_view text = ir::strAttrOf(options, name);
  if (text == first || text == second) return text == first;
  return fail("pass.option-value", fmt::format("{} is \"{}\" or \"{}\", and not \"{}\"", name, first, second, text));
}

}  // namespace

Result<ir::Module> topologicalSort(const ir::Module& module, const ir::Attrs& options_, pass::PassContext& context) {
  RX_TRY(depthFirst, choice(options_, "order", "depth-first", "breadth-first"));
  RX_TRY(fromInputs, choice(options_, "direction", "from-inputs", "from-outputs"));
  return rewriteFunctions(module, context,
                          [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
                            return Sorter(moduleContext, {depthFirst, fromInputs}).rewrite(function);
                          });
}

}  // namespace rx::transform
