#include "core/support/chunk_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

namespace rx {

uint64_t chunkHash(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::vector<uint64_t> chunkHashes(std::string_view bytes) {
  std::vector<uint64_t> hashes;
  while (!bytes.empty()) {
    const std::string_view chunk = bytes.substr(0, kHashedChunk);
    hashes.push_back(chunkHash(chunk));
    bytes.remove_prefix(chunk.size());
  }
  return hashes;
}

}  // namespace rx
