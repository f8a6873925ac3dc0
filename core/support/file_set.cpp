#include "core/support/file_set.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <set>
#include <thread>

#include "core/support/chunk_hash.h"
#include "core/support/file.h"
#include "core/support/json_text.h"
#include "core/support/output_file.h"

namespace rx {

namespace {

namespace fs = std::filesystem;
using Json = FileSetWriter::Json;

constexpr const char* kAside = ".rxs-set";
/// A set that is whole, and on its way to its place.
constexpr const char* kReady = ".rxs-ready";
constexpr const char* kMembers = "members";
constexpr const char* kSum = "sum";
constexpr uint64_t kMostIndex = uint64_t{1} << 30;
/// How long a folder is waited for that another reads or writes.
constexpr auto kPatience = std::chrono::seconds(60);

Failure broken(const std::string& folder, const std::string& what) {
  return fail("file.set", fmt::format("{}: {}", escapedForDisplay(folder), what));
}

Failure notWritten(const std::string& path, const std::error_code& error) {
  return fail("file.write", fmt::format("{}: {}", escapedForDisplay(path), error.message()));
}

bool isPlainName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\0", 2)) == name.npos;
}

std::string hexOf(uint64_t hash) { return fmt::format("{:016x}", hash); }

/// What an owner of an index takes over from elsewhere may hold bytes that are no UTF-8.
std::string dumped(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace); }

std::string sumOf(Json index) {
  index.erase(kSum);
  const std::string text = dumped(index);
  return hexOf(chunkHash(text));
}

/// The folder, locked: shared or alone. -1 where others have it for too long, or it is none.
int lockFolder(const std::string& folder, int how) {
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return -1;
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (::flock(opened, how | LOCK_NB) != 0) {
    // A file system without locks is one where writers do not meet.
    if (errno != EWOULDBLOCK && errno != EINTR) return opened;
    if (std::chrono::steady_clock::now() > end) {
      ::close(opened);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return opened;
}

/// Closes a descriptor on every way out.
struct Descriptor {
  explicit Descriptor(int open) : number(open) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  int number;
};

/// The names of the files that an index says to be members; none of one that says nothing.
std::vector<std::string> namesIn(const Json& index) {
  std::vector<std::string> names;
  const auto rows = index.is_object() ? index.find(kMembers) : index.end();
  if (!index.is_object() || rows == index.end() || !rows->is_array()) return names;
  for (const Json& row : *rows) {
    const auto name = row.is_object() ? row.find("file") : row.end();
    if (row.is_object() && name != row.end() && name->is_string() && isPlainName(name->get_ref<const std::string&>()))
      names.push_back(name->get<std::string>());
  }
  return names;
}

Json readIndex(const std::string& path) {
  const Result<std::string> text = readFile(path, kMostIndex);
  return text ? parsedJson<Json>(*text) : Json(Json::value_t::discarded);
}

/// One file from the set that is ready to its place, through a link that stands there, and with the mode of what it
/// replaces.
Result<Unit> moveMember(const fs::path& from, const fs::path& to) {
  struct stat old = {};
  const bool there = ::lstat(to.c_str(), &old) == 0;
  if (there && !S_ISREG(old.st_mode)) {
    RX_TRY(file, MappedFile::open(from));
    RX_CHECK(writeFile(to, file->bytes()));
    ::unlink(from.c_str());
    return Unit{};
  }
  if (there) ::chmod(from.c_str(), old.st_mode & 0777);
  std::error_code error;
  fs::rename(from, to, error);
  return error ? Result<Unit>(notWritten(to, error)) : Result<Unit>(Unit{});
}

/// Puts in its place what is ready, from wherever a writer was stopped. The folder is the caller's alone.
Result<Unit> settle(const fs::path& folder, const std::string& index) {
  const fs::path ready = folder / kReady;
  std::error_code error;
  const Json made = readIndex(ready / index);
  if (made.is_object()) {
    const std::vector<std::string> names = namesIn(made);
    const std::set<std::string> kept(names.begin(), names.end());
    for (const std::string& name : namesIn(readIndex(folder / index)))
      if (!kept.contains(name) && name != index) ::unlink((folder / name).c_str());
    struct stat old = {};
    if (::lstat((folder / index).c_str(), &old) == 0 && S_ISREG(old.st_mode)) {
      ::chmod((ready / index).c_str(), old.st_mode & 0777);
      fs::remove(folder / index, error);
      if (error) return notWritten(folder / index, error);
    }
    for (const std::string& name : names)
      if (fs::exists(ready / name, error)) RX_CHECK(moveMember(ready / name, folder / name));
    RX_CHECK(moveMember(ready / index, folder / index));
  }
  fs::remove_all(ready, error);
  return error ? Result<Unit>(notWritten(ready, error)) : Result<Unit>(Unit{});
}

Result<Json> rowFor(const std::string& path, const std::string& name) {
  RX_TRY(file, MappedFile::open(path));
  Json hashes = Json::array();
  for (const uint64_t hash : chunkHashes(file->bytes())) hashes.push_back(hexOf(hash));
  return Json{{"file", name}, {"bytes", file->bytes().size()}, {"hashes", std::move(hashes)}};
}

}  // namespace

Result<FileSetWriter> FileSetWriter::begin(const std::string& folder, const std::string& index) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return notWritten(folder, error);
  removeLeftovers(folder);
  RX_TRY(aside, TemporaryFolder::make(kAside, folder));
  return FileSetWriter(folder, index, std::move(aside));
}

