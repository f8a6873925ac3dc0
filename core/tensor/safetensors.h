// The safetensors format: a length, a JSON table of names, types, shapes and byte ranges, then the data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/npy.h"

namespace rx {

/// Tensors in the order of their data. The file is mapped, not read: tensors refer to it, can not be written, and keep
/// it mapped. Fails with safetensors.header (no such file, a bad table, a name twice, a type without a tensor type) or
/// safetensors.size (ranges outside the file, overlapping, with gaps or a rest that no tensor takes, or of another size
/// than the shape).
Result<std::vector<NamedTensor>> readSafetensors(const std::string& path);
/// The same from memory that `owner` keeps alive.
Result<std::vector<NamedTensor>> parseSafetensors(std::string_view bytes, std::shared_ptr<const void> owner);

/// Data is written without gaps, larger elements first, and begins at a multiple of 64 bytes. Fails with
/// safetensors.name for an empty or repeated name, safetensors.type for an element type that the format has no name
/// for.
Result<Unit> writeSafetensors(const std::string& path, const std::vector<NamedTensor>& tensors);

}  // namespace rx
