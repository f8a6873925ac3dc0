#include "core/store/reference.h"

#include <sys/stat.h>

#include <cerrno>

namespace rx::store {
namespace {

bool stampOf(const std::string& path, FileReference& reference) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  reference.fileBytes = static_cast<uint64_t>(info.st_size);
  reference.modified = int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  return true;
}

Failure missing(const std::string& path) {
  return fail("store.reference", fmt::format("{}, which the run refers to, can not be read", escapedForDisplay(path)));
}

}  // namespace

Result<FileReference> FileReference::to(const std::string& path, uint64_t offset, uint64_t bytes) {
  FileReference reference{path, offset, bytes};
  if (!stampOf(path, reference)) return missing(path);
  if (offset > reference.fileBytes || bytes > reference.fileBytes - offset)
    return fail("store.reference", fmt::format("{} has {} bytes, not {} from {} on", escapedForDisplay(path),
                                               reference.fileBytes, bytes, offset));
  return reference;
}

void encodeReference(ByteOut& out, const FileReference& reference) {
  out.text(reference.path);
  out.number(reference.offset);
  out.number(reference.bytes);
  out.number(reference.fileBytes);
  out.signedNumber(reference.modified);
}

bool decodeReference(ByteIn& in, FileReference& reference) {
  reference.path = in.text();
  reference.offset = in.number();
  reference.bytes = in.number();
  reference.fileBytes = in.number();
  reference.modified = in.signedNumber();
  return in.ok() && reference.offset <= reference.fileBytes &&
         reference.bytes <= reference.fileBytes - reference.offset;
}

Result<std::span<const std::byte>> ReferenceFiles::read(const FileReference& reference) {
  FileReference now;
  if (!stampOf(reference.path, now)) return missing(reference.path);
  if (now.fileBytes != reference.fileBytes || now.modified != reference.modified)
    return fail("store.reference",
                fmt::format("{}, which the run refers to, has changed since", escapedForDisplay(reference.path)));
  std::shared_ptr<const MappedFile>& file = files_[reference.path];
  if (!file) {
    auto opened = MappedFile::open(reference.path);
    if (!opened) return missing(reference.path);
    file = *opened;
  }
  const std::string_view bytes = file->bytes();
  if (reference.offset > bytes.size() || reference.bytes > bytes.size() - reference.offset)
    return missing(reference.path);
  return std::as_bytes(std::span(bytes)).subspan(reference.offset, reference.bytes);
}

}  // namespace rx::store
