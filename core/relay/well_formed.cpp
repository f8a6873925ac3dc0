#include "core/relay/well_formed.h"

#include "core/ir/reflect.h"
#include "core/relay/infer.h"
#include "core/relay/rewrite.h"
#include "core/relay/scopes.h"
#include "core/relay/text.h"
#include "core/support/pointer_map.h"

namespace rx::relay {

std::vector<Diagnostic> wellFormed(const ir::Module& module) {
  std::vector<Diagnostic> findings;
  for (size_t i = 0; i < module->size(); ++i) {
    const auto function = refAs<Function>(module->functions[i]);
    if (!function) continue;
    const std::string in = "@" + module->vars[i]->name.string();
    PointerMap<Node, bool> bound;
    auto bind = [&](const VarRef& var) {
      if (!bound.find(var.get())) return bound.set(var.get(), true);
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
    for (const VarRef& var : escapedVariables(function)) {
      findings.push_back(errorAt(var->span, "relay.free-variable",
                                 "%" + var->name.string() + " is used outside of the block that it is bound for"));
    }
  }
  if (!findings.empty()) return findings;
  const Result<Unit> typed = checkTypes(module);
  return typed ? findings : typed.diagnostics();
}

}  // namespace rx::relay
