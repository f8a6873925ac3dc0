// What the threads of a warp do together on tensor cores, as statements of one thread that shares memory with the
// others.
#pragma once

#include <functional>
#include <optional>

#include "core/ir/all_nodes.h"

namespace rx::cuda_double {

/// What the statements may use.
struct WarpTools {
  tir::PrimExpr thread;                                                                     ///< its number in the group
  std::function<tir::BufferRef(const char* name, DataType type, int64_t elements)> shared;  ///< of the group
  std::function<tir::Stmt()> wait;                                                          ///< for all of the warp
};

/// T.ptx.mma.legacy of m16n8k16, T.rx_wgmma, T.ptx.ldmatrix_legacy, T.ptx.cp_async, T.ptx_cp_async_bulk, T.rx_copy_tile
/// and what ends and awaits such copies; nothing for any other call.
std::optional<tir::Stmt> asOneThread(const tir::Call& call, const WarpTools& tools);

}  // namespace rx::cuda_double
