#include "core/support/kept_files.h"

#define XXH_INLINE_ALL
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/support/file.h"

namespace rx {

namespace {

/// A file: magic, bytes of the key, bytes of the content (8 bytes each), the key, the content, XXH3-128 of all before.
constexpr std::string_view kMagic = "rxkern1\n";
constexpr size_t kHeader = 8 + 2 * sizeof(uint64_t);
constexpr size_t kSum = 16;
constexpr uint64_t kMaxFile = uint64_t{1} << 28;

std::string sumOf(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  return std::string(reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest);
}

std::string word(uint64_t value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); }

/// Ours alone: a regular file or folder of this user that nobody else may write.
bool isOurs(const std::string& path, mode_t kind) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return false;
  return (info.st_mode & S_IFMT) == kind && info.st_uid == ::geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// The folder and those that it lies in; what is made is the user's alone.
void makeFolders(const std::string& folder) {
  for (size_t end = folder.find('/', 1);; end = folder.find('/', end + 1)) {
    ::mkdir(folder.substr(0, end).c_str(), end == std::string::npos ? 0700 : 0755);
    if (end == std::string::npos) return;
  }
}

std::optional<std::string> contentIn(std::string_view bytes, std::string_view key) {
  if (bytes.size() < kHeader + kSum || !bytes.starts_with(kMagic)) return std::nullopt;
  uint64_t keySize = 0, contentSize = 0;
  std::memcpy(&keySize, bytes.data() + kMagic.size(), sizeof keySize);
  std::memcpy(&contentSize, bytes.data() + kMagic.size() + sizeof keySize, sizeof contentSize);
  const uint64_t rest = bytes.size() - kHeader - kSum;
  if (keySize > rest || contentSize != rest - keySize) return std::nullopt;
  if (bytes.substr(kHeader, keySize) != key) return std::nullopt;
  if (sumOf(bytes.substr(0, bytes.size() - kSum)) != bytes.substr(bytes.size() - kSum)) return std::nullopt;
  return std::string(bytes.substr(kHeader + keySize, contentSize));
}

bool writeWhole(const std::string& path, std::string_view bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  bool whole = file >= 0;
  while (whole && !bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    whole = written > 0;
    if (whole) bytes.remove_prefix(static_cast<size_t>(written));
  }
  return file >= 0 && ::close(file) == 0 && whole;
}

}  // namespace

std::shared_ptr<const KeptFiles> KeptFiles::open(const std::string& folder, std::string ending, uint64_t maxBytes) {
  if (folder.empty()) return nullptr;
  makeFolders(folder);
  if (!isOurs(folder, S_IFDIR)) return nullptr;
  return std::make_shared<const KeptFiles>(folder, std::move(ending), maxBytes);
}

std::string KeptFiles::pathOf(std::string_view key) const {
  std::string name;
  for (const char c : sumOf(key)) name += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return folder_ + "/" + name + ending_;
}

std::optional<std::string> KeptFiles::find(std::string_view key) const {
  const std::string path = pathOf(key);
  if (!isOurs(path, S_IFREG)) return std::nullopt;
  Result<std::string> bytes = readFile(path, kMaxFile);
  if (!bytes) return std::nullopt;
  return contentIn(*bytes, key);
}

void KeptFiles::keep(std::string_view key, std::string_view bytes) const {
  if (bytes.size() > kMaxFile / 2) return;
  if (!trimmed_.exchange(true)) trim();
  std::string file = fmt::format("{}{}{}{}{}", kMagic, word(key.size()), word(bytes.size()), key, bytes);
  file += sumOf(file);
  // Beside it first, so that nobody reads a part; a thread of another process has another number.
  const std::string path = pathOf(key), beside = fmt::format("{}.{}.new", path, ::gettid());
  ::unlink(beside.c_str());
  if (!writeWhole(beside, file) || std::rename(beside.c_str(), path.c_str()) != 0) ::unlink(beside.c_str());
}

/// Removes the oldest files until half of the limit is free again.
void KeptFiles::trim() const {
  struct Row {
    int64_t seconds, nanoseconds;
    uint64_t bytes;
    std::string path;
  };
  std::vector<Row> rows;
  uint64_t total = 0;
  DIR* folder = ::opendir(folder_.c_str());
  while (const dirent* entry = folder ? ::readdir(folder) : nullptr) {
    struct stat info {};
    std::string path = folder_ + "/" + entry->d_name;
    if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    total += static_cast<uint64_t>(info.st_size);
    rows.push_back({info.st_mtim.tv_sec, info.st_mtim.tv_nsec, static_cast<uint64_t>(info.st_size), std::move(path)});
  }
  if (folder) ::closedir(folder);
  if (total <= maxBytes_) return;
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.seconds != b.seconds ? a.seconds < b.seconds : a.nanoseconds < b.nanoseconds;
  });
  for (const Row& row : rows) {
    if (total <= maxBytes_ / 2) break;
    ::unlink(row.path.c_str());
    total -= row.bytes;
  }
}

}  // namespace rx
