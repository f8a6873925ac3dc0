#include "core/lower/shape_program.h"

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::lower {
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

void addFits(vm::ShapeProgram& program, DataType type) {
  if (type.isBool() || (type.isInt() && type.bits >= 64)) return;
  program.add(vm::ShapeOp::Fits, type.isInt() ? type.bits : -int64_t{type.bits});
}

/// The operand stays; whatever is not zero is true.
void addCast(vm::ShapeProgram& program, DataType type) {
  if (!type.isBool()) return addFits(program, type);
  program.add(vm::ShapeOp::Constant, 0);
  program.add(vm::ShapeOp::NotEqual);
}

/// Whether the number is one of its type: the reader of JSON does not ask.
bool fits(const tir::IntImm& number) {
  const int digits = number.dtype.isInt() ? number.dtype.bits - 1 : number.dtype.bits;
  const bool least = number.dtype.isInt() && digits < 63 && number.value < -(int64_t{1} << digits);
  return !least && (number.dtype.isInt() || number.value >= 0) && (digits >= 63 || number.value >> digits <= 0);
}

/// Logic is that of truth values; on the bits of numbers it is another one in the kernel.
bool isLogic(const Node& node) {
  const auto* both = as<tir::BinaryNode>(&node);
  const bool joins = both && (node.kind() == Kind::tir_And || node.kind() == Kind::tir_Or);
  const auto* negation = as<tir::Not>(&node);
  return !(joins && !(both->a->dtype.isBool() && both->b->dtype.isBool())) &&
         !(negation && !negation->a->dtype.isBool());
}

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
    if (isa<relax::Op>(&node)) return;  // belongs to its call
    const auto* cast = as<tir::Cast>(&node);
    if (cast && cast->dtype.isIntegral()) return addCast(program, cast->dtype);
    const auto* row =
        std::find_if(std::begin(kOps), std::end(kOps), [&](const OpRow& r) { return r.kind == node.kind(); });
    if (const auto* number = as<tir::IntImm>(&node)) {
      program.add(vm::ShapeOp::Constant, number->value);
      known = known && fits(*number);
    } else if (!isLogic(node)) {
      known = false;
    } else if (const auto* var = as<tir::Var>(&node)) {
      const auto index = indexOf(*var);
      program.add(index ? vm::ShapeOp::Symbol : vm::ShapeOp::Unknown, static_cast<int64_t>(index.value_or(0)));
    } else if (row != std::end(kOps)) {
      program.add(row->op);
      // What wraps in the kernel is no size: it would be another one there.
      addFits(program, static_cast<const tir::ExprNode&>(node).dtype);
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

}  // namespace rx::lower
