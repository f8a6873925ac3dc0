// ShapeProgram: an expression over the symbols of a kernel as steps in postfix order, for the sizes that its parameters
// declare. Code generation makes it from the IR; nothing else is left of the IR when a kernel is called.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/support/bytes.h"

namespace rx::vm {

enum class ShapeOp : uint8_t {
  Constant,
  Symbol,
  Unknown,  ///< what no expression of sizes holds
  Add,
  Sub,
  Mul,
  FloorDiv,
  Div,
  FloorMod,
  Mod,
  Min,
  Max,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Not,
  Select,
  Fits,  ///< the value, where it is one of so many bits; of so many without a sign where the number is negative
};

class ShapeProgram {
 public:
  struct Step {
    ShapeOp op = ShapeOp::Unknown;
    int64_t operand = 0;  ///< the number, or the index of the symbol
    static void parts(auto& io, auto& self) { io(self.op, self.operand); }
  };

  ShapeProgram() = default;
  static ShapeProgram constant(int64_t value);
  void add(ShapeOp op, int64_t operand = 0) { steps_.push_back({op, operand}); }
  /// The index of the symbol that the whole expression is.
  std::optional<size_t> symbol() const;

  /// Nothing when the result overflows or divides by zero, or the expression holds what is not known.
  std::optional<int64_t> value(std::span<const int64_t> symbols) const {
    if (steps_.size() == 1 && steps_[0].op == ShapeOp::Constant) return steps_[0].operand;
    return computed(symbols);
  }

  static void parts(auto& io, auto& self) { io(self.steps_); }
  /// Whether the steps, which may come from anywhere, fit together and name no symbol beyond `symbols`.
  bool fits(size_t symbols) const;

 private:
  std::optional<int64_t> computed(std::span<const int64_t> symbols) const;
  std::vector<Step> steps_;
};

}  // namespace rx::vm
