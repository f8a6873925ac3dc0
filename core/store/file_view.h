// FileView: a recording as a reader has it mapped, also while it is being written. Nothing outside of the file is
// touched, whatever offsets the file names.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/store/format.h"
#include "core/support/result.h"

namespace rx::store {

class FileView {
 public:
  /// Fails with `store.file` where there is no regular file of that name, or not enough addresses for it.
  static Result<std::unique_ptr<FileView>> open(const std::string& path);
  ~FileView();
  FileView(const FileView&) = delete;
  FileView& operator=(const FileView&) = delete;

  /// The bytes of a range, null where the file does not have it. They stay mapped for the life of the view.
  const std::byte* at(uint64_t offset, uint64_t bytes) const;
  /// A row at an offset, as it is now; nothing where the file does not have it.
  template <class T>
  std::optional<T> read(uint64_t offset) const {
    const std::byte* from = at(offset, sizeof(T));
    if (!from) return {};
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
  }
  /// A field that its writer may be changing.
  template <class T>
  std::optional<T> load(uint64_t offset) const {
    const std::byte* from = offset % alignof(T) == 0 ? at(offset, sizeof(T)) : nullptr;
    if (!from) return {};
    return loadAcquire(*reinterpret_cast<const T*>(from));
  }
  /// From here on each chunk of a complete file is compared with its hash when it is first asked for; what differs is
  /// as good as not there. False where the file does not end with such a record at this offset.
  bool checkBy(uint64_t seal);
  /// The bytes of a counted record.
  std::optional<std::string_view> counted(uint64_t offset) const;
  /// Whether the process that writes the file is still at it.
  bool hasWriter() const;

 private:
  FileView(std::string path, int file) : path_(std::move(path)), file_(file) {}
  uint64_t sizeNow() const;
  bool isWhole(uint64_t offset, uint64_t bytes) const;

  std::string path_;
  int file_;
  const std::byte* base_ = nullptr;
  uint64_t capacity_ = 0;
  mutable uint64_t size_ = 0;             ///< of the file, when last looked at
  std::vector<uint64_t> hashes_;          ///< of each chunk, where the file is sealed
  uint64_t sealed_ = 0;                   ///< bytes that they are of
  mutable std::vector<uint8_t> checked_;  ///< of each chunk: 0 not yet, 1 as it was written, 2 not
};

}  // namespace rx::store
