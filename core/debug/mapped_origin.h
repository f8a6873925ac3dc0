// Where memory of this process comes from: the file that it is mapped from, as the system says.
#pragma once

#include <optional>
#include <span>

#include "core/store/reference.h"

namespace rx::debug {

/// The range of a file that these bytes are; nothing where they are no mapping, or that of a file that is gone or that
/// another one has replaced.
std::optional<store::FileReference> fileOf(std::span<const std::byte> bytes);

}  // namespace rx::debug
