#include "core/ir/language.h"

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/ir/relay_bindings.h"

namespace rx::ir {

namespace {

/// Nodes of a function that `counted` picks; TIR expressions are not entered.
template <class Counted>
int64_t countNodes(const BaseFuncNode& function, Counted counted) {
  int64_t count = 0;
  walk(function, Into::Parts, [&](const Node& node) {
    count += counted(node) ? 1 : 0;
    return !isa<tir::ExprNode>(&node);
  });
  return count;
}

int64_t bindingsOf(const BaseFuncNode& function) {
  return countNodes(function, [](const Node& node) { return isa<relax::BindingNode>(&node); });
}

int64_t statementsOf(const BaseFuncNode& function) {
  return countNodes(function, [](const Node& node) { return isa<tir::StmtNode>(&node) && !isa<tir::SeqStmt>(&node); });
}

/// What a graph computes: its nodes other than the functions, each once.
int64_t operationsOf(const BaseFuncNode& function) {
  int64_t count = 0;
  walkOnce(function, Into::Parts, [&](const Node& node) {
    count += isGraphNode(node) && !isa<BaseFuncNode>(&node) ? 1 : 0;
    return true;
  });
  return count;
}

constexpr Language kRelax{"relax", "Relax", bindingsOf, "", relaxBindings, nullptr};
constexpr Language kTir{"tir", "TIR", statementsOf, "", nullptr, nullptr};
constexpr Language kRelay{"relay", "Relay", operationsOf, "ToRelax()", relay::bindings, relay::textValue};

}  // namespace

const Language& languageOf(const BaseFuncNode& function) {
  if (isa<relay::Function>(&function)) return kRelay;
  return isa<tir::PrimFunc>(&function) ? kTir : kRelax;
}

const Language& languageNamed(std::string_view name) {
  for (const Language* language : {&kTir, &kRelay}) {
    if (language->name == name) return *language;
  }
  return kRelax;
}

const Language& languageOf(const IRModule& module) {
  if (module.types && module.types->size() > 0) return kRelay;
  for (const BaseFunc& function : module.functions) {
    const Language& language = languageOf(*function);
    if (&language != &kTir) return language;
  }
  return kRelax;
}

}  // namespace rx::ir
