#include "core/store/space.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/support/memory_limit.h"

namespace rx::store {
namespace {

/// Addresses that a file may take; less where the process may not have that many.
constexpr uint64_t kMostAddresses = uint64_t{1} << 42, kLeastAddresses = uint64_t{1} << 28;
/// What is put on disk at a time. What is written there at once finds it in the processor's cache; less at a time costs
/// more calls of the system.
constexpr uint64_t kSmallestWindow = 4 << 10, kUsualWindow = 16 << 10, kLargestWindow = 256 << 10;
/// From so many bytes on, they are written while the program goes on: less is done sooner than another thread is woken.
constexpr uint64_t kLeastLate = 256 << 10;
/// What is put on disk before the next windows are made ahead: a short recording is over sooner.
constexpr uint64_t kLeastAsked = 64 << 10;

Failure systemFailure(const std::string& path, const char* what) {
  return fail("store.file", fmt::format("{}: {}: {}", escapedForDisplay(path), what, std::strerror(errno)));
}

std::string diskProblem(const char* what, int error) {
  return fmt::format("the recording {}: {}", what, std::strerror(error));
}

}  // namespace

Result<std::unique_ptr<FileSpace>> FileSpace::create(const std::string& path) {
  auto output = OutputFile::open(path);
  if (!output) return fail("store.file", output.diagnostics().front().message);
  if (output->isStream())
    return fail("store.file", escapedForDisplay(path) + ": is no regular file, which a recording needs");
  std::unique_ptr<FileSpace> space(new FileSpace(std::move(*output)));
  for (uint64_t capacity = kMostAddresses; capacity >= kLeastAddresses; capacity /= 4) {
    void* base = ::mmap(nullptr, capacity, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, space->file_, 0);
    if (base == MAP_FAILED) continue;
    space->base_ = static_cast<std::byte*>(base);
    space->capacity_ = capacity;
    return space;
  }
  return systemFailure(path, "can not be mapped");
}

FileSpace::~FileSpace() {
  close();
  if (base_) ::munmap(base_, capacity_);
}

bool FileSpace::appear() {
  if (!stopped_.empty()) return false;
  if (const auto done = output_.commitGrowing(); !done) stop(done.diagnostics().front().message);
  return stopped_.empty();
}

uint64_t FileSpace::take(uint64_t bytes, uint64_t alignment) {
  const uint64_t offset = (end_ + alignment - 1) / alignment * alignment;
  if (bytes > capacity_ || offset > capacity_ - bytes) {
    stop("the recording is as large as a file can be");
    return 0;
  }
  end_ = offset + bytes;
  return offset;
}

void FileSpace::limitDisk(uint64_t bytes, std::function<bool()> makeRoom) {
  diskBudget_ = bytes;
  makeRoom_ = std::move(makeRoom);
}

bool FileSpace::fits(uint64_t bytes) {
  while (stopped_.empty() && diskBudget_ != 0 && used() + bytes > diskBudget_)
    if (!makeRoom_ || !makeRoom_())
      stop(fmt::format("its budget of {} on disk is used up by what is alive in the program", memoryText(diskBudget_)));
  return stopped_.empty();
}

bool FileSpace::back(uint64_t offset, uint64_t bytes) {
  if (!fits(bytes)) return false;
  const LateWriter::Pause pause(late_);
  if (const int error = makePages(file_, offset, {at(offset), bytes}); error != 0) {
    stop(diskProblem("can not be written", error));
    return false;
  }
  written_ = std::max(written_, offset + bytes);
  asked_ += bytes;
  grown(bytes);
  return true;
}

bool FileSpace::backAhead(uint64_t offset, uint64_t bytes) {
  if (!stopped_.empty() || asked_ < kLeastAsked || bytes > room()) return false;
  if (!maker_.begin(offset, {at(offset), bytes})) return false;
  written_ = std::max(written_, offset + bytes);
  grown(bytes);
  return true;
}

bool FileSpace::has(uint64_t offset) {
  if (const int error = maker_.await(offset); error != 0) stop(diskProblem("can not be written", error));
  return stopped_.empty();
}

bool FileSpace::write(uint64_t offset, std::span<const std::byte> bytes) {
  if (!fits(bytes.size())) return false;
  const LateWriter::Pause pause(late_);
  if (const int error = writeFile(file_, offset, bytes); error != 0) {
    stop(diskProblem("can not be written", error));
    return false;
  }
  written_ = std::max(written_, offset + bytes.size());
  grown(bytes.size());
  return true;
}

bool FileSpace::writeLate(uint64_t offset, std::span<const std::byte> bytes) {
  // No room is asked for here: that would wait for what is being written, as every call that changes the file does.
  const bool late = bytes.size() >= kLeastLate && fits(bytes.size()) && late_.write(offset, bytes);
  if (!late) return write(offset, bytes);
  written_ = std::max(written_, offset + bytes.size());
  grown(bytes.size());
  return true;
}

bool FileSpace::settle() {
  if (const int error = late_.settle(); error != 0) stop(diskProblem("can not be written", error));
  return stopped_.empty();
}

void FileSpace::grown(uint64_t bytes) {
  total_ += bytes;
  waiting_ += bytes;
  if (waiting_ < memoryBudget_ / 4) return;
  waiting_ = 0;
  // What the last round told the kernel to write is on disk by now, mostly, and is let go of; this round follows.
  ::madvise(base_, end_, MADV_DONTNEED);
  ::posix_fadvise(file_, 0, 0, POSIX_FADV_DONTNEED);
  ::sync_file_range(file_, 0, 0, SYNC_FILE_RANGE_WRITE);
}

bool FileSpace::free(uint64_t offset, uint64_t bytes, uint64_t used) {
  maker_.awaitAll();
  if (::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                  static_cast<off_t>(bytes)) != 0)
    return false;
  freed_ += used;
  return true;
}

