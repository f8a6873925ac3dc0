// How the outputs of a kernel depend on its inputs, as far as fusion cares. Names and values follow TVM.
#pragma once

#include "core/ir/relax.h"

namespace rx::analysis {

/// Ordered: what comes later can be fused with less.
enum class OpPattern : int64_t {
  ElementWise = 0,      ///< out[i, j] = f(in[i, j])
  Broadcast = 1,        ///< every output axis stands for an input axis, in order
  Injective = 2,        ///< each output reads one place of each input
  Reduction = 3,        ///< a sum, a maximum, ...
  OutEwiseFusable = 4,  ///< matmul, convolution: element-wise operations can follow
  Tuple = 7,
  Opaque = 8,
};

/// By the loads and stores of the kernel's blocks.
OpPattern opPatternOf(const tir::PrimFunc& func);

}  // namespace rx::analysis
