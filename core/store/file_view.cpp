#include "core/store/file_view.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/support/chunk_hash.h"

namespace rx::store {
namespace {

/// Addresses for a file that may grow; less where the process may not have that many.
constexpr uint64_t kMostAddresses = uint64_t{1} << 42;

Failure systemFailure(const std::string& path, const char* what) {
  return fail("store.file", fmt::format("{}: {}: {}", escapedForDisplay(path), what, std::strerror(errno)));
}

}  // namespace

Result<std::unique_ptr<FileView>> FileView::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return systemFailure(path, "can not be opened");
  std::unique_ptr<FileView> view(new FileView(path, file));
  struct stat info = {};
  if (::fstat(file, &info) != 0) return systemFailure(path, "can not be read");
  if (!S_ISREG(info.st_mode)) return fail("store.file", escapedForDisplay(path) + ": is not a regular file");
  view->size_ = static_cast<uint64_t>(info.st_size);
  // A file without a writer does not grow.
  uint64_t capacity = view->hasWriter() ? std::max(kMostAddresses, view->size_) : std::max<uint64_t>(view->size_, 1);
  for (; capacity >= std::max<uint64_t>(view->size_, 1); capacity /= 4) {
    void* base = ::mmap(nullptr, capacity, PROT_READ, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (base == MAP_FAILED) continue;
    view->base_ = static_cast<const std::byte*>(base);
    view->capacity_ = capacity;
    return view;
  }
  return systemFailure(path, "can not be mapped");
}

FileView::~FileView() {
  if (base_) ::munmap(const_cast<std::byte*>(base_), capacity_);
  ::close(file_);
}

uint64_t FileView::sizeNow() const {
  struct stat info = {};
  return ::fstat(file_, &info) == 0 ? std::min(static_cast<uint64_t>(info.st_size), capacity_) : 0;
}

const std::byte* FileView::at(uint64_t offset, uint64_t bytes) const {
  const auto inside = [&] { return offset <= size_ && bytes <= size_ - offset; };
  if (!inside()) size_ = sizeNow();
  return inside() && isWhole(offset, bytes) ? base_ + offset : nullptr;
}

bool FileView::isWhole(uint64_t offset, uint64_t bytes) const {
  for (uint64_t chunk = offset / kHashedChunk; chunk < hashes_.size() && chunk * kHashedChunk < offset + bytes;
       ++chunk) {
    if (checked_[chunk] == 0) {
      const uint64_t from = chunk * kHashedChunk, to = std::min(from + kHashedChunk, sealed_);
      const std::string_view content(reinterpret_cast<const char*>(base_ + from), to - from);
      checked_[chunk] = chunkHash(content) == hashes_[chunk] ? 1 : 2;
    }
    if (checked_[chunk] != 1) return false;
  }
  return true;
}

bool FileView::checkBy(uint64_t seal) {
  const uint64_t chunks = (seal + kHashedChunk - 1) / kHashedChunk;
  size_ = sizeNow();
  if (seal > size_ || size_ - seal != sealBytes(chunks)) return false;
  const auto* record = reinterpret_cast<const char*>(base_ + seal);
  std::vector<uint64_t> words(chunks + 2);
  std::memcpy(words.data(), record, sealBytes(chunks));
  if (words.front() != chunks || words.back() != chunkHash({record, sealBytes(chunks) - sizeof(uint64_t)}))
    return false;
  hashes_.assign(words.begin() + 1, words.end() - 1);
  checked_.assign(chunks, 0);
  sealed_ = seal;
  return true;
}

std::optional<std::string_view> FileView::counted(uint64_t offset) const {
  const auto length = read<uint32_t>(offset);
  const std::byte* bytes = length ? at(offset + sizeof(uint32_t), *length) : nullptr;
  if (!bytes) return {};
  return std::string_view(reinterpret_cast<const char*>(bytes), *length);
}

bool FileView::hasWriter() const {
  if (::flock(file_, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK;
  ::flock(file_, LOCK_UN);
  return false;
}

}  // namespace rx::store