Result<std::string> FileSetWriter::place(const std::string& name) const {
  if (isPlainName(name) && name != index_) return aside_.file(name);
  return broken(folder_, fmt::format("\"{}\" is no name of a member", escapedForDisplay(name)));
}

Result<Unit> FileSetWriter::commit(Json index) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(aside_.path(), error))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  Json rows = Json::array();
  for (const std::string& name : names) {
    RX_TRY(row, rowFor(aside_.file(name), name));
    rows.push_back(std::move(row));
  }
  index[kMembers] = std::move(rows);
  index[kSum] = sumOf(index);
  RX_CHECK(writeFile(aside_.file(index_), dumped(index) + "\n"));
  const Descriptor lock(lockFolder(folder_, LOCK_EX));
  if (lock.number < 0) return broken(folder_, "another program keeps the folder for itself");
  RX_CHECK(settle(folder_, index_));
  const fs::path ready = fs::path(folder_) / kReady;
  fs::rename(aside_.path(), ready, error);
  if (error) return notWritten(ready, error);
  return settle(folder_, index_);
}

bool FileSet::isThere(const std::string& folder, const std::string& index) {
  std::error_code error;
  return fs::exists(fs::path(folder) / index, error) || fs::exists(fs::path(folder) / kReady / index, error);
}

Result<FileSet> FileSet::open(const std::string& folder, const std::string& index, const std::string& name) {
  int lock = lockFolder(folder, LOCK_SH);
  std::error_code error;
  if (lock >= 0 && fs::exists(fs::path(folder) / kReady, error)) {
    ::close(lock);
    lock = lockFolder(folder, LOCK_EX);
    if (lock < 0) return broken(name, "another program keeps the folder for itself");
    const Result<Unit> settled = settle(folder, index);
    if (!settled) {
      ::close(lock);
      return broken(
          name, "who wrote it was stopped, and it can not be completed here: " + settled.diagnostics().front().message);
    }
    ::flock(lock, LOCK_SH);
  }
  FileSet set(folder, name, lock);
  RX_TRY(text, readFile(set.path(index), kMostIndex));
  set.index_ = parsedJson<Json>(text);
  if (!set.index_.is_object()) return broken(set.path(index), "is no JSON object");
  return set;
}

FileSet::~FileSet() {
  if (lock_ >= 0) ::close(lock_);
}

std::vector<std::string> FileSet::members() const { return namesIn(index_); }

const Json* FileSet::rowOf(const std::string& member) const {
  const auto rows = index_.find(kMembers);
  if (rows == index_.end() || !rows->is_array()) return nullptr;
  for (const Json& row : *rows) {
    const auto name = row.is_object() ? row.find("file") : row.end();
    if (row.is_object() && name != row.end() && *name == member) return &row;
  }
  return nullptr;
}

Result<Unit> FileSet::checkIndex() const {
  const auto sum = index_.find(kSum);
  if (sum == index_.end() || *sum != sumOf(index_)) return broken(name_, "its index is not what was written");
  const std::vector<std::string> names = members();
  if (!index_.at(kMembers).is_array() || names.size() != index_.at(kMembers).size() ||
      std::set<std::string>(names.begin(), names.end()).size() != names.size())
    return broken(name_, "its index names a member twice, or what is no file of the folder");
  return Unit{};
}

Result<Unit> FileSet::check() const {
  RX_CHECK(checkIndex());
  for (const std::string& name : members()) {
    const auto bytes = rowOf(name)->find("bytes");
    struct stat info = {};
    const std::string shown = escapedForDisplay(name);
    if (::stat(path(name).c_str(), &info) != 0 || !S_ISREG(info.st_mode))
      return broken(name_, fmt::format("its member {} is missing", shown));
    if (bytes == rowOf(name)->end() || *bytes != static_cast<uint64_t>(info.st_size))
      return broken(name_,
                    fmt::format("its member {} has {} bytes, which is not what was written", shown, info.st_size));
  }
  return Unit{};
}

Result<Unit> FileSet::checkContent(const std::string& member) const {
  const std::string shown = escapedForDisplay(member);
  const Json* row = rowOf(member);
  if (!row) return broken(name_, fmt::format("{} is no member of it", shown));
  RX_TRY(now, rowFor(path(member), member));
  if (*row == now) return Unit{};
  const auto hashes = row->find("hashes");
  size_t at = 0;
  if (hashes != row->end() && hashes->is_array() && hashes->size() == now["hashes"].size())
    while (at < hashes->size() && (*hashes)[at] == now["hashes"][at]) ++at;
  return broken(name_,
                fmt::format("the content of {} is not what was written, from byte {} on", shown, at * kHashedChunk));
}

}  // namespace rx
