// TopologicalSort: the bindings of dataflow blocks in another order that keeps definitions before uses: depth or
// breadth first, from the inputs or from the outputs.
#include <fmt/format.h>

#include <deque>

#include "core/analysis/value_parts.h"
#include "core/build/mutator.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

/// A variable, or one of two nodes that stand for all inputs and all outputs of a function.
using Place = const void*;
constexpr char kEnds[2] = {};
constexpr Place kInput = &kEnds[0];
constexpr Place kOutput = &kEnds[1];

using Edges = std::unordered_map<Place, std::deque<Place>>;

/// Who uses what in a function.
struct Dependencies {
  Edges users, requirements;
};

class DependencyCollector {
 public:
  Dependencies run(const relax::Function& function) {
    addParams(function);
    visitSeq(*function.body, kOutput);
    // What needs nothing and what nobody needs hangs on the ends, so that a search reaches it.
    std::vector<Place> unused;
    for (Place var : order_) {
      if (!all_.requirements.contains(var)) connect(kInput, var);
      if (!all_.users.contains(var)) unused.push_back(var);
    }
    for (size_t i = unused.size(); i-- > 0;) {
      all_.requirements[kOutput].push_front(unused[i]);
      all_.users[unused[i]].push_front(kOutput);
    }
    return std::move(all_);
  }

 private:
  void connect(Place from, Place to) {
    all_.users[from].push_back(to);
    all_.requirements[to].push_back(from);
  }
  void addParams(const relax::Function& function) {
    for (const relax::VarRef& param : function.params) {
      known_.insert(param.get());
      connect(kInput, param.get());
    }
  }
  void visitSeq(const relax::SeqExpr& seq, Place user) {
    for (const relax::BlockRef& block : seq.blocks) {
      for (const relax::Binding& binding : block->bindings) {
        const Place var = binding->var.get();
        known_.insert(var);
        order_.push_back(var);
        const auto* plain = as<relax::VarBinding>(binding);
        visitValue(plain ? *plain->value : *as<relax::MatchCast>(binding)->value, var);
      }
    }
    visitValue(*seq.body, user);
  }
  void visitValue(const Node& value, Place user) {
    auto variable = [&](const relax::Var& var) {
      if (known_.contains(&var)) connect(&var, user);
    };
    auto function = [&](const relax::Function& local) {
      addParams(local);
      visitSeq(*local.body, user);
    };
    analysis::walkValue(value, {.variable = variable,
                                .sequence = [&](const relax::SeqExpr& seq) { visitSeq(seq, user); },
                                .function = function});
  }

  std::unordered_set<Place> known_;
  std::vector<Place> order_;
  Dependencies all_;
};

struct Order {
  bool depthFirst = true;
  bool fromInputs = true;
};

class Sorter : public build::Mutator {
 public:
  Sorter(build::ModuleContext& context, Order order) : Mutator("TopologicalSort", &context), order_(order) {}

 protected:
  relax::FunctionRef visitFunction(const relax::FunctionRef& function) override {
    Dependencies outer = std::exchange(all_, DependencyCollector().run(*function));
    if (order_.depthFirst) {
      for (auto& [from, to] : all_.users) std::reverse(to.begin(), to.end());
    }
    relax::FunctionRef result = Mutator::visitFunction(function);
    all_ = std::move(outer);
    return result;
  }

  void visitBlock(const relax::BlockRef& block) override {
    if (!block->isDataflow()) return Mutator::visitBlock(block);
    const std::vector<relax::Binding> sorted = sortedBindings(*block);
    if (sorted.size() != block->bindings.size()) {
      builder.report(errorAt(block->span, "pass.order", "the bindings of this block depend on each other in a circle"));
      return Mutator::visitBlock(block);
    }
    Mutator::visitBlock(make<relax::DataflowBlock>(Array<relax::Binding>(sorted)));
  }

 private:
  std::vector<relax::Binding> sortedBindings(const relax::BindingBlock& block) const {
    const Edges& forward = order_.fromInputs ? all_.users : all_.requirements;
    const Edges& backward = order_.fromInputs ? all_.requirements : all_.users;
    std::unordered_map<Place, relax::Binding> open;
    for (const relax::Binding& binding : block.bindings) open.emplace(binding->var.get(), binding);
    std::unordered_set<Place> visited;
    std::vector<relax::Binding> sorted;
    std::deque<Place> next{order_.fromInputs ? kInput : kOutput};
    auto ready = [&](Place place) {
      if (visited.contains(place)) return false;
      const std::deque<Place>& needed = backward.at(place);
      return std::all_of(needed.begin(), needed.end(), [&](Place other) { return visited.contains(other); });
    };
    while (!next.empty()) {
      const Place place = order_.depthFirst ? next.back() : next.front();
      order_.depthFirst ? next.pop_back() : next.pop_front();
      if (auto at = open.find(place); at != open.end()) {
        sorted.push_back(at->second);
        open.erase(at);
      }
      visited.insert(place);
      auto edges = forward.find(place);
      if (edges == forward.end()) continue;
      for (Place neighbour : edges->second) {
        if (ready(neighbour)) next.push_back(neighbour);
      }
    }
    if (!order_.fromInputs) std::reverse(sorted.begin(), sorted.end());
    return sorted;
  }

  Order order_;
  Dependencies all_;
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
