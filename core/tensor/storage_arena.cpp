#include "core/tensor/storage_arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/tensor/large_pages.h"
#include "core/tensor/storage.h"

namespace rx {
namespace {

constexpr size_t kSmallest = StorageArena::kAlignment;
constexpr int kStepBits = 3;  // sizes in eight steps from one power of two to the next

/// The sizes of blocks, and the number of one. Whole cache lines; at most an eighth more than was asked for.
struct SizeClass {
  size_t index;
  size_t bytes;
};
SizeClass sizeClassOf(int64_t wanted) {
  const size_t lines = (static_cast<size_t>(wanted) + kSmallest - 1) / kSmallest;
  if (lines <= 1u << kStepBits) return {lines, std::max<size_t>(lines, 1) * kSmallest};
  const int shift = std::bit_width(lines - 1) - 1 - kStepBits;
  const size_t steps = (lines + (size_t{1} << shift) - 1) >> shift;  // 9 to 16
  return {(static_cast<size_t>(shift) << kStepBits) + steps, (steps << shift) * kSmallest};
}

/// The size of blocks of this class.
size_t bytesOf(size_t sizeClass) {
  constexpr size_t kSteps = size_t{1} << kStepBits, kFirst = kSteps + 1;
  if (sizeClass < kFirst) return std::max<size_t>(sizeClass, 1) * kSmallest;
  return ((sizeClass - kFirst) % kSteps + kFirst) << ((sizeClass - kFirst) / kSteps) << std::bit_width(kSmallest - 1);
}

/// From this size on a block that is kept serves what needs a smaller one, down to a sixteenth of it: memory that the
/// system gives anew costs more than the first touch of what is there.
constexpr size_t kServesSmaller = size_t{1} << 16;
constexpr size_t kClassesAbove = size_t{4} << kStepBits;

/// Stands before a block: the address that the system gave, and the class of the block.
struct Origin {
  void* raw;
  size_t sizeClass;
};
Origin originOf(const std::byte* block) {
  Origin origin = {};
  std::memcpy(&origin, block - sizeof origin, sizeof origin);
  return origin;
}

std::byte* withOrigin(std::byte* block, const Origin& origin) {
  std::memcpy(block - sizeof origin, &origin, sizeof origin);
  return block;
}

constexpr size_t kPage = 4 << 10;
/// From this size on blocks are the system's own, in whole large pages where it has some.
constexpr size_t kLeastMapped = kLargePage / 2;

/// Its origin lies in the page before it.
std::byte* mappedBlock(const SizeClass& size) {
  const size_t pages = inLargePages(size.bytes), wanted = pages + kLargePage + kPage;
  void* const address = ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  const auto begin = std::bit_cast<uintptr_t>(address), end = begin + wanted;
  const uintptr_t at = inLargePages(begin + kPage);
  if (at - kPage > begin) ::munmap(address, at - kPage - begin);
  if (at + pages < end) ::munmap(std::bit_cast<void*>(at + pages), end - at - pages);
  auto* const block = std::bit_cast<std::byte*>(at);
  wantLargePages(block, pages);
  return withOrigin(block, {block - kPage, size.index});
}

/// Zeroed by the system.
std::byte* newBlock(const SizeClass& size) {
  if (size.bytes >= kLeastMapped) return mappedBlock(size);
  auto* raw = static_cast<std::byte*>(std::calloc(1, size.bytes + StorageArena::kAlignment + sizeof(Origin)));
  if (!raw) return nullptr;
  const auto address = std::bit_cast<uintptr_t>(raw) + sizeof(Origin);
  return withOrigin(raw + sizeof(Origin) + (-address & (StorageArena::kAlignment - 1)), {raw, size.index});
}

void freeBlock(std::byte* block) {
  const Origin origin = originOf(block);
  const size_t bytes = bytesOf(origin.sizeClass);
  if (bytes < kLeastMapped) return std::free(origin.raw);
  ::munmap(origin.raw, kPage + inLargePages(bytes));
}

}  // namespace

StorageArena::~StorageArena() {
  for (Free* block : kept_) {
    while (block) {
      Free* next = block->next;
      freeBlock(reinterpret_cast<std::byte*>(block));
      block = next;
    }
  }
}

bool StorageArena::count(int64_t bytes) {
  const int64_t now = live_.fetch_add(bytes) + bytes;
  if (now > limit_) {
    live_.fetch_sub(bytes);
    return false;
  }
  int64_t seen = peak();
  while (now > seen && !peak_.compare_exchange_weak(seen, now)) {
  }
  return true;
}

int64_t StorageArena::kept() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int64_t>(keptBytes_);
}

std::byte* StorageArena::takeKept(size_t sizeClass, size_t bytes) {
  const std::lock_guard lock(mutex_);
  const size_t last = bytes < kServesSmaller ? sizeClass : std::min(sizeClass + kClassesAbove, kClasses - 1);
  size_t found = sizeClass;
  while (found < last && !kept_[found]) ++found;
  Free* block = kept_[found];
  const size_t taken = block ? bytesOf(found) : bytes;
  usedBytes_ += taken;
  mostBytes_ = std::max(mostBytes_, usedBytes_);
  if (!block) return nullptr;
  kept_[found] = block->next;
  keptBytes_ -= taken;
  block->next = nullptr;  // no address of this process in what a program may read
  return reinterpret_cast<std::byte*>(block);
}

Result<std::byte*> StorageArena::take(int64_t bytes) {
  constexpr int64_t kLargest = int64_t{1} << 46;
  if (bytes < 0 || bytes > kLargest) return fail("tensor.memory", fmt::format("can not allocate {} bytes", bytes));
  if (!count(bytes)) {
    return fail("vm.memory-budget",
                fmt::format("{} more bytes pass the memory budget of {} bytes ({} are in use)", bytes, limit_, live()));
  }
  const SizeClass size = sizeClassOf(bytes);
  std::byte* block = takeKept(size.index, size.bytes);
  if (!block) block = newBlock(size);
  if (!block) {
    live_.fetch_sub(bytes);
    const std::lock_guard lock(mutex_);
    usedBytes_ -= size.bytes;
    return fail("tensor.memory", fmt::format("the system has no {} bytes left", bytes));
  }
  if (filled_) std::memset(block, static_cast<int>(Storage::kFreshFill), static_cast<size_t>(bytes));
  return block;
}

void StorageArena::give(std::byte* block, int64_t bytes) {
  const size_t sizeClass = originOf(block).sizeClass, size = bytesOf(sizeClass);
  live_.fetch_sub(bytes);
  const std::lock_guard lock(mutex_);
  usedBytes_ -= size;
  // What is kept and what is in use are together no more than the run once used. Smaller blocks go first: this one
  // serves in their place.
  const auto isOver = [&] { return usedBytes_ + keptBytes_ + size > mostBytes_; };
  for (size_t smaller = sizeClassOf(kServesSmaller).index; smaller < sizeClass && isOver();) {
    Free* unused = kept_[smaller];
    if (!unused) {
      ++smaller;
      continue;
    }
    kept_[smaller] = unused->next;
    keptBytes_ -= bytesOf(smaller);
    freeBlock(reinterpret_cast<std::byte*>(unused));
  }
  if (isOver()) {
    freeBlock(block);
    return;
  }
  keptBytes_ += size;
  kept_[sizeClass] = new (block) Free{kept_[sizeClass]};
}

}  // namespace rx
