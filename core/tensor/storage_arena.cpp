#include "core/tensor/storage_arena.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

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

/// Zeroed by the system; the address that it gave stands before the block.
std::byte* newBlock(size_t bytes) {
  auto* raw = static_cast<std::byte*>(std::calloc(1, bytes + StorageArena::kAlignment + sizeof(void*)));
  if (!raw) return nullptr;
  const auto address = std::bit_cast<uintptr_t>(raw) + sizeof(void*);
  auto* block = raw + sizeof(void*) + (-address & (StorageArena::kAlignment - 1));
  std::memcpy(block - sizeof(void*), &raw, sizeof raw);
  return block;
}

void freeBlock(std::byte* block) {
  void* raw = nullptr;
  std::memcpy(&raw, block - sizeof(void*), sizeof raw);
  std::free(raw);
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
  usedBytes_ += bytes;
  mostBytes_ = std::max(mostBytes_, usedBytes_);
  Free* block = kept_[sizeClass];
  if (!block) return nullptr;
  kept_[sizeClass] = block->next;
  keptBytes_ -= bytes;
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
  if (!block) block = newBlock(size.bytes);
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
  const SizeClass size = sizeClassOf(bytes);
  live_.fetch_sub(bytes);
  const std::lock_guard lock(mutex_);
  usedBytes_ -= size.bytes;
  // What is kept and what is in use are together no more than the run once used.
  if (usedBytes_ + keptBytes_ + size.bytes > mostBytes_) {
    freeBlock(block);
    return;
  }
  keptBytes_ += size.bytes;
  kept_[size.index] = new (block) Free{kept_[size.index]};
}

}  // namespace rx
