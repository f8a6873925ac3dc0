// What PTX has words for beyond plain code: copies that threads do not wait for, and products of tiles by a warp.
#pragma once

#include <optional>
#include <string_view>

#include "core/codegen/ptx_emitter.h"

namespace rx::codegen {

/// What the intrinsic does, in PTX's own words; nothing for others. Null after a refusal, as where the architecture has
/// none of it.
std::optional<llvm::Value*> tensorCall(PtxEmitter& emitter, std::string_view name, const tir::Call& call);

}  // namespace rx::codegen
