// What the expressions of Relay say, for those who show them beside those of other languages.
#include "core/ir/reflect.h"
#include "core/ir/relay_bindings.h"

namespace rx::relay {

namespace {

using Form = ir::TextValue::Form;

struct Word {
  Kind kind;
  const char* label;
  Form form;
};
constexpr Word kWords[] = {
    {Kind::relay_Var, "alias", Form::Arranges},
    {Kind::relax_GlobalVar, "alias", Form::Arranges},
    {Kind::relay_Op, "alias", Form::Arranges},
    {Kind::relay_Constructor, "alias", Form::Arranges},
    {Kind::relay_Constant, "constant", Form::Arranges},
    {Kind::relay_Tuple, "tuple", Form::Arranges},
    {Kind::relay_TupleGetItem, "item", Form::Arranges},
    {Kind::relay_Function, "function", Form::Function},
    {Kind::relay_If, "if", Form::Branches},
    {Kind::relay_Match, "match", Form::Branches},
    {Kind::relay_Let, "let", Form::Branches},
    {Kind::relay_RefCreate, "ref", Form::Computes},
    {Kind::relay_RefRead, "ref_read", Form::Computes},
    {Kind::relay_RefWrite, "ref_write", Form::Computes},
};

std::string textOf(const PatternNode& pattern) {
  if (const auto* var = as<PatternVar>(&pattern)) return "%" + var->var->name.string();
  const auto* made = as<PatternConstructor>(&pattern);
  const auto* tuple = as<PatternTuple>(&pattern);
  if (!made && !tuple) return "_";
  std::string parts;
  // Deeper ones are left out: what a branch is for is seen from the outside of its pattern.
  for (const Pattern& part : made ? made->patterns : tuple->patterns) {
    const auto* inner = as<PatternConstructor>(part);
    const std::string text = inner                     ? inner->constructor->name.string()
                             : isa<PatternTuple>(part) ? "(…)"
                                                       : textOf(*part);
    parts += (parts.empty() ? "" : ", ") + text;
  }
  if (tuple) return "(" + parts + ")";
  return made->constructor->name.string() + (parts.empty() ? "" : "(" + parts + ")");
}

/// What a block gives.
const relax::ExprNode* resultOf(const Expr& block) {
  const relax::ExprNode* rest = block.get();
  while (const auto* let = as<Let>(rest)) rest = let->body.get();
  return rest;
}

void describeCall(const Call& call, ir::TextValue* out) {
  if (const auto* op = as<Op>(call.op)) {
    out->label = out->op = op->name.string();
    return;
  }
  if (const auto* made = as<Constructor>(call.op)) out->label = made->name.string();
  if (const auto* var = as<Var>(call.op)) out->label = "%" + var->name.string();
  out->callee = as<relax::GlobalVar>(call.op);
  if (out->callee) out->label = out->callee->name.string();
  if (out->label.empty()) out->label = "call";
}

void describeMatch(const Match& match, ir::TextValue* out) {
  for (const Ref<Clause>& clause : match.clauses) {
    out->branches.push_back(textOf(*clause->pattern));
    out->yields.push_back(resultOf(clause->value));
    walk(*clause->pattern, Into::Parts, [&](const Node& node) {
      if (const auto* var = as<PatternVar>(&node)) out->defines.push_back(var->var.get());
      return isa<PatternNode>(&node);
    });
  }
}

}  // namespace

ir::TextValue textValue(const relax::ExprNode& expr) {
  ir::TextValue out;
  for (const Word& word : kWords) {
    if (word.kind != expr.kind()) continue;
    out.label = word.label;
    out.form = word.form;
  }
  const Expr whole(&expr);
  for (const Expr& operand : boundBefore(whole)) {
    if (!isa<Op>(operand) && !isa<Constructor>(operand)) out.operands.push_back(operand.get());
  }
  if (isa<Var>(&expr) || isa<Constant>(&expr) || isa<relax::GlobalVar>(&expr)) out.operands.push_back(&expr);
  if (const auto* call = as<Call>(&expr)) describeCall(*call, &out);
  if (const auto* item = as<TupleGetItem>(&expr)) out.item = item->index;
  if (const auto* branch = as<If>(&expr)) {
    out.branches = {"true", "false"};
    out.yields = {resultOf(branch->trueBranch), resultOf(branch->falseBranch)};
  }
  if (const auto* match = as<Match>(&expr)) describeMatch(*match, &out);
  if (const auto* function = as<Function>(&expr))
    for (const VarRef& param : function->params) out.defines.push_back(param.get());
  if (isa<Let>(&expr)) out.yields = {resultOf(whole)};
  return out;
}

}  // namespace rx::relay
