// Folders that go with an object.
#pragma once

#include <string>
#include <utility>

#include "core/support/result.h"

namespace rx {

/// A new folder, which is removed with all that is in it when the object goes. One whose process was killed goes when
/// the next of its name is made.
class TemporaryFolder {
 public:
  /// Makes a folder for this user alone, its name beginning with `name`, in `inside` (empty: where temporary files
  /// go). Fails with file.write.
  static Result<TemporaryFolder> make(const std::string& name, const std::string& inside = {});
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }
  /// Path of a file in it.
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  TemporaryFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_;  ///< the folder itself, open and locked
};

}  // namespace rx
