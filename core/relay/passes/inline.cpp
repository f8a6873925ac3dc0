#include <map>
#include <unordered_set>

#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// The functions of a module, what they call first, and which of them can stand in the place of their calls.
class Inliner {
 public:
  explicit Inliner(const ir::Module& module) : module_(module) {
    for (const auto& [var, function] : module->entries()) {
      if (isa<Function>(function)) functions_.emplace(var->name.view(), refAs<Function>(function));
    }
    std::vector<std::string_view> roots;
    for (const auto& [name, function] : functions_) roots.push_back(name);
    for (const std::string_view root : roots) order(root);
  }

  Result<ir::Module> run(const CancelToken& cancel) {
    for (const std::string_view name : order_) {
      if (cancel.cancelled()) return fail("pass.cancelled", "the pass was cancelled");
      FunctionRef& function = functions_.at(name);
      function = refAs<Function>(rewriteGraph(
          function, nullptr, [&](const NodeRef& before, const NodeRef& now) { return rewritten(before, now); }));
      const bool isLeaf = globalsIn(function).empty();
      if (isLeaf && ir::intAttrOf(function->attrs, "Inline", 0) != 0) inlined_.insert(name);
    }
    std::vector<ir::IRModule::Entry> entries;
    for (auto& [var, function] : module_->entries()) {
      const auto own = functions_.find(var->name.view());
      if (own == functions_.end()) {
        entries.emplace_back(var, function);
      } else if (!inlined_.contains(own->first) || !called_.contains(own->first)) {
        entries.emplace_back(var, own->second);
      }
    }
    return module_->with(std::move(entries));
  }

 private:
  /// Appends a function and all that it reaches, callees first.
  void order(std::string_view root) {
    struct Frame {
      std::string_view name;
      std::vector<std::string_view> callees;
    };
    std::vector<Frame> stack;
    auto enter = [&](std::string_view name) {
      const auto function = functions_.find(name);
      if (function == functions_.end() || !entered_.insert(function->first).second) return;
      stack.push_back({function->first, globalsIn(function->second)});
      called_.insert(stack.back().callees.begin(), stack.back().callees.end());
    };
    enter(root);
    while (!stack.empty()) {
      if (stack.back().callees.empty()) {
        order_.push_back(stack.back().name);
        stack.pop_back();
        continue;
      }
      const std::string_view next = stack.back().callees.back();
      stack.back().callees.pop_back();
      enter(next);
    }
  }

  /// The function that may stand in the place of a name, or null.
  FunctionRef bodyOf(const Expr& callee) const {
    const auto* global = as<relax::GlobalVar>(callee);
    return global && inlined_.contains(global->name.view()) ? functions_.at(global->name.view()) : nullptr;
  }
  NodeRef rewritten(const NodeRef& before, const NodeRef& now) const {
    const auto* call = as<Call>(before);
    const FunctionRef function = call ? bodyOf(call->op) : nullptr;
    if (!function) {
      const FunctionRef literal = bodyOf(refAs<relax::ExprNode>(before));
      return literal ? NodeRef(literal) : now;
    }
    const bool isCompiled = ir::attrOf(function->attrs, "Extern") || isCompiledElsewhere(*function);
    const auto& args = as<Call>(now)->args;
    if (isCompiled || args.size() != function->params.size()) return now;
    std::unordered_map<const Node*, Expr> by;
    for (size_t i = 0; i < args.size(); ++i) by.emplace(function->params[i].get(), args[i]);
    return replaceExprs(function->body, by);
  }
  static bool isCompiledElsewhere(const Function& function) {
    return !ir::strAttrOf(function.attrs, "Compiler").empty();
  }

  const ir::Module& module_;
  std::map<std::string_view, FunctionRef> functions_;
  std::vector<std::string_view> order_;
  std::unordered_set<std::string_view> entered_, called_, inlined_;
};

}  // namespace

Result<ir::Module> inlineGlobals(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return Inliner(module).run(context.cancel);
}

}  // namespace rx::relay
