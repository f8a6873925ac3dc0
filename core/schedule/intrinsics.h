// Intrinsics: what one step of a block may be computed by, described and written as TIR.
#pragma once

#include <span>
#include <string_view>

#include "core/ir/relax.h"
#include "core/support/result.h"

namespace rx::schedule {

/// Both are functions over the same tiles, in the same order. The description holds one nest of loops from 0 around one
/// block that stores one element; the implementation is what stands in its place. Tiles lie in the rows of larger
/// buffers: neither says anything of strides.
struct Intrinsic {
  tir::PrimFuncRef description, implementation;
};

struct IntrinsicRow {
  const char* name;
  const char* help;
  const char* description;  ///< TIR as text
  const char* implementation;
};
/// All of them, sorted by name.
std::span<const IntrinsicRow> intrinsicRows();
/// The intrinsic of that name with variables and buffers of its own; fails with schedule.no-intrinsic.
Result<Intrinsic> intrinsicNamed(std::string_view name);

}  // namespace rx::schedule
