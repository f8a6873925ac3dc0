// A set of files: members in a folder that belong together, and an index of them. The index is a JSON object; beside
// what its owner keeps there it names each member with its length and what its content hashes to ("members"), and what
// the index itself hashes to ("sum").
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"
#include "core/support/temporary_folder.h"

namespace rx {

/// Writes a set over whatever is in a folder. The members are written aside; commit() then puts the old index away, the
/// members in their places and the new index last, while it has the folder for itself. Who is killed leaves the old
/// set, or, from one moment on, the new one, which whoever opens or writes the folder next puts in its place. Two
/// writers of a folder leave the set of one of them.
class FileSetWriter {
 public:
  using Json = nlohmann::ordered_json;

  /// `index` is the name of the index. The folder is made when missing. Fails with file.write.
  static Result<FileSetWriter> begin(const std::string& folder, const std::string& index);
  /// Where to write a member of that name, which is a plain name of a file. Fails with file.set for any other.
  Result<std::string> place(const std::string& name) const;
  /// What was written aside so far, and the index, take their places. A member of the old set that the new one does not
  /// have goes. Fails with file.write, and with file.set where the folder can not be had alone.
  Result<Unit> commit(Json index);

 private:
  FileSetWriter(std::string folder, std::string index, TemporaryFolder aside)
      : folder_(std::move(folder)), index_(std::move(index)), aside_(std::move(aside)) {}

  std::string folder_, index_;
  TemporaryFolder aside_;
};

/// Reads a set, and keeps its folder from writers for as long as it lives.
class FileSet {
 public:
  using Json = nlohmann::ordered_json;

  /// Whether the folder has an index of that name, or one that is on its way to its place.
  static bool isThere(const std::string& folder, const std::string& index);
  /// Opens the folder, puts in its place what a killed writer had ready, and reads the index. Fails with file.read
  /// where there is none, and with file.set where it is no JSON object. Messages call the set by `name`: the folder,
  /// but for one that was unpacked from a file.
  static Result<FileSet> open(const std::string& folder, const std::string& index) {
    return open(folder, index, folder);
  }
  static Result<FileSet> open(const std::string& folder, const std::string& index, const std::string& name);
  FileSet(FileSet&& other) noexcept
      : folder_(std::move(other.folder_)),
        name_(std::move(other.name_)),
        index_(std::move(other.index_)),
        lock_(std::exchange(other.lock_, -1)) {}
  FileSet& operator=(FileSet&&) = delete;
  ~FileSet();

  const Json& index() const { return index_; }
  std::string path(const std::string& member) const { return folder_ + "/" + member; }
  /// Whether the index names its members; one of an older program, or made by hand, does not.
  bool isSealed() const { return index_.contains("members"); }
  /// The names of the members.
  std::vector<std::string> members() const;
  /// Whether the index is what was written. Fails with file.set.
  Result<Unit> checkIndex() const;
  /// The same, and whether each member is a file of the length that it had. Fails with file.set.
  Result<Unit> check() const;
  /// Whether the content of a member is what was written, all of it. Fails with file.set.
  Result<Unit> checkContent(const std::string& member) const;

 private:
  FileSet(std::string folder, std::string name, int lock)
      : folder_(std::move(folder)), name_(std::move(name)), lock_(lock) {}
  const Json* rowOf(const std::string& member) const;

  std::string folder_, name_;
  Json index_;
  int lock_;  ///< the folder, open and locked
};

}  // namespace rx
