// Which arguments a function of the runtime writes, for who lowers a kernel that calls it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rx::vm {

/// Bit i: argument i may be written. Nothing where the runtime has no function of that name.
std::optional<uint64_t> builtinWrites(std::string_view name);

}  // namespace rx::vm
