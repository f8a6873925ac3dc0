// PartitionGraph: each region that is marked for a compiler outside becomes a function of the module for it, called
// where the region was; a region that gives several values gives a tuple.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_set>

#include "core/relay/passes/compiler_regions.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// Without the marks of what stays here, and with ends of the items in the place of the end of a tuple.
FunctionRef plainMarks(const FunctionRef& function) {
  return refAs<Function>(rewriteGraph(function, nullptr, [](const NodeRef&, const NodeRef& now) -> NodeRef {
    const auto call = refAs<Call>(now);
    const bool isEnd = isRegionEnd(call);
    if (!call || (!isEnd && !isRegionBegin(call))) return now;
    if (textAttrOf(*call, "compiler") == "default") return call->args[0];
    const auto* tuple = isEnd ? as<Tuple>(call->args[0]) : nullptr;
    if (!tuple) return now;
    std::vector<Expr> ends;
    for (const Expr& item : tuple->items) ends.push_back(make<Call>(call->op, Array<Expr>{item}, call->attrs));
    return tupleOf(std::move(ends));
  }));
}

/// What marks are put around.
Expr unmarked(Expr expr) {
  while (isRegionBegin(expr) || isRegionEnd(expr)) expr = as<Call>(expr)->args[0];
  return expr;
}

bool isConstant(const Expr& expr) {
  const auto* tuple = as<Tuple>(expr);
  return isa<Constant>(expr) || (tuple && std::all_of(tuple->items.begin(), tuple->items.end(),
                                                      [](const Expr& item) { return isa<Constant>(item); }));
}

/// A node that is used, replaced, by what it is made of itself; null where none is.
Expr cycleIn(const Expr& root, const std::unordered_map<const Node*, Expr>& by) {
  std::unordered_map<const Node*, bool> left;  // met, and whether all that it is made of was
  std::vector<Expr> stack{root}, operands;
  while (!stack.empty()) {
    const Expr expr = stack.back();
    if (!left.emplace(expr.get(), false).second) {
      left[expr.get()] = true;
      stack.pop_back();
      continue;
    }
    operands.clear();
    appendOperands(*expr, operands);
    for (const Expr& operand : operands) {
      const auto hit = by.find(operand.get());
      const Expr& now = hit == by.end() ? operand : hit->second;
      const auto met = left.find(now.get());
      if (met == left.end()) stack.push_back(now);
      if (met != left.end() && !met->second) return operand;
    }
  }
  return nullptr;
}

class Partitioner {
 public:
  Partitioner(const ir::Module& module, const ir::Attrs& given)
      : entries_(module->entries()),
        module_(module),
        prefix_(fmt::format("tvmgen_{}_", ir::strAttrOf(given, "mod_name", "default"))),
        bindsConstants_(ir::boolAttrOf(given, "bind_constants", true)) {
    for (const auto& [name, function] : entries_) taken_.insert(name->name.string());
  }

  Result<ir::Module> run(const CancelToken& cancel) {
    const size_t count = entries_.size();  // functions for compilers are appended
    for (size_t i = 0; i < count; ++i) {
      if (cancel.cancelled()) return fail("pass.cancelled", "the pass was cancelled");
      const auto function = refAs<Function>(entries_[i].second);
      if (!function) continue;
      RX_TRY(made, partitioned(function, entries_[i].first->name.view()));
      entries_[i].second = made;
    }
    return module_->with(std::move(entries_));
  }

 private:
  /// What a region takes and gives.
  struct Part {
    std::unordered_map<const Node*, size_t> numberOf;  ///< of its begin marks
    std::vector<VarRef> params;
    std::vector<Expr> args;
    std::unordered_map<const Node*, Expr> paramOf;  ///< by begin mark, and by what it is put around
    std::vector<Expr> results;
    std::unordered_set<const Node*> isResult;
    std::vector<Expr> ends;
  };

