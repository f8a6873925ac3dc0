// What the rows of `T.` names hand to the functions that read them.
#pragma once

#include <cstdint>

namespace rx::script {

/// `arg` of a row, by the family of its handler.
enum Rounding : uint32_t { kFloor, kCeil, kRound, kNearbyint, kTrunc };
enum Imm : uint32_t { kIntImm, kFloatImm };
enum BufferScope : uint32_t { kGlobalScope, kLocalScope, kSharedScope };

}  // namespace rx::script
