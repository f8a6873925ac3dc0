#include "core/debug/mapped_origin.h"

#include <sys/stat.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>

namespace rx::debug {
namespace {

/// A line of /proc/self/maps: "begin-end flags offset device inode   path".
struct Mapping {
  uint64_t begin = 0, end = 0, offset = 0, inode = 0;
  std::string path;
};

std::optional<Mapping> mappingFrom(const std::string& line) {
  Mapping found;
  int path = 0;
  if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64 " %n", &found.begin, &found.end,
                  &found.offset, &found.inode, &path) != 4)
    return {};
  found.path = line.substr(static_cast<size_t>(path));
  return found;
}

}  // namespace

std::optional<store::FileReference> fileOf(std::span<const std::byte> bytes) {
  const auto from = reinterpret_cast<uint64_t>(bytes.data());
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::optional<Mapping> mapping = mappingFrom(line);
    if (!mapping || from < mapping->begin || from >= mapping->end) continue;
    struct stat file {};
    // A file that was written anew under the name is another one.
    if (!mapping->path.starts_with('/') || bytes.size() > mapping->end - from ||
        stat(mapping->path.c_str(), &file) != 0 || file.st_ino != mapping->inode)
      return {};
    auto reference = store::FileReference::to(mapping->path, mapping->offset + (from - mapping->begin), bytes.size());
    return reference ? std::optional(std::move(*reference)) : std::nullopt;
  }
  return {};
}

}  // namespace rx::debug
