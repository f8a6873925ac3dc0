#include "core/ir/text_bindings.h"

#include <algorithm>

#include "core/ir/language.h"

namespace rx::ir {

namespace {

/// A sequence that is being numbered; sequences wait on a stack of ours, so nesting costs no native stack.
struct Open {
  const relax::SeqExpr* sequence;
  int parent;
  int branch;
  int number = -1;  ///< once its first binding is reached
  size_t block = 0;
  size_t binding = 0;
  uint32_t blockNumber = 0;  ///< of the current block
};

const relax::ExprNode* valueOf(const relax::BindingNode& binding) {
  if (const auto* plain = as<relax::VarBinding>(&binding)) return plain->value.get();
  if (const auto* cast = as<relax::MatchCast>(&binding)) return cast->value.get();
  return nullptr;
}

/// The sequences inside a value, last first, as a stack wants them.
std::vector<const relax::SeqExpr*> inside(const relax::ExprNode* value) {
  if (const auto* branch = as<relax::If>(value)) return {branch->falseBranch.get(), branch->trueBranch.get()};
  if (const auto* function = as<relax::Function>(value)) return {function->body.get()};
  if (const auto* sequence = as<relax::SeqExpr>(value)) return {sequence};
  return {};
}

TextBinding rowOf(const relax::BindingNode& node, const Str& function, const Open& at, uint32_t inBlock) {
  TextBinding row{&node, valueOf(node), node.var.get(), node.var->name, at.parent, at.branch, at.number, node.span};
  // A pass may say that a binding comes from none: it is not taken for the one that was imported at its place.
  row.sites = node.origin ? node.origin->sites
                          : Array<OriginSite>{{function, at.blockNumber, inBlock, node.var->name, node.span}};
  if (node.origin) row.pass = node.origin->pass;
  return row;
}

TextFunction numbered(const Str& name, const relax::Function& function) {
  TextFunction out;
  for (const relax::VarRef& param : function.params) out.params.push_back({param->name, param.get()});
  out.result = function.body->body.get();
  uint32_t blocks = 0;
  int sequences = 0;
  std::vector<Open> open{{function.body.get(), -1, 0}};
  while (!open.empty()) {
    Open& top = open.back();
    if (top.block == top.sequence->blocks.size()) {
      open.pop_back();
      continue;
    }
    const relax::BlockRef& block = top.sequence->blocks[top.block];
    if (top.binding == 0) top.blockNumber = blocks++;
    if (top.binding == block->bindings.size()) {
      ++top.block;
      top.binding = 0;
      continue;
    }
    const auto inBlock = static_cast<uint32_t>(top.binding++);
    if (top.number < 0) top.number = sequences++;
    const int ordinal = static_cast<int>(out.bindings.size());
    out.bindings.push_back(rowOf(*block->bindings[inBlock], name, top, inBlock));
    const std::vector<const relax::SeqExpr*> sequencesIn = inside(out.bindings.back().value);
    for (size_t i = 0; i < sequencesIn.size(); ++i) {
      open.push_back({sequencesIn[i], ordinal, static_cast<int>(sequencesIn.size() - 1 - i)});
    }
  }
  return out;
}

}  // namespace

void relaxBindings(const IRModule& module, std::vector<TextFunction>* all) {
  for (size_t i = 0; i < module.size(); ++i) {
    if (const auto* function = as<relax::Function>(module.functions[i]))
      (*all)[i] = numbered(module.vars[i]->name, *function);
  }
}

std::vector<TextFunction> textFunctions(const IRModule& module) {
  std::vector<TextFunction> all(module.size());
  std::vector<const Language*> asked;
  for (const BaseFunc& function : module.functions) {
    const Language& language = languageOf(*function);
    if (!language.bindings || std::find(asked.begin(), asked.end(), &language) != asked.end()) continue;
    asked.push_back(&language);
    language.bindings(module, &all);
  }
  return all;
}

}  // namespace rx::ir