  Result<FunctionRef> partitioned(const FunctionRef& function, std::string_view name) {
    Regions regions(function);
    std::vector<Part> parts(regions.count());
    std::vector<Regions::Id> order;
    for (const Expr& expr : postOrder(function)) {
      const Regions::Id region = regions.of(expr);
      if (isRegionEnd(expr) &&
          (region == Regions::kNone || regions.compiler(region) != textAttrOf(*as<Call>(expr), "compiler"))) {
        return fail(errorAt(expr->span, "relay.partition", "this end of a region has no begin of the same compiler"));
      }
      if (region == Regions::kNone) continue;
      Part& part = parts[static_cast<size_t>(region)];
      if (isRegionBegin(expr)) addParam(part, regions, region, refAs<Call>(expr));
      if (!isRegionEnd(expr)) continue;
      if (part.ends.empty()) order.push_back(region);
      part.ends.push_back(expr);
      const Expr& result = as<Call>(expr)->args[0];
      if (part.isResult.insert(result.get()).second) part.results.push_back(result);
    }
    std::unordered_map<const Node*, Expr> by;
    for (const Regions::Id region : order) {
      addCalls(parts[static_cast<size_t>(region)], fmt::format("{}_{}_{}", regions.compiler(region), name, region),
               regions.compiler(region), by);
    }
    if (by.empty()) return function;
    if (const Expr within = cycleIn(function, by)) {
      return fail(errorAt(within->span, "relay.partition",
                          "a region takes what is made outside of what it gives; MergeCompilerRegions makes no such"));
    }
    return refAs<Function>(replaceExprs(function, by));
  }

  /// A parameter for what a begin mark is put around, one however many marks it has.
  static void addParam(Part& part, const Regions& regions, Regions::Id region, const Ref<Call>& begin) {
    if (part.numberOf.empty()) {
      for (const Expr& each : regions.begins(region)) part.numberOf.emplace(each.get(), part.numberOf.size());
    }
    Expr& param = part.paramOf[unmarked(begin).get()];
    if (!param) {
      part.params.push_back(
          make<Var>(Str(fmt::format("{}_{}_i{}", regions.compiler(region), region, part.numberOf.at(begin.get()))),
                    typeOf(begin)));
      part.args.push_back(begin->args[0]);
      param = part.params.back();
    }
    part.paramOf[begin.get()] = param;
  }

  /// Adds the function of a region, and what stands in the place of its ends.
  void addCalls(Part& part, const std::string& name, std::string_view compiler,
                std::unordered_map<const Node*, Expr>& by) {
    std::vector<VarRef> params;
    std::vector<Expr> args;
    std::unordered_map<const Node*, Expr> constantOf;
    for (size_t i = 0; i < part.args.size(); ++i) {
      if (bindsConstants_ && isConstant(part.args[i])) {
        constantOf[part.params[i].get()] = part.args[i];
      } else {
        params.push_back(part.params[i]);
        args.push_back(part.args[i]);
      }
    }
    const Expr whole = part.results.size() == 1 ? part.results[0] : tupleOf(part.results);
    const Expr inside = refAs<relax::ExprNode>(rewriteGraph(
        whole,
        [&](const NodeRef& node) -> NodeRef {
          const auto param =
              isRegionBegin(refAs<relax::ExprNode>(node)) ? part.paramOf.find(node.get()) : part.paramOf.end();
          if (param == part.paramOf.end()) return nullptr;
          const auto constant = constantOf.find(param->second.get());
          return constant == constantOf.end() ? param->second : constant->second;
        },
        nullptr));
    const std::string symbol = freshName(prefix_ + name);
    const auto global = make<relax::GlobalVar>(Str(symbol));
    const auto attrs = make<ir::DictAttrs>(std::vector<std::pair<Str, NodeRef>>{
        {"global_symbol", ir::strAttr(Str(symbol))},
        {"Primitive", ir::intAttr(1)},
        {"Compiler", ir::strAttr(Str(compiler))},
        {"Inline", ir::intAttr(1)},
    });
    entries_.emplace_back(
        global, make<Function>(Array<VarRef>(std::move(params)), inside, typeOf(whole), Array<Ref<TypeVar>>(), attrs));
    const Expr call = make<Call>(global, Array<Expr>(std::move(args)));
    std::unordered_map<const Node*, Expr> items;
    for (size_t i = 0; i < part.results.size(); ++i)
      items[part.results[i].get()] =
          part.results.size() == 1 ? call : make<TupleGetItem>(call, static_cast<int64_t>(i));
    for (const Expr& end : part.ends) by[end.get()] = items.at(as<Call>(end)->args[0].get());
  }

  std::string freshName(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    std::string fresh = name;
    for (size_t n = 1; !taken_.insert(fresh).second; ++n) fresh = fmt::format("{}_{}", name, n);
    return fresh;
  }

  std::vector<ir::IRModule::Entry> entries_;
  ir::Module module_;
  std::string prefix_;
  bool bindsConstants_;
  std::unordered_set<std::string> taken_;
};

}  // namespace

Result<ir::Module> partitionGraph(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  RX_TRY(plain, onTypedFunctions(module, context, [](const FunctionRef& function) -> Result<FunctionRef> {
           return plainMarks(function);
         }));
  RX_TRY(made, Partitioner(plain, given).run(context.cancel));
  return inferTypes(made, context.cancel);
}

}  // namespace rx::relay
