#include "core/export/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "core/support/file.h"
#include "core/support/output_file.h"

namespace rx::exporter {

namespace {

namespace fs = std::filesystem;

constexpr size_t kBlock = size_t{1} << 18;  // bytes that are moved at a time
constexpr size_t kMostMembers = 64;         // of a package there are four, and its manifest

using Reading = std::unique_ptr<archive, decltype(&archive_read_free)>;
using Writing = std::unique_ptr<archive, decltype(&archive_write_free)>;
using Entry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;

/// Where the library's writer puts its bytes, and why that failed.
struct Target {
  OutputFile& file;
  std::vector<Diagnostic> failure;
};

la_ssize_t writeBlock(archive*, void* data, const void* bytes, size_t size) {
  auto& target = *static_cast<Target*>(data);
  const Result<Unit> written = target.file.write({static_cast<const char*>(bytes), size});
  if (written) return static_cast<la_ssize_t>(size);
  target.failure = written.diagnostics();
  return -1;
}

Failure notWritten(archive* out, const Target& target, const std::string& path) {
  if (!target.failure.empty()) return fail(target.failure);
  return fail("file.write", fmt::format("{}: {}", escapedForDisplay(path), archive_error_string(out)));
}

/// One file of the folder behind those that the archive has.
Result<Unit> addFile(archive* out, const Target& target, const std::string& from, const std::string& name,
                     const std::string& path) {
  RX_TRY(file, MappedFile::open(from));
  const Entry entry(archive_entry_new(), archive_entry_free);
  archive_entry_set_pathname(entry.get(), name.c_str());
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file->bytes().size()));
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_mtime(entry.get(), 0, 0);  // no time: the same package is the same bytes
  if (archive_write_header(out, entry.get()) != ARCHIVE_OK) return notWritten(out, target, path);
  for (std::string_view bytes = file->bytes(); !bytes.empty();) {
    const std::string_view block = bytes.substr(0, kBlock);
    if (archive_write_data(out, block.data(), block.size()) != static_cast<la_ssize_t>(block.size()))
      return notWritten(out, target, path);
    bytes.remove_prefix(block.size());
  }
  return Unit{};
}

Failure notRead(archive* in, const std::string& path) {
  const char* why = archive_error_string(in);
  return fail("file.read", fmt::format("{}: {}", escapedForDisplay(path), why ? why : "it is no tar archive"));
}

/// The name of a member, where it is a file of the folder that is not there yet.
Result<std::string> memberName(archive_entry* entry, const std::string& path, const fs::path& folder) {
  const char* given = archive_entry_pathname(entry);
  const std::string name = given ? given : "";
  const auto refused = [&](std::string_view why) {
    return fail("file.set",
                fmt::format("{}: the member \"{}\" {}", escapedForDisplay(path), escapedForDisplay(name), why));
  };
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
    return refused("has no plain name: a package has no folders");
  if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) ||
      archive_entry_sparse_count(entry) > 0)
    return refused("is no plain file");
  std::error_code error;
  if (fs::exists(folder / name, error)) return refused("is there twice");
  return name;
}

Result<Unit> unpackMember(archive* in, const std::string& path, const std::string& to) {
  RX_TRY(out, OutputFile::open(to));
  std::vector<char> block(kBlock);
  while (true) {
    const la_ssize_t got = archive_read_data(in, block.data(), block.size());
    if (got < 0) return notRead(in, path);
    if (got == 0) break;
    RX_CHECK(out.write({block.data(), static_cast<size_t>(got)}));
  }
  return out.commit();
}

}  // namespace

Result<Unit> writeArchive(const std::string& folder, const std::vector<std::string>& names, const std::string& path) {
  RX_TRY(file, OutputFile::open(path));
  Target target{file, {}};
  const Writing out(archive_write_new(), archive_write_free);
  // This form takes the bytes of a name as they are; the others want to know what language the program speaks.
  archive_write_set_format_gnutar(out.get());
  archive_write_set_bytes_in_last_block(out.get(), 1);
  if (archive_write_open(out.get(), &target, nullptr, writeBlock, nullptr) != ARCHIVE_OK)
    return notWritten(out.get(), target, path);
  for (const std::string& name : names)
    RX_CHECK(addFile(out.get(), target, (fs::path(folder) / name).string(), name, path));
  if (archive_write_close(out.get()) != ARCHIVE_OK) return notWritten(out.get(), target, path);
  return file.commit();
}

Result<Unit> unpackArchive(const std::string& path, const std::string& folder) {
  const Reading in(archive_read_new(), archive_read_free);
  archive_read_support_format_tar(in.get());
  if (archive_read_open_filename(in.get(), path.c_str(), kBlock) != ARCHIVE_OK) return notRead(in.get(), path);
  std::error_code error;
  if (!fs::create_directory(folder, error))
    return fail("file.write", fmt::format("{}: {}", folder, error ? error.message() : "is there already"));
  archive_entry* entry = nullptr;
  for (size_t members = 0;; ++members) {
    const int read = archive_read_next_header(in.get(), &entry);
    if (read == ARCHIVE_EOF) break;
    // A warning is about what is no part of a package, or a name that another locale would show otherwise.
    if (read != ARCHIVE_OK && read != ARCHIVE_WARN) return notRead(in.get(), path);
    if (members == kMostMembers)
      return fail("file.set", fmt::format("{}: a package has fewer files", escapedForDisplay(path)));
    RX_TRY(name, memberName(entry, path, folder));
    RX_CHECK(unpackMember(in.get(), path, (fs::path(folder) / name).string()));
  }
  return Unit{};
}

}  // namespace rx::exporter
