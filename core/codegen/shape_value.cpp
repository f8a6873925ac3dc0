#include "core/codegen/shape_value.h"

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::codegen {
namespace {

using Maybe = std::optional<int64_t>;

Maybe floorDiv(int64_t a, int64_t b) {
  if (b == 0 || (b == -1 && a == INT64_MIN)) return std::nullopt;
  return a / b - ((a % b != 0) && ((a % b < 0) != (b < 0)));
}
template <class Op>
Maybe checked(int64_t a, int64_t b, Op overflows) {
  int64_t result = 0;
  if (overflows(a, b, &result)) return std::nullopt;
  return result;
}

struct BinaryRow {
  Kind kind;
  Maybe (*apply)(int64_t a, int64_t b);
};
constexpr BinaryRow kBinary[] = {
    {Kind::tir_Add,
     [](int64_t a, int64_t b) {
       return checked(a, b, [](int64_t x, int64_t y, int64_t* r) { return __builtin_add_overflow(x, y, r); });
     }},
    {Kind::tir_Sub,
     [](int64_t a, int64_t b) {
       return checked(a, b, [](int64_t x, int64_t y, int64_t* r) { return __builtin_sub_overflow(x, y, r); });
     }},
    {Kind::tir_Mul,
     [](int64_t a, int64_t b) {
       return checked(a, b, [](int64_t x, int64_t y, int64_t* r) { return __builtin_mul_overflow(x, y, r); });
     }},
    {Kind::tir_FloorDiv, floorDiv},
    {Kind::tir_Div,
     [](int64_t a, int64_t b) -> Maybe { return b == 0 || (b == -1 && a == INT64_MIN) ? Maybe() : Maybe(a / b); }},
    {Kind::tir_FloorMod,
     [](int64_t a, int64_t b) -> Maybe {
       const Maybe q = floorDiv(a, b);
       return q ? Maybe(a - *q * b) : Maybe();
     }},
    {Kind::tir_Mod,
     [](int64_t a, int64_t b) -> Maybe { return b == 0 || b == -1 ? (b ? Maybe(0) : Maybe()) : Maybe(a % b); }},
    {Kind::tir_Min, [](int64_t a, int64_t b) -> Maybe { return std::min(a, b); }},
    {Kind::tir_Max, [](int64_t a, int64_t b) -> Maybe { return std::max(a, b); }},
    {Kind::tir_EQ, [](int64_t a, int64_t b) -> Maybe { return a == b; }},
    {Kind::tir_NE, [](int64_t a, int64_t b) -> Maybe { return a != b; }},
    {Kind::tir_LT, [](int64_t a, int64_t b) -> Maybe { return a < b; }},
    {Kind::tir_LE, [](int64_t a, int64_t b) -> Maybe { return a <= b; }},
    {Kind::tir_GT, [](int64_t a, int64_t b) -> Maybe { return a > b; }},
    {Kind::tir_GE, [](int64_t a, int64_t b) -> Maybe { return a >= b; }},
    {Kind::tir_And, [](int64_t a, int64_t b) -> Maybe { return a && b; }},
    {Kind::tir_Or, [](int64_t a, int64_t b) -> Maybe { return a || b; }},
};

}  // namespace

Maybe shapeValue(const tir::PrimExpr& expr, const std::unordered_map<const tir::Var*, int64_t>& values) {
  // Children first; each node takes its operands off the stack.
  std::vector<Maybe> stack;
  walkPostOrder(*expr, Into::Parts, [&](const Node& node) {
    auto pop = [&] {
      const Maybe top = stack.empty() ? Maybe() : stack.back();
      if (!stack.empty()) stack.pop_back();
      return top;
    };
    if (const auto* number = as<tir::IntImm>(&node)) return stack.push_back(number->value);
    if (const auto* var = as<tir::Var>(&node)) {
      const auto found = values.find(var);
      return stack.push_back(found == values.end() ? Maybe() : Maybe(found->second));
    }
    if (isa<tir::BinaryNode>(&node)) {
      const Maybe b = pop();
      const Maybe a = pop();
      for (const BinaryRow& row : kBinary) {
        if (row.kind == node.kind()) return stack.push_back(a && b ? row.apply(*a, *b) : Maybe());
      }
    }
    if (isa<relax::Op>(&node)) return;  // belongs to its call
    const auto* call = as<tir::Call>(&node);
    const auto* op = call ? as<relax::Op>(call->op) : nullptr;
    const bool conditional = op && op->name.view().ends_with("if_then_else") && call->args.size() == 3;
    if (conditional || isa<tir::Select>(&node)) {
      const Maybe f = pop();
      const Maybe t = pop();
      const Maybe c = pop();
      return stack.push_back(c ? (*c ? t : f) : Maybe());
    }
    if (isa<tir::Not>(&node)) {
      const Maybe a = pop();
      return stack.push_back(a ? Maybe(!*a) : Maybe());
    }
    if (isa<tir::Cast>(&node) && static_cast<const tir::Cast&>(node).dtype.isIntegral()) return;  // its operand stays
    stack.assign(1, Maybe());
  });
  return stack.size() == 1 ? stack[0] : Maybe();
}

}  // namespace rx::codegen
