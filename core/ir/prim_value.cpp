#include "core/ir/prim_value.h"

#include <vector>

namespace rx::relax {

// Lowered programs name small numbers in most of their calls.
Expr primValue(int64_t value) {
  constexpr int64_t kLeast = -1, kShared = 258;
  static const std::vector<Expr> kSmall = [] {
    std::vector<Expr> all;
    for (int64_t i = 0; i < kShared; ++i) all.push_back(make<PrimValue>(tir::intImm(kLeast + i)));
    return all;
  }();
  const bool small = value >= kLeast && value < kLeast + kShared;
  return small ? kSmall[static_cast<size_t>(value - kLeast)] : Expr(make<PrimValue>(tir::intImm(value)));
}

}  // namespace rx::relax
