// KeptFiles: what a user keeps between processes, files of one folder, each known by a key and checked when it is read.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rx {

/// Needs nothing but the C library. A folder that can not be written to is as good as none. Thread-safe.
class KeptFiles {
 public:
  /// Makes the folder. Null where it has no name, can not be made, or is not this user's alone. The oldest files go
  /// when they have more bytes than that in all.
  static std::shared_ptr<const KeptFiles> open(const std::string& folder, std::string ending, uint64_t maxBytes);
  KeptFiles(std::string folder, std::string ending, uint64_t maxBytes)
      : folder_(std::move(folder)), ending_(std::move(ending)), maxBytes_(maxBytes) {}

  /// Nothing where there is none, a damaged one, or one of another user.
  std::optional<std::string> find(std::string_view key) const;
  void keep(std::string_view key, std::string_view bytes) const;

 private:
  std::string pathOf(std::string_view key) const;
  void trim() const;

  std::string folder_, ending_;
  uint64_t maxBytes_;
  mutable std::atomic<bool> trimmed_ = false;
};

}  // namespace rx
