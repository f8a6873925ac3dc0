// Numbers of few bits in words of 32, in the order of a sum: what instructions that add up the products of words take.
#pragma once

#include "core/arith/fold.h"
#include "core/schedule/contraction.h"

namespace rx::schedule {

/// The type of the element that an operand is, made wider; none where it is anything else.
DataType narrowType(const tir::PrimExpr& operand);

/// Makes words of numbers of one type, int8 and uint8 or bfloat16: the first one in the lowest bits.
class WordMaker {
 public:
  /// Of so many steps of a sum; `index`: the type of places.
  WordMaker(DataType narrow, tir::VarRef sum, int64_t steps, DataType index);

  int64_t perWord() const { return perWord_; }
  /// Words that are full; behind them there may be one that is not.
  int64_t whole() const { return steps_ / perWord_; }
  bool isLastPart() const { return steps_ % perWord_ > 0; }
  /// Word `at` of the operand at these places; `last`: it is the one that is not full, and what is no step is zero.
  tir::PrimExpr word(const tir::PrimExpr& operand, arith::VarMap places, const tir::PrimExpr& at, bool last) const;
  static tir::PrimExpr bits(int64_t number) { return arith::constantInt(DataType::Int(32), number); }

 private:
  tir::PrimExpr shifted(const tir::PrimExpr& number, int64_t place) const;

  bool bytes_;
  tir::VarRef sum_;
  int64_t perWord_, steps_;
  DataType index_;
};

}  // namespace rx::schedule
