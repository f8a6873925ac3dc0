#include "core/lower/buffer_layout.h"

#include "core/arith/fold.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Whether a group of axes begins at this one.
bool separates(const Buffer& buffer, size_t axis) {
  for (const PrimExpr& separator : buffer.axisSeparators) {
    if (asInt(separator) == static_cast<int64_t>(axis)) return true;
  }
  return false;
}

}  // namespace

std::vector<PrimExpr> elementOffsets(const Buffer& buffer, std::span<const PrimExpr> indices) {
  std::vector<PrimExpr> offsets{nullptr};
  for (size_t i = 0; i < indices.size(); ++i) {
    if (separates(buffer, i)) offsets.push_back(nullptr);
    PrimExpr& offset = offsets.back();
    const bool compact = buffer.strides.empty();
    const PrimExpr own = compact ? indices[i] : arith::mul(indices[i], buffer.strides[i]);
    if (!offset) {
      offset = own;
    } else {
      offset = arith::add(compact ? arith::mul(offset, buffer.shape[i]) : offset, own);
    }
  }
  for (PrimExpr& offset : offsets) {
    if (!offset) offset = intImm(0, DataType::Int(32));
  }
  if (buffer.elemOffset && !arith::isZero(buffer.elemOffset)) {
    offsets.back() = arith::add(offsets.back(), buffer.elemOffset);
  }
  arith::Analyzer analyzer;
  for (PrimExpr& offset : offsets) offset = analyzer.simplify(offset);
  return offsets;
}

PrimExpr elementOffset(const Buffer& buffer, std::span<const PrimExpr> indices) {
  return elementOffsets(buffer, indices).back();
}

std::vector<PrimExpr> flatShape(const Buffer& buffer) {
  std::vector<PrimExpr> sizes{intImm(1, DataType::Int(32))};
  for (size_t i = 0; i < buffer.shape.size(); ++i) {
    const bool begins = separates(buffer, i);
    if (begins) sizes.push_back(intImm(1, DataType::Int(32)));
    if (buffer.strides.empty()) {
      sizes.back() = arith::mul(sizes.back(), buffer.shape[i]);
    } else if (i == 0 || begins) {
      sizes.back() = arith::mul(buffer.strides[i], buffer.shape[i]);
    }
  }
  return sizes;
}

}  // namespace rx::lower
