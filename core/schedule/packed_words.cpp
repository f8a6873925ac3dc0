#include "core/schedule/packed_words.h"

#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr DataType kWord = DataType::Int(32);
constexpr int64_t kWordBits = 32, kUpperHalf = static_cast<int32_t>(0xffff0000);

}  // namespace

DataType narrowType(const PrimExpr& operand) {
  const auto* widened = as<Cast>(operand);
  return widened && isa<BufferLoad>(widened->value) ? widened->value->dtype : DataType();
}

WordMaker::WordMaker(DataType narrow, VarRef sum, int64_t steps, DataType index)
    : bytes_(narrow.bits == 8), sum_(std::move(sum)), perWord_(kWordBits / narrow.bits), steps_(steps), index_(index) {}

/// The bits of a number, at its place in the word.
PrimExpr WordMaker::shifted(const PrimExpr& number, int64_t place) const {
  if (bytes_) {
    const PrimExpr low = arith::cast(kWord, lower::intrinsic(DataType::UInt(8), "reinterpret", {number}));
    return place > 0 ? lower::intrinsic(kWord, "shift_left", {low, bits(8 * place)}) : low;
  }
  // It is the upper half of the same number in float32.
  const PrimExpr wide = lower::intrinsic(kWord, "reinterpret", {arith::cast(DataType::Float(32), number)});
  if (place > 0) return lower::intrinsic(kWord, "bitwise_and", {wide, bits(kUpperHalf)});
  const PrimExpr low = lower::intrinsic(kWord, "shift_right", {wide, bits(16)});
  return lower::intrinsic(kWord, "bitwise_and", {low, bits(0xffff)});
}

PrimExpr WordMaker::word(const PrimExpr& operand, arith::VarMap places, const PrimExpr& at, bool last) const {
  PrimExpr made;
  const int64_t count = last ? steps_ % perWord_ : perWord_;
  const PrimExpr first = arith::mul(at, arith::constantInt(index_, perWord_));
  for (int64_t place = 0; place < count; ++place) {
    places[sum_.get()] = arith::add(first, arith::constantInt(index_, place));
    const PrimExpr number = shifted(arith::substitute(as<Cast>(operand)->value, places), place);
    made = made ? lower::intrinsic(kWord, "bitwise_or", {made, number}) : number;
  }
  return made;
}

}  // namespace rx::schedule
