// The part of the zip format that .npz uses: stored and deflated entries, zip64 sizes, no encryption.
// Layout: PKWARE APPNOTE.TXT 4.3 and 4.5.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace rx {

struct ZipEntry {
  std::string name;
  std::string bytes;
};

/// Every entry with its content, checksums verified. Each declared length is checked against the archive before
/// memory is taken.
Result<std::vector<ZipEntry>> readZip(std::string_view archive);
Result<std::string> zipBytes(const std::vector<ZipEntry>& entries, bool compress);

}  // namespace rx
