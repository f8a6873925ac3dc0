// The part of the zip format that .npz uses: stored and deflated entries, zip64 sizes, no encryption.
// Layout: PKWARE APPNOTE.TXT 4.3 and 4.5.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace rx {

struct ZipEntry {
  std::string name;
  std::string bytes;
};

/// An entry of an archive that is read. A stored one lies in the archive itself; an inflated one is kept by `owner`.
struct ZipPart {
  std::string name;
  uint64_t size = 0;  ///< of the whole entry, as declared
  std::string_view bytes;
  std::shared_ptr<const std::string> owner;
};

/// Every entry with its content, checksums verified. Each declared length is checked against the archive, and all that
/// is inflated against the memory there is, before any is taken. Entries lie one after the other, from the first byte
/// of the archive to its directory. With `most` only the first so many bytes of each entry, not verified where that is
/// not all.
Result<std::vector<ZipPart>> readZip(std::string_view archive, uint64_t most = UINT64_MAX);
Result<std::string> zipBytes(const std::vector<ZipEntry>& entries, bool compress);

}  // namespace rx
