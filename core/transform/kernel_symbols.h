// What the symbolic variables of a kernel are where it is called.
#pragma once

#include "core/arith/equal.h"

namespace rx::transform {

/// Learns from the sizes that a kernel declares and the sizes of what it is given.
class KernelSymbols {
 public:
  /// False where the two can not be the same; what can only be known at run time is taken to hold.
  bool match(const tir::PrimExpr& declared, const tir::PrimExpr& actual);
  /// The same of shapes.
  bool match(const Array<tir::PrimExpr>& declared, const Array<tir::PrimExpr>& actual);
  /// By variable of the kernel, in its type: sizes of 32 bits stand beside those of 64.
  const arith::VarMap& values() const { return values_; }

 private:
  bool canHold(const tir::PrimExpr& a, const tir::PrimExpr& b) const;
  arith::VarMap values_;
};

}  // namespace rx::transform
