#include "core/support/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>

#include "core/support/file.h"

namespace rx {

namespace {

namespace fs = std::filesystem;

/// What the name of a file that is not whole yet ends with, and a number behind it.
constexpr std::string_view kBeside = ".rxs-new";
/// Writers of one target at a time.
constexpr int kMostWriters = 1000;
/// Of a target's name, so that the other name is none that is too long.
constexpr size_t kMostName = 200;
constexpr int kMostLinks = 40;

Failure systemFailure(const std::string& path, const char* what) {
  return fail("file.write", fmt::format("{}: {}: {}", escapedForDisplay(path), what, std::strerror(errno)));
}

/// The descriptor of this process that a link as /dev/stdout or /dev/fd/3 stands for; -1 for any other.
int ownDescriptor(const std::string& link) {
  std::error_code error;
  const fs::path path(link), folder = fs::canonical(path.parent_path().empty() ? "." : path.parent_path(), error);
  const std::string name = path.filename();
  const bool digits = !name.empty() && name.size() < 7 && name.find_first_not_of("0123456789") == std::string::npos;
  return !error && digits && folder == fmt::format("/proc/{}/fd", ::getpid()) ? std::stoi(name) : -1;
}

/// What stands at a path that is written to.
struct Place {
  std::string path;  ///< behind links
  bool there = false;
  int descriptor = -1;  ///< of this process, which the path stands for
  struct stat info = {};
};

Result<Place> placeOf(const std::string& path) {
  Place place{path};
  for (int links = 0; links < kMostLinks; ++links) {
    if (::lstat(place.path.c_str(), &place.info) != 0) {
      if (errno == ENOENT) return place;
      return systemFailure(path, "can not be written");
    }
    place.there = true;
    if (!S_ISLNK(place.info.st_mode)) return place;
    place.descriptor = ownDescriptor(place.path);
    if (place.descriptor >= 0) return place;
    std::error_code error;
    const fs::path behind = fs::read_symlink(place.path, error);
    if (error) return systemFailure(path, "can not be followed");
    place.path = (fs::path(place.path).parent_path() / behind).string();
    place.there = false;
  }
  return fail("file.write", fmt::format("{}: has too many links behind each other", escapedForDisplay(path)));
}

bool isTheFileAt(int descriptor, const std::string& path) {
  struct stat open = {}, named = {};
  return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

/// Removes what a killed writer left under this name; false where its writer lives, or it is nobody's leftover.
bool removeDead(const std::string& beside) {
  const int file = ::open(beside.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return errno == ENOENT;
  struct stat info = {};
  const bool ours = ::fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == ::geteuid();
  const bool dead = ours && ::flock(file, LOCK_EX | LOCK_NB) == 0 && isTheFileAt(file, beside);
  const bool removed = dead && ::unlink(beside.c_str()) == 0;
  ::close(file);
  return removed;
}

/// A new file under this name, locked; -1 where it is taken (EEXIST), or with what the system says.
int createLocked(const std::string& beside) {
  const int file = ::open(beside.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return -1;
  // Somebody who looks for leftovers may have locked and removed it in between.
  const bool locked = ::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  if (locked && isTheFileAt(file, beside)) return file;
  ::close(file);
  errno = EEXIST;
  return -1;
}

std::string besideName(const std::string& target, int number) {
  const fs::path path(target);
  return (path.parent_path() / fmt::format(".{}{}{}", path.filename().string().substr(0, kMostName), kBeside, number))
      .string();
}

bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

Result<OutputFile> OutputFile::open(const std::string& path, std::chrono::seconds patience) {
  RX_TRY(place, placeOf(path));
  if (place.descriptor >= 0) {
    const int again = ::fcntl(place.descriptor, F_DUPFD_CLOEXEC, 3);
    if (again < 0) return systemFailure(path, "can not be written");
    return OutputFile(path, {}, again);
  }
  if (place.there && S_ISDIR(place.info.st_mode))
    return fail("file.write", fmt::format("{}: is a folder", escapedForDisplay(path)));
  if (place.there && !S_ISREG(place.info.st_mode)) return openStream(place.path, patience);
  if (fs::path(place.path).filename().empty())
    return fail("file.write", fmt::format("\"{}\" is no name of a file", escapedForDisplay(path)));
  if (place.there && ::faccessat(AT_FDCWD, place.path.c_str(), W_OK, AT_EACCESS) != 0)
    return systemFailure(path, "can not be written");
  RX_TRY(file, openBeside(place.path));
  if (!place.there) return file;
  // Where the owner can not be kept, the file is the writer's; then the mode goes without what it meant for another.
  const bool kept = ::fchown(file.descriptor(), place.info.st_uid, place.info.st_gid) == 0;
  ::fchmod(file.descriptor(), place.info.st_mode & (kept ? 07777 : 0777));
  return file;
}

Result<OutputFile> OutputFile::openStream(const std::string& path, std::chrono::seconds patience) {
  using namespace std::chrono_literals;
  int file = -1;
  // A FIFO without a reader is no reason to wait forever.
  for (auto waited = 0ms; waited <= patience; waited += 20ms) {
    file = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file >= 0 || errno != ENXIO) break;
    std::this_thread::sleep_for(20ms);
  }
  if (file < 0 && errno == ENXIO)
    return fail("file.write", fmt::format("{}: nobody reads from it", escapedForDisplay(path)));
  if (file < 0) return systemFailure(path, "can not be written");
  ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) & ~O_NONBLOCK);
  return OutputFile(path, {}, file);
}

Result<OutputFile> OutputFile::openBeside(const std::string& target) {
  for (int number = 0; number < kMostWriters; ++number) {
    const std::string beside = besideName(target, number);
    int file = createLocked(beside);
    bool taken = file < 0 && errno == EEXIST;
    if (taken && removeDead(beside)) {
      file = createLocked(beside);
      taken = file < 0 && errno == EEXIST;
    }
    if (taken) continue;
    if (file < 0) return systemFailure(target, "can not be created");
    // Others that were killed beside the one whose name is taken over.
    for (int next = number + 1; next < kMostWriters && ::access(besideName(target, next).c_str(), F_OK) == 0; ++next)
      removeDead(besideName(target, next));
    return OutputFile(target, beside, file);
  }
  return fail("file.write", fmt::format("{}: too many are writing it", escapedForDisplay(target)));
}

OutputFile::~OutputFile() {
  if (!beside_.empty()) ::unlink(beside_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<Unit> OutputFile::write(std::string_view bytes) {
  if (!writeAll(descriptor_, bytes)) return systemFailure(target_, "can not be written");
  return Unit{};
}

Result<Unit> OutputFile::commit() {
  if (isStream()) return Unit{};
  // A file system over the network says at a close what it could not store.
  const int again = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (again >= 0 && ::close(again) != 0) return systemFailure(target_, "can not be written");
  if (std::rename(beside_.c_str(), target_.c_str()) != 0) return systemFailure(target_, "can not be replaced");
  beside_.clear();
  return Unit{};
}

Result<Unit> OutputFile::commitGrowing() {
  // Before a file replaces another, the system begins to store it, and then the first write into each page that is
  // mapped costs once more what it did. Where two names are exchanged it does not.
  std::error_code none;
  const bool exchanged = !isStream() && fs::is_regular_file(target_, none) &&
                         ::renameat2(AT_FDCWD, beside_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0;
  if (!exchanged) return commit();
  // The old file, which goes with the next writer where it can not be removed now.
  ::unlink(std::exchange(beside_, {}).c_str());
  return Unit{};
}

Result<Unit> writeFile(const std::string& path, std::string_view bytes) {
  RX_TRY(file, OutputFile::open(path));
  RX_CHECK(file.write(bytes));
  return file.commit();
}

void removeLeftovers(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    const size_t mark = name.rfind(kBeside);
    if (!name.starts_with('.') || mark == std::string::npos || mark + kBeside.size() == name.size()) continue;
    if (name.find_first_not_of("0123456789", mark + kBeside.size()) != std::string::npos) continue;
    removeDead(at->path().string());
  }
}

}  // namespace rx
