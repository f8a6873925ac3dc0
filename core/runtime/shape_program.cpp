#include "core/runtime/shape_program.h"

#include <algorithm>

namespace rx::vm {
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
  ShapeOp op;
  Maybe (*apply)(int64_t a, int64_t b);
};
constexpr BinaryRow kBinary[] = {
    {ShapeOp::Add,
     [](int64_t a, int64_t b) {
       return checked(a, b, [](int64_t x, int64_t y, int64_t* r) { return __builtin_add_overflow(x, y, r); });
     }},
    {ShapeOp::Sub,
     [](int64_t a, int64_t b) {
       return checked(a, b, [](int64_t x, int64_t y, int64_t* r) { return __builtin_sub_overflow(x, y, r); });
     }},
    {ShapeOp::Mul,
     [](int64_t a, int64_t b) {
       return checked(a, b, [](int64_t x, int64_t y, int64_t* r) { return __builtin_mul_overflow(x, y, r); });
     }},
    {ShapeOp::FloorDiv, floorDiv},
    {ShapeOp::Div,
     [](int64_t a, int64_t b) -> Maybe { return b == 0 || (b == -1 && a == INT64_MIN) ? Maybe() : Maybe(a / b); }},
    {ShapeOp::FloorMod,
     [](int64_t a, int64_t b) -> Maybe {
       const Maybe q = floorDiv(a, b);
       return q ? Maybe(a - *q * b) : Maybe();
     }},
    {ShapeOp::Mod,
     [](int64_t a, int64_t b) -> Maybe { return b == 0 || b == -1 ? (b ? Maybe(0) : Maybe()) : Maybe(a % b); }},
    {ShapeOp::Min, [](int64_t a, int64_t b) -> Maybe { return std::min(a, b); }},
    {ShapeOp::Max, [](int64_t a, int64_t b) -> Maybe { return std::max(a, b); }},
    {ShapeOp::Equal, [](int64_t a, int64_t b) -> Maybe { return a == b; }},
    {ShapeOp::NotEqual, [](int64_t a, int64_t b) -> Maybe { return a != b; }},
    {ShapeOp::Less, [](int64_t a, int64_t b) -> Maybe { return a < b; }},
    {ShapeOp::LessEqual, [](int64_t a, int64_t b) -> Maybe { return a <= b; }},
    {ShapeOp::Greater, [](int64_t a, int64_t b) -> Maybe { return a > b; }},
    {ShapeOp::GreaterEqual, [](int64_t a, int64_t b) -> Maybe { return a >= b; }},
    {ShapeOp::And, [](int64_t a, int64_t b) -> Maybe { return a && b; }},
    {ShapeOp::Or, [](int64_t a, int64_t b) -> Maybe { return a || b; }},
};

const BinaryRow* binary(ShapeOp op) {
  const auto* row =
      std::find_if(std::begin(kBinary), std::end(kBinary), [&](const BinaryRow& r) { return r.op == op; });
  return row == std::end(kBinary) ? nullptr : row;
}

size_t operandsOf(ShapeOp op) {
  if (op == ShapeOp::Select) return 3;
  if (op == ShapeOp::Not || op == ShapeOp::Fits) return 1;
  return binary(op) ? 2 : 0;
}

Maybe fitting(int64_t value, int64_t bits) {
  const int64_t digits = std::clamp<int64_t>(bits < 0 ? -bits : bits - 1, 0, 63);
  const int64_t most = digits == 63 ? INT64_MAX : (int64_t{1} << digits) - 1;
  return value <= most && value >= (bits < 0 ? 0 : -most - 1) ? Maybe(value) : Maybe();
}

}  // namespace

ShapeProgram ShapeProgram::constant(int64_t value) {
  ShapeProgram program;
  program.add(ShapeOp::Constant, value);
  return program;
}

std::optional<size_t> ShapeProgram::symbol() const {
  if (steps_.size() != 1 || steps_[0].op != ShapeOp::Symbol) return std::nullopt;
  return static_cast<size_t>(steps_[0].operand);
}

Maybe ShapeProgram::computed(std::span<const int64_t> symbols) const {
  if (const auto index = symbol()) return symbols[*index];
  // Each step takes its operands off the stack.
  std::vector<Maybe> stack;
  auto pop = [&] {
    const Maybe top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const Step& step : steps_) {
    if (const BinaryRow* row = binary(step.op)) {
      const Maybe b = pop();
      const Maybe a = pop();
      stack.push_back(a && b ? row->apply(*a, *b) : Maybe());
    } else if (step.op == ShapeOp::Select) {
      const Maybe otherwise = pop();
      const Maybe then = pop();
      const Maybe condition = pop();
      stack.push_back(condition ? (*condition ? then : otherwise) : Maybe());
    } else if (step.op == ShapeOp::Not) {
      const Maybe a = pop();
      stack.push_back(a ? Maybe(!*a) : Maybe());
    } else if (step.op == ShapeOp::Fits) {
      const Maybe a = pop();
      stack.push_back(a ? fitting(*a, step.operand) : Maybe());
    } else if (step.op == ShapeOp::Symbol) {
      stack.push_back(symbols[static_cast<size_t>(step.operand)]);
    } else {
      stack.push_back(step.op == ShapeOp::Constant ? Maybe(step.operand) : Maybe());
    }
  }
  return stack.back();
}

bool ShapeProgram::fits(size_t symbols) const {
  size_t depth = 0;
  for (const Step& step : steps_) {
    const size_t needs = operandsOf(step.op);
    if (step.op > ShapeOp::Fits || needs > depth) return false;
    if (step.op == ShapeOp::Symbol && (step.operand < 0 || static_cast<size_t>(step.operand) >= symbols)) return false;
    depth = depth - needs + 1;
  }
  return depth == 1;
}

}  // namespace rx::vm
