// FileSpace: the file of a writer. It only grows; what is taken from it is mapped, and has room on the disk before a
// pointer into it is handed out, so that a full disk is an answer and never a signal.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "core/store/format.h"
#include "core/store/late_writer.h"
#include "core/store/page_maker.h"
#include "core/support/output_file.h"
#include "core/support/result.h"

namespace rx::store {

class FileSpace {
 public:
  /// Makes a file for this path, beside what is there, and locks it for as long as the writer lives. Fails with
  /// `store.file`.
  static Result<std::unique_ptr<FileSpace>> create(const std::string& path);
  /// Puts the file in its place, from where readers can open it (those of an old one keep that). False as for back().
  bool appear();
  ~FileSpace();
  FileSpace(const FileSpace&) = delete;
  FileSpace& operator=(const FileSpace&) = delete;

  /// Addresses of the file of `bytes` bytes, not on disk yet. Zero where the file is as large as it can be.
  uint64_t take(uint64_t bytes, uint64_t alignment);
  /// Puts a range on the disk; false when there is no room, which ends the recording.
  bool back(uint64_t offset, uint64_t bytes);
  /// Begins to put a range on the disk, which comes after others that were: has() then waits for it. False where that
  /// is not worth it yet, or there is no room that nobody has to make.
  bool backAhead(uint64_t offset, uint64_t bytes);
  bool has(uint64_t offset);
  /// Writes into a range that was taken, past the mapping; false as for back().
  bool write(uint64_t offset, std::span<const std::byte> bytes);
  /// The same for many bytes, which may still be on their way then, and fail later: until settle() or leave() they
  /// stay as they are, and lack in the file where isLate() says so.
  bool writeLate(uint64_t offset, std::span<const std::byte> bytes);
  bool isLate(uint64_t offset) { return late_.writes(offset); }
  /// Waits for what is on its way. False as for back().
  bool settle();
  /// Waits for what is on its way from this memory.
  void leave(const std::byte* from, uint64_t bytes) { late_.leave(from, bytes); }
  /// Tells readers a number when all that was written so far is there.
  void publish(uint64_t& place, uint64_t value) {
    late_.publish(place, value);
    if (late_.failed() != 0) settle();
  }
  std::byte* at(uint64_t offset) const { return base_ + offset; }
  template <class T>
  T& as(uint64_t offset) const {
    return *reinterpret_cast<T*>(base_ + offset);
  }
  /// Of what lies in the mapped file.
  uint64_t offsetOf(const void* mapped) const {
    return static_cast<uint64_t>(static_cast<const std::byte*>(mapped) - base_);
  }
  uint64_t end() const { return end_; }

  /// Makes the file as long as what was taken, so that all of it can be read.
  bool complete();
  /// Gives the blocks of a range, of which `used` bytes are on disk, back; false where the file system can not.
  bool free(uint64_t offset, uint64_t bytes, uint64_t used);
  /// Bytes on disk.
  uint64_t used() const { return total_ - freed_; }
  /// Bytes that may still be put there.
  uint64_t room() const { return diskBudget_ == 0 ? UINT64_MAX : diskBudget_ - std::min(diskBudget_, used()); }
  /// The whole blocks of a range that is zeros, where the file system can give them back.
  void trim(uint64_t from, uint64_t to);
  /// What is worth taking or putting on disk at a time, ahead of its use: an eighth of what is there, between limits.
  /// Near the end of a budget less.
  uint64_t stride() const;
  /// Bytes that were ever put on disk.
  uint64_t total() const { return total_; }
  /// Bytes that may be on disk, 0 for no limit: before they are passed, `makeRoom` is called for as long as it frees
  /// some, and then the recording ends.
  void limitDisk(uint64_t bytes, std::function<bool()> makeRoom);
  /// Bytes of the file that may wait in memory; checked as the file grows.
  void limitMemory(uint64_t bytes) { memoryBudget_ = bytes; }
  /// The recording ends here; the first reason counts.
  void stop(std::string reason);
  /// Why nothing can be written any more, empty while it can.
  const std::string& stopped() const { return stopped_; }
  /// Cuts off what was taken and not used.
  void close();

 private:
  explicit FileSpace(OutputFile output)
      : output_(std::move(output)), file_(output_.descriptor()), late_(file_), maker_(file_, late_) {}
  void grown(uint64_t bytes);
  bool fits(uint64_t bytes);

  OutputFile output_;
  int file_;  ///< of output_
  LateWriter late_;
  PageMaker maker_;
  std::byte* base_ = nullptr;
  uint64_t capacity_ = 0;
  uint64_t end_ = 0;      ///< addresses that are taken
  uint64_t written_ = 0;  ///< the last byte on disk
  uint64_t total_ = 0, freed_ = 0;
  uint64_t asked_ = 0;    ///< of that by back()
  uint64_t waiting_ = 0;  ///< bytes since the kernel was last told to write
  uint64_t memoryBudget_ = uint64_t{1} << 30;
  uint64_t diskBudget_ = 0;
  std::function<bool()> makeRoom_;
  std::string stopped_;
};

/// A stretch of the file that is filled from its start, and put on disk a window at a time, the next one ahead of its
/// use.
class FilledRange {
 public:
  FilledRange() = default;
  FilledRange(uint64_t begin, uint64_t bytes) : begin_(begin), end_(begin + bytes), backed_(begin), ahead_(begin) {}
  uint64_t end() const { return end_; }
  /// Up to where it is on disk.
  uint64_t backed() const { return backed_; }
  /// Up to where it is or will be.
  uint64_t ahead() const { return ahead_; }
  /// Whether everything before `upTo` is on disk, after putting it there.
  bool reach(FileSpace& space, uint64_t upTo) { return upTo <= backed_ || extend(space, upTo); }

 private:
  bool extend(FileSpace& space, uint64_t upTo);
  uint64_t begin_ = 0, end_ = 0, backed_ = 0, ahead_ = 0;
};

}  // namespace rx::store