void FileSpace::trim(uint64_t from, uint64_t to) {
  from = (from + kPieceBytes - 1) / kPieceBytes * kPieceBytes;
  to = to / kPieceBytes * kPieceBytes;
  if (from < to) free(from, to - from, to - from);
}

bool FileSpace::complete() {
  maker_.awaitAll();
  if (!settle()) return false;
  if (::ftruncate(file_, static_cast<off_t>(end_)) != 0) stop(diskProblem("can not be written", errno));
  written_ = end_;
  return stopped_.empty();
}

void FileSpace::stop(std::string reason) {
  if (stopped_.empty()) stopped_ = std::move(reason);
}

void FileSpace::close() {
  maker_.awaitAll();
  settle();
  // A file that stays longer than it needs to be is no harm.
  if (written_ > 0 && ::ftruncate(file_, static_cast<off_t>(std::min(written_, end_))) == 0) written_ = 0;
}

uint64_t FileSpace::stride() const {
  const uint64_t wanted = std::clamp(total_ / 8, kUsualWindow, kLargestWindow);
  return std::clamp(room() / 8, kSmallestWindow, wanted);
}

bool FilledRange::extend(FileSpace& space, uint64_t upTo) {
  if (upTo > end_) return false;
  if (backed_ < ahead_) {
    if (!space.has(backed_)) return false;
    backed_ = ahead_;
  }
  if (backed_ < upTo) {
    const uint64_t to = std::min(std::max(upTo, backed_ + space.stride()), end_);
    if (!space.back(backed_, to - backed_)) return false;
    backed_ = ahead_ = to;
  }
  // As much as is there by now, so that the other thread is asked for few windows and makes little in vain.
  const uint64_t more = std::clamp(backed_ - begin_, space.stride(), kLargestWindow);
  const uint64_t next = std::min(backed_ + more, end_);
  if (backed_ < next && space.backAhead(backed_, next - backed_)) ahead_ = next;
  return true;
}

}  // namespace rx::store
