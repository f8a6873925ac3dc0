#include "core/support/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace rx {
namespace {

/// Closes a descriptor on every way out.
struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

Failure systemFailure(const char* rule, const std::string& path, const char* what) {
  return fail(rule, fmt::format("{}: {}: {}", path, what, std::strerror(errno)));
}

}  // namespace

Result<std::string> readFile(const std::string& path, uint64_t limit) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (file.fd < 0) return systemFailure("file.read", path, "can not be opened");
  struct stat info = {};
  if (::fstat(file.fd, &info) != 0) return systemFailure("file.read", path, "can not be read");
  if (!S_ISREG(info.st_mode)) return fail("file.read", fmt::format("{}: is not a regular file", path));
  const auto size = static_cast<uint64_t>(info.st_size);
  if (size > limit) return fail("file.read", fmt::format("{}: has {} bytes, the limit is {}", path, size, limit));
  std::string bytes(size, '\0');
  size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(file.fd, bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return systemFailure("file.read", path, "can not be read");
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(data_, size_);
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  Descriptor file{::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (file.fd < 0) return systemFailure("file.read", path, "can not be opened");
  struct stat info = {};
  if (::fstat(file.fd, &info) != 0) return systemFailure("file.read", path, "can not be read");
  if (!S_ISREG(info.st_mode)) return fail("file.read", fmt::format("{}: is not a regular file", path));
  std::shared_ptr<MappedFile> mapped(new MappedFile());
  mapped->size_ = static_cast<size_t>(info.st_size);
  if (mapped->size_ == 0) return std::shared_ptr<const MappedFile>(mapped);
  void* data = ::mmap(nullptr, mapped->size_, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (data == MAP_FAILED) return systemFailure("file.read", path, "can not be mapped");
  mapped->data_ = data;
  return std::shared_ptr<const MappedFile>(mapped);
}

}  // namespace rx
