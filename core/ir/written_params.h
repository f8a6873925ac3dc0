// What a kernel may write.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/relax.h"

namespace rx::tir {

/// For each parameter, whether the body may write the memory behind it: a store through its buffer or a view of that,
/// or its pointer among the arguments of a call that may write through it. `writes` says which arguments a packed
/// function writes, by bits; nothing of one that it does not know.
using PackedWrites = std::optional<uint64_t> (*)(std::string_view packed);
std::vector<bool> writtenParams(const PrimFunc& function, PackedWrites writes);

}  // namespace rx::tir
