#include "core/relay/kinds.h"

#include <fmt/format.h>

#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/ir/relay.h"
#include "core/support/nearest.h"

namespace rx::relay {

namespace {

class KindCheck {
 public:
  explicit KindCheck(const ir::IRModule& module) : module_(module) {}

  std::vector<Diagnostic> run() {
    for (size_t i = 0; module_.types && i < module_.types->size(); ++i) {
      const auto* data = as<TypeData>(module_.types->values[i]);
      for (size_t c = 0; data && c < data->constructors.size(); ++c) {
        for (const Type& input : data->constructors[c]->inputs) check(input, data->constructors[c]->span);
      }
    }
    for (const ir::BaseFunc& function : module_.functions) {
      if (!isa<Function>(function)) continue;
      walkOnce(*function, Into::Parts, [&](const Node& node) {
        if (const auto* var = as<Var>(&node)) check(var->typeAnnotation, var->span);
        if (const auto* inner = as<Function>(&node)) check(inner->retType, inner->span);
        return !isa<TypeNode>(&node);
      });
    }
    return std::move(findings_);
  }

 private:
  void check(const Type& type, Span place) {
    if (!type || isa<TensorType>(type) || !met_.insert(type.get()).second) return;
    walk(*type, Into::All, [&](const Node& node) {
      if (const auto* call = as<TypeCall>(&node)) checkCall(*call, place);
      return true;
    });
  }

  void checkCall(const TypeCall& call, Span place) {
    const auto* name = as<GlobalTypeVar>(call.func);
    if (!name) return report(place, "relay.kind", "only types that the module defines take arguments");
    const auto* data = as<TypeData>(ir::attrOf(module_.types, name->name.view()));
    if (!data) {
      Nearest nearest(name->name.view());
      for (size_t i = 0; module_.types && i < module_.types->size(); ++i) nearest.offer(module_.types->keys[i].view());
      report(place, "relay.unknown-type", fmt::format("the module does not define the type {}", name->name.view()));
      findings_.back().fix = nearest.fix();
    } else if (data->typeVars.size() != call.args.size()) {
      report(place, "relay.kind",
             fmt::format("the type {} takes {} type{}, not {}", name->name.view(), data->typeVars.size(),
                         data->typeVars.size() == 1 ? "" : "s", call.args.size()));
    }
  }

  void report(Span place, const char* rule, std::string message) {
    findings_.push_back(errorAt(place, rule, std::move(message)));
  }

  const ir::IRModule& module_;
  std::unordered_set<const Node*> met_;
  std::vector<Diagnostic> findings_;
};

}  // namespace

std::vector<Diagnostic> kindErrors(const ir::IRModule& module) { return KindCheck(module).run(); }

}  // namespace rx::relay
