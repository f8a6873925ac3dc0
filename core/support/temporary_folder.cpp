#include "core/support/temporary_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace rx {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kUnique = "-XXXXXX";
constexpr int kMostTries = 100;

/// The folder, open and locked for one alone; -1 where it is another's, in use, or not there any more.
int lockFolder(const std::string& path) {
  const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return -1;
  struct stat open = {}, named = {};
  const bool ours = ::fstat(folder, &open) == 0 && open.st_uid == ::geteuid() &&
                    ::flock(folder, LOCK_EX | LOCK_NB) == 0 && ::lstat(path.c_str(), &named) == 0 &&
                    open.st_dev == named.st_dev && open.st_ino == named.st_ino;
  if (ours) return folder;
  ::close(folder);
  return -1;
}

/// Removes the folders of this name whose processes are gone.
void removeDead(const fs::path& parent, const std::string& name) {
  std::error_code error, ignored;
  for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error)) {
    const std::string other = at->path().filename();
    if (other.size() != name.size() + kUnique.size() || !other.starts_with(name + kUnique[0])) continue;
    const int lock = lockFolder(at->path());
    if (lock < 0) continue;
    fs::remove_all(at->path(), ignored);
    ::close(lock);
  }
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::make(const std::string& name, const std::string& inside) {
  std::error_code error;
  const fs::path parent = inside.empty() ? fs::temp_directory_path(error) : fs::path(inside);
  if (!error) removeDead(parent, name);
  std::string path;
  for (int tries = 0; tries < kMostTries && !error; ++tries) {
    path = (parent / (name + std::string(kUnique))).string();
    if (!::mkdtemp(path.data())) break;
    // Another process may have taken it for a dead one before it was locked.
    if (const int lock = lockFolder(path); lock >= 0) return TemporaryFolder(std::move(path), lock);
    errno = EAGAIN;
  }
  return fail("file.write", fmt::format("{}: can not be created: {}", escapedForDisplay(path), std::strerror(errno)));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace rx
