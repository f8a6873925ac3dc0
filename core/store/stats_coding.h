// Statistics of a tensor as the file keeps them.
#pragma once

#include "core/support/coding.h"
#include "core/tensor/stats.h"

namespace rx::store {

inline void encodeStats(ByteOut& out, const TensorStats& stats) {
  out.signedNumber(stats.count);
  for (double number : {stats.min, stats.max, stats.mean}) out.real(number);
  for (int64_t number : {stats.nanCount, stats.infCount, stats.firstNonFinite}) out.signedNumber(number);
}

inline TensorStats decodeStats(ByteIn& in) {
  TensorStats stats;
  stats.count = in.signedNumber();
  for (double* number : {&stats.min, &stats.max, &stats.mean}) *number = in.real();
  for (int64_t* number : {&stats.nanCount, &stats.infCount, &stats.firstNonFinite}) *number = in.signedNumber();
  return stats;
}

}  // namespace rx::store
