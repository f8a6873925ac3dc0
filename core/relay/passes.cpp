#include "core/relay/passes.h"

#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/relay/pass_functions.h"
#include "core/relay/rewrite.h"
#include "core/relay/text.h"

namespace rx::relay {

namespace {

using pass::OptionKind;
using pass::OptionSpec;

constexpr std::span<const OptionSpec> kNone = {};
constexpr OptionSpec kDeadCodeElimination[] = {
    {"inline_once", OptionKind::Bool, "False", "put values that are used once in the place of their variable"},
    {"ignore_impurity", OptionKind::Bool, "False", "remove what has effects too"},
};
constexpr OptionSpec kEliminateCommonSubexpr[] = {
    {"fskip", OptionKind::Any, "None", "name, or list of names, of operators to leave alone"},
};
constexpr OptionSpec kRemoveUnusedFunctions[] = {
    {"entry_functions", OptionKind::TextList, "[\"main\"]", "functions to keep, with all that they reach"},
};

constexpr pass::PassRow kRows[] = {
#define RX_RELAY_PASS(Name, function, options, help) \
  {#Name, help, options, pass::Contract::None, function, pass::Level::Always, "", "relay"},
#include "core/relay/passes.def"
};

}  // namespace

std::span<const pass::PassRow> passRows() { return kRows; }

Result<ir::Module> onFunctions(const ir::Module& module, pass::PassContext& context,
                               const std::function<Result<FunctionRef>(const FunctionRef&)>& rewrite) {
  auto entries = module->entries();
  bool changed = false;
  for (auto& [name, function] : entries) {
    const auto relay = refAs<Function>(function);
    const bool skipped =
        relay && (ir::attrOf(relay->attrs, "Compiler") || ir::intAttrOf(relay->attrs, "SkipOptimization", 0) != 0);
    if (!relay || skipped) continue;
    if (context.cancel.cancelled()) return fail("pass.cancelled", "the pass was cancelled");
    RX_TRY(rewritten, rewrite(relay));
    changed = changed || rewritten != relay;
    function = rewritten;
  }
  return changed ? module->with(std::move(entries)) : module;
}

Result<ir::Module> onTypedFunctions(const ir::Module& module, pass::PassContext& context,
                                    const std::function<Result<FunctionRef>(const FunctionRef&)>& rewrite) {
  RX_TRY(typed, inferTypes(module, context.cancel));
  RX_TRY(rewritten, onFunctions(typed, context, rewrite));
  return inferTypes(rewritten, context.cancel);
}

Result<ir::Module> inferType(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return inferTypes(module, context.cancel);
}

Result<ir::Module> annotateSpans(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return inferTypes(module, context.cancel);
}

Result<ir::Module> capturePostDfsIndexInSpans(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  return inferTypes(module, context.cancel);
}

std::vector<Diagnostic> wellFormed(const ir::Module& module) {
  std::vector<Diagnostic> findings;
  for (size_t i = 0; i < module->size(); ++i) {
    const auto function = refAs<Function>(module->functions[i]);
    if (!function) continue;
    const std::string in = "@" + module->vars[i]->name.string();
    std::unordered_set<const Node*> bound;
    auto bind = [&](const VarRef& var) {
      if (bound.insert(var.get()).second) return;
      findings.push_back(
          errorAt(var->span, "relay.bound-twice", "%" + var->name.string() + " is bound twice in " + in));
    };
    walkOnce(*function, Into::Parts, [&](const Node& node) {
      if (const auto* let = as<Let>(&node)) bind(let->var);
      if (const auto* pattern = as<PatternVar>(&node)) bind(pattern->var);
      const auto* inner = as<Function>(&node);
      for (size_t p = 0; inner && p < inner->params.size(); ++p) bind(inner->params[p]);
      return true;
    });
    if (ir::boolAttrOf(function->attrs, kLoneExpression, false)) continue;
    for (const VarRef& var : freeVariables(function)) {
      findings.push_back(
          errorAt(var->span, "relay.free-variable", "%" + var->name.string() + " is not bound in " + in));
    }
  }
  if (!findings.empty()) return findings;
  const Result<ir::Module> typed = inferTypes(module);
  return typed ? findings : typed.diagnostics();
}

}  // namespace rx::relay
