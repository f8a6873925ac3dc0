// What content is known by: a hash of each chunk, so that a part can be checked without reading the rest.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rx {

inline constexpr uint64_t kHashedChunk = uint64_t{16} << 20;

/// XXH3 of one chunk, which is `bytes`.
uint64_t chunkHash(std::string_view bytes);
/// Of each chunk of a content; none of one without bytes.
std::vector<uint64_t> chunkHashes(std::string_view bytes);

}  // namespace rx
