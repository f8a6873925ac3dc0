// MergeComposite: what a pattern finds becomes a function marked Composite with the pattern's name, called where it
// was, so that a compiler outside takes it as one operator.
#include <fmt/format.h>

#include <unordered_set>

#include "core/analysis/pattern_reader.h"
#include "core/relay/passes/graph_pattern.h"
#include "core/relay/rewrite.h"
#include "core/support/nearest.h"

namespace rx::relay {

namespace {

struct NamedPattern {
  Str name;
  PatternRef root;
  std::vector<PatternRef> constants;  ///< parts that stand for constants, which stay within the function
};

Failure refuse(const Str& name, std::string_view what) {
  return fail("pass.option-value", fmt::format("pattern {}: {}", name.view(), what));
}

constexpr analysis::PatternOperators kOperators = {
    [](std::string_view name) { return findOperator(name) != nullptr; },
    [](std::string_view, Nearest& nearest) {
      for (const OpRow& row : operators()) nearest.offer(row.name);
    },
};

/// A pattern of tvm.relax.dpl on Relay: calls of operators, constants, anything, and choices between them.
Result<NamedPattern> patternOf(const Str& name, std::string_view text) {
  const Result<analysis::DataflowPattern> read = analysis::readPattern(text, kOperators);
  if (!read) {
    Diagnostic problem = read.diagnostics().front();
    problem.message = fmt::format("pattern {}: {}", name.view(), problem.message);
    problem.span = {};  // it is a place in the pattern
    return fail(std::move(problem));
  }
  using analysis::PatternKind;
  NamedPattern out{name, nullptr, {}};
  std::vector<PatternRef> made(read->nodes.size());
  auto partsOf = [&](const analysis::PatternNode& node, size_t first) {
    std::vector<PatternRef> parts;
    for (size_t i = first; i < node.parts.size(); ++i) parts.push_back(made[node.parts[i]]);
    return parts;
  };
  for (size_t i = 0; i < read->nodes.size(); ++i) {  // parts stand before what they are part of
    const analysis::PatternNode& node = read->nodes[i];
    if (node.kind == PatternKind::Wildcard) {
      made[i] = anyExpr();
    } else if (node.kind == PatternKind::Constant) {
      made[i] = anyConstant();
      out.constants.push_back(made[i]);
    } else if (node.kind == PatternKind::Or) {
      made[i] = either(partsOf(node, 0));
    } else if (node.kind == PatternKind::Call) {
      const analysis::PatternNode& called = read->nodes[node.parts[0]];
      if (called.kind != PatternKind::Op) return refuse(name, "what is called has to be is_op(name)");
      made[i] = callOf({findOperator(called.name.view())->name}, partsOf(node, 1));
    } else if (node.kind != PatternKind::Op) {
      return refuse(name, "only is_op(name)(...), wildcard(), is_const() and | are looked for");
    }
  }
  out.root = made[read->root()];
  if (read->sequence.size() == 1 && out.root) return out;
  return refuse(name, "it has to be the pattern of one value");
}

Result<std::vector<NamedPattern>> patternsOf(const ir::Attrs& given) {
  std::vector<NamedPattern> out;
  const NodeRef list = ir::attrOf(given, "patterns");
  const auto* items = as<ir::ArrayAttr>(list);
  for (size_t i = 0; items && i < items->items.size(); ++i) {
    const auto item = refAs<ir::DictAttrs>(items->items[i]);
    const std::string_view name = ir::strAttrOf(item, "name"), text = ir::strAttrOf(item, "pattern");
    if (name.empty() || text.empty()) {
      return fail("pass.option-value", "a pattern is {\"name\": \"dnnl.relu\", \"pattern\": \"is_op(...)(...)\"}");
    }
    RX_TRY(pattern, patternOf(Str(name), text));
    out.push_back(std::move(pattern));
  }
  return out;
}

/// What stands within functions that were made of patterns before.
std::unordered_set<const Node*> insideComposites(const Expr& root) {
  std::unordered_set<const Node*> out;
  for (const Expr& expr : postOrder(root)) {
    const auto* function = as<Function>(expr);
    if (!function || !ir::attrOf(function->attrs, "Composite")) continue;
    for (const Expr& inner : postOrder(function->body)) out.insert(inner.get());
  }
  return out;
}

/// The call of a function of what was found. Its parameters are what the found calls use and the pattern does not hold.
Expr compositeCall(const NamedPattern& pattern, const Expr& root, const PatternMatch& match) {
  std::unordered_set<const Node*> held;
  for (const Node* call : match.calls()) held.insert(call);
  for (const PatternRef& constant : pattern.constants)
    if (const Expr found = match[constant]) held.insert(found.get());
  std::vector<VarRef> params;
  std::vector<Expr> args;
  std::unordered_map<const Node*, Expr> by;
  std::string path;
  for (const Node* node : match.calls()) {
    const auto* call = as<Call>(node);
    path += std::string(as<Op>(call->op)->name.view()) + "_";
    for (const Expr& arg : call->args) {
      if (held.contains(arg.get()) || by.contains(arg.get())) continue;
      params.push_back(make<Var>(Str(fmt::format("FunctionVar_0_{}", params.size())), typeOf(arg)));
      args.push_back(arg);
      by.emplace(arg.get(), params.back());
    }
  }
  const ir::Attrs attrs = ir::withAttr(ir::withAttr(nullptr, "PartitionedFromPattern", ir::strAttr(Str(path))),
                                       "Composite", ir::strAttr(pattern.name));
  const Expr function = make<Function>(Array<VarRef>(std::move(params)), replaceExprs(root, by), typeOf(root),
                                       Array<Ref<TypeVar>>(), attrs);
  return make<Call>(function, Array<Expr>(std::move(args)));
}

}  // namespace

Result<ir::Module> mergeComposite(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  RX_TRY(patterns, patternsOf(given));
  RX_TRY(typed, inferTypes(module, context.cancel));
  ir::Module now = typed;
  for (const NamedPattern& pattern : patterns) {
    RX_TRY(merged, onTypedFunctions(now, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
             const std::unordered_set<const Node*> inside = insideComposites(function);
             return refAs<Function>(rewrittenOnce(function, [&](const Expr& expr) -> PatternRewrite {
               PatternMatch match;
               if (inside.contains(expr.get()) || !match.match(pattern.root, expr) || match.calls().empty()) return {};
               return {compositeCall(pattern, expr, match), match.calls()};
             }));
           }));
    now = merged;
  }
  return now;
}

}  // namespace rx::relay
