// References: bytes that stay in the file they came from, such as weights. The recording has the file's name and stamp.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "core/support/coding.h"
#include "core/support/file.h"

namespace rx::store {

/// A range of another file, as it was at a time.
struct FileReference {
  std::string path;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t fileBytes = 0;  ///< length of the whole file
  int64_t modified = 0;    ///< nanoseconds since 1970

  /// With the stamp of the file as it is now; fails with `store.reference` where it has no such range.
  static Result<FileReference> to(const std::string& path, uint64_t offset, uint64_t bytes);
};

void encodeReference(ByteOut& out, const FileReference& reference);
/// False where the bytes are none.
bool decodeReference(ByteIn& in, FileReference& reference);

/// The files that a run refers to, each mapped when it is first read. For one thread.
class ReferenceFiles {
 public:
  /// Fails with `store.reference` where the file is gone or has changed.
  Result<std::span<const std::byte>> read(const FileReference& reference);

 private:
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
};

}  // namespace rx::store
