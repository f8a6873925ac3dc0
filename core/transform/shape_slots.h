// Slots of the shape heap: one for each distinct symbolic expression that a function needs at run time.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/ir/relax.h"

namespace rx::transform {

/// One slot: where its value comes from and whether it is in the heap at the present point of the lowering.
struct ShapeSlot {
  tir::PrimExpr expr;
  std::vector<size_t> needs;  ///< slots of the variables it is computed from; empty for a variable
  bool isVar = false;
  bool computed = false;
};

class ShapeSlots {
 public:
  /// Collects the expressions of parameters, body and result, in the order in which they occur; constants have none.
  explicit ShapeSlots(const relax::Function& function);

  size_t size() const { return slots_.size(); }
  ShapeSlot& operator[](size_t index) { return slots_[index]; }
  const ShapeSlot& operator[](size_t index) const { return slots_[index]; }
  /// The slot of an expression that was collected.
  size_t indexOf(const tir::PrimExpr& expr) const;
  /// A variable's value is in the heap from now on.
  void store(size_t index);
  /// Slots that are not computed though all their variables are, as TVM orders them: by the variable that completed
  /// them in the order in which variables were stored, then the later slot first.
  std::vector<size_t> takeReady();

  /// Which slots are computed, to return to after a branch.
  std::vector<bool> snapshot() const;
  void restore(const std::vector<bool>& computed);

 private:
  size_t add(const tir::PrimExpr& expr);
  std::vector<ShapeSlot> slots_;
  std::unordered_multimap<size_t, size_t> byHash_;
  std::vector<size_t> stored_;  ///< variables stored since takeReady was called last
};

}  // namespace rx::transform
