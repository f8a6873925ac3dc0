#include "core/compile/kernel_store.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "core/compile/build_id.h"
#include "core/script/print.h"
#include "core/support/cache_folder.h"
#include "core/support/file.h"

namespace rx::compile {

namespace {

namespace fs = std::filesystem;

/// An entry: magic, bytes of the key, bytes of the object (8 bytes each), the key, the object, XXH3-128 of all before.
constexpr std::string_view kMagic = "rxkern1\n";
constexpr size_t kHeader = 8 + 2 * sizeof(uint64_t);
constexpr size_t kSum = 16;
constexpr uint64_t kMaxEntry = uint64_t{1} << 28;

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
  if (lstat(path.c_str(), &info) != 0) return false;
  return (info.st_mode & S_IFMT) == kind && info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

class DiskStore final : public codegen::ObjectStore {
 public:
  DiskStore(std::string folder, uint64_t maxBytes) : folder_(std::move(folder)), maxBytes_(maxBytes) {
    maker_ = fmt::format("build {}\nLLVM {}\nprocessor {}\n", buildId(), codegen::compilerVersion(),
                         codegen::processorName());
    for (const std::string& feature : codegen::processorFeatures()) maker_ += feature + ' ';
  }

  Result<codegen::StoredObject> objectFor(const tir::PrimFuncRef& function, const codegen::KernelOptions& options,
                                          const std::function<Result<std::string>()>& make) override {
    const std::string key = keyOf(function, options), path = pathOf(key);
    if (auto kept = find(key, path)) return codegen::StoredObject{std::move(*kept), true};
    RX_TRY(object, make());
    keep(key, path, object);
    return codegen::StoredObject{std::move(object), false};
  }

 private:
  static std::optional<std::string> find(const std::string& key, const std::string& path) {
    if (!isOurs(path, S_IFREG)) return std::nullopt;
    Result<std::string> bytes = readFile(path, kMaxEntry);
    if (!bytes) return std::nullopt;
    return objectIn(*bytes, key);
  }

  void keep(const std::string& key, const std::string& path, std::string_view object) {
    if (object.size() > kMaxEntry / 2) return;
    std::call_once(trimmed_, [this] { trim(); });
    std::string bytes = fmt::format("{}{}{}{}{}", kMagic, word(key.size()), word(object.size()), key, object);
    bytes += sumOf(bytes);
    std::error_code ignored;
    if (!isOurs(path, S_IFREG)) fs::remove(path, ignored);
    // A store that can not be written to is as good as none.
    (void)writeFile(path, bytes);
  }

  std::string keyOf(const tir::PrimFuncRef& function, const codegen::KernelOptions& options) const {
    const codegen::Machine& machine = options.machine;
    return fmt::format("{}\nlevel {} checks {} for {} {} {}\n{}", maker_, options.optLevel, options.checkAccess,
                       machine.triple, machine.processor, machine.features, script::print(function).text);
  }

  std::string pathOf(const std::string& key) const {
    std::string name;
    for (const char c : sumOf(key)) name += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return fmt::format("{}/{}.kernel", folder_, name);
  }

  static std::optional<std::string> objectIn(std::string_view bytes, std::string_view key) {
    if (bytes.size() < kHeader + kSum || !bytes.starts_with(kMagic)) return std::nullopt;
    uint64_t keySize = 0, objectSize = 0;
    std::memcpy(&keySize, bytes.data() + kMagic.size(), sizeof keySize);
    std::memcpy(&objectSize, bytes.data() + kMagic.size() + sizeof keySize, sizeof objectSize);
    const uint64_t rest = bytes.size() - kHeader - kSum;
    if (keySize > rest || objectSize != rest - keySize) return std::nullopt;
    if (bytes.substr(kHeader, keySize) != key) return std::nullopt;
    if (sumOf(bytes.substr(0, bytes.size() - kSum)) != bytes.substr(bytes.size() - kSum)) return std::nullopt;
    return std::string(bytes.substr(kHeader + keySize, objectSize));
  }

  /// Removes the oldest entries until half of the limit is free again.
  void trim() const {
    struct Entry {
      fs::file_time_type time;
      uint64_t bytes;
      fs::path path;
    };
    std::vector<Entry> entries;
    uint64_t total = 0;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
      std::error_code unknown;
      Entry found{entry.last_write_time(unknown), entry.file_size(unknown), entry.path()};
      if (unknown) continue;
      total += found.bytes;
      entries.push_back(std::move(found));
    }
    if (total <= maxBytes_) return;
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
    for (const Entry& entry : entries) {
      if (total <= maxBytes_ / 2) break;
      fs::remove(entry.path, error);
      total -= entry.bytes;
    }
  }

  std::string folder_, maker_;
  uint64_t maxBytes_;
  std::once_flag trimmed_;
};

}  // namespace

std::string kernelStoreFolder() { return cacheFolder("kernels"); }

std::shared_ptr<codegen::ObjectStore> openKernelStore(const std::string& folder, uint64_t maxBytes) {
  if (folder.empty() || buildId().empty()) return nullptr;
  std::error_code error;
  if (fs::create_directories(folder, error)) fs::permissions(folder, fs::perms::owner_all, error);
  if (!isOurs(folder, S_IFDIR)) return nullptr;
  return std::make_shared<DiskStore>(folder, maxBytes);
}

}  // namespace rx::compile
