// Whole files: read with a limit, written beside the target and renamed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/support/result.h"

namespace rx {

/// The bytes of a file. Fails (rule file.read) when it is missing, not a regular file, or longer than `limit` bytes.
Result<std::string> readFile(const std::string& path, uint64_t limit = uint64_t{1} << 36);

/// A file mapped into memory, read-only; the mapping lives as long as the object.
class MappedFile {
 public:
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  /// Fails as readFile does.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  MappedFile() = default;
  void* data_ = nullptr;
  size_t size_ = 0;
};

/// Writes `bytes` as OutputFile does: a reader sees the old content or the new, and a device or FIFO is written into.
/// Fails with rule file.write and leaves nothing behind.
Result<Unit> writeFile(const std::string& path, std::string_view bytes);

}  // namespace rx
