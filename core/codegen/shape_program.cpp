#include "core/codegen/shape_program.h"

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::codegen {
namespace {

struct OpRow {
  Kind kind;
  vm::ShapeOp op;
};
constexpr OpRow kOps[] = {
    {Kind::tir_Add, vm::ShapeOp::Add},         {Kind::tir_Sub, vm::ShapeOp::Sub},
    {Kind::tir_Mul, vm::ShapeOp::Mul},         {Kind::tir_FloorDiv, vm::ShapeOp::FloorDiv},
    {Kind::tir_Div, vm::ShapeOp::Div},         {Kind::tir_FloorMod, vm::ShapeOp::FloorMod},
    {Kind::tir_Mod, vm::ShapeOp::Mod},         {Kind::tir_Min, vm::ShapeOp::Min},
    {Kind::tir_Max, vm::ShapeOp::Max},         {Kind::tir_EQ, vm::ShapeOp::Equal},
    {Kind::tir_NE, vm::ShapeOp::NotEqual},     {Kind::tir_LT, vm::ShapeOp::Less},
    {Kind::tir_LE, vm::ShapeOp::LessEqual},    {Kind::tir_GT, vm::ShapeOp::Greater},
    {Kind::tir_GE, vm::ShapeOp::GreaterEqual}, {Kind::tir_And, vm::ShapeOp::And},
    {Kind::tir_Or, vm::ShapeOp::Or},           {Kind::tir_Not, vm::ShapeOp::Not},
    {Kind::tir_Select, vm::ShapeOp::Select},
};

bool isConditional(const Node& node) {
  const auto* call = as<tir::Call>(&node);
  const auto* op = call ? as<relax::Op>(call->op) : nullptr;
  return op && op->name.view().ends_with("if_then_else") && call->args.size() == 3;
}

}  // namespace

vm::ShapeProgram shapeProgram(const tir::PrimExpr& expr,
                              const std::function<std::optional<size_t>(const tir::Var&)>& indexOf) {
  vm::ShapeProgram program;
  bool known = true;
  walkPostOrder(*expr, Into::Parts, [&](const Node& node) {
    if (isa<relax::Op>(&node)) return;                                                            // belongs to its call
    if (isa<tir::Cast>(&node) && static_cast<const tir::Cast&>(node).dtype.isIntegral()) return;  // its operand stays
    const auto* row =
        std::find_if(std::begin(kOps), std::end(kOps), [&](const OpRow& r) { return r.kind == node.kind(); });
    if (const auto* number = as<tir::IntImm>(&node)) {
      program.add(vm::ShapeOp::Constant, number->value);
    } else if (const auto* var = as<tir::Var>(&node)) {
      const auto index = indexOf(*var);
      program.add(index ? vm::ShapeOp::Symbol : vm::ShapeOp::Unknown, static_cast<int64_t>(index.value_or(0)));
    } else if (row != std::end(kOps)) {
      program.add(row->op);
    } else if (isConditional(node)) {
      program.add(vm::ShapeOp::Select);
    } else {
      known = false;
    }
  });
  if (known) return program;
  vm::ShapeProgram unknown;
  unknown.add(vm::ShapeOp::Unknown);
  return unknown;
}

}  // namespace rx::codegen
