#include "core/tensor/storage.h"

#include <cstdlib>
#include <cstring>

#include "core/tensor/large_pages.h"

namespace rx {

namespace {

/// Memory for `std::free` of so many bytes, a multiple of the alignment, with nothing in particular in it.
void* newMemory(size_t bytes) {
  if (bytes < kLargePage) return std::aligned_alloc(Storage::kAlignment, bytes);
  // Not std::aligned_alloc, which wants a size that is a multiple of the alignment.
  void* memory = nullptr;
  if (posix_memalign(&memory, kLargePage, bytes) != 0) return nullptr;
  wantLargePages(memory, bytes);
  return memory;
}

Result<Ref<Storage>> unfilled(int64_t bytes) {
  constexpr int64_t kLimit = int64_t{1} << 46;
  if (bytes < 0 || bytes > kLimit) {
    return fail("tensor.memory", fmt::format("can not allocate {} bytes", bytes));
  }
  void* memory =
      newMemory((static_cast<size_t>(bytes) + Storage::kAlignment) / Storage::kAlignment * Storage::kAlignment);
  if (!memory) return fail("tensor.memory", fmt::format("the system has no {} bytes left", bytes));
  return make<Storage>(static_cast<std::byte*>(memory), bytes, nullptr, true);
}

}  // namespace

Result<Ref<Storage>> Storage::allocate(int64_t bytes, std::byte fill) {
  RX_TRY(storage, unfilled(bytes));
  std::memset(storage->data_, static_cast<int>(fill), static_cast<size_t>(bytes));
  storage->fresh_ = fill == kFreshFill;
  return storage;
}

Result<Ref<Storage>> Storage::allocate(int64_t bytes, std::shared_ptr<StorageArena> arena) {
  RX_TRY(block, arena->take(bytes));
  return make<Storage>(block, bytes, std::move(arena));
}

Result<Ref<Storage>> Storage::allocate(int64_t bytes, std::shared_ptr<DeviceArena> arena) {
  RX_TRY(address, arena->take(bytes));
  return make<Storage>(address, bytes, std::move(arena));
}

Ref<Storage> Storage::external(const std::byte* data, int64_t bytes, std::shared_ptr<const void> owner) {
  return make<Storage>(const_cast<std::byte*>(data), bytes, std::move(owner), false);
}

Result<Ref<Storage>> Storage::copyOf(std::span<const std::byte> source, std::shared_ptr<const void> owner) {
  RX_TRY(block, unfilled(static_cast<int64_t>(source.size())));
  if (!source.empty()) std::memcpy(block->mutableData(), source.data(), source.size());
  const std::byte* data = block->data();
  using Kept = std::pair<Ref<Storage>, std::shared_ptr<const void>>;
  auto kept = std::make_shared<const Kept>(std::move(block), std::move(owner));
  auto copy = external(data, static_cast<int64_t>(source.size()), std::move(kept));
  copy->source_ = source.data();
  return copy;
}

Storage::~Storage() {
  if (device_) {
    device_->give(handle(), bytes_);
  } else if (arena_) {
    arena_->give(data_, bytes_);
  } else if (!owner_ && writable_) {
    std::free(data_);
  }
}

Result<Unit> Storage::makeWritable(std::shared_ptr<StorageArena> arena) const {
  if (writable_) return Unit();
  RX_TRY(block, arena->take(bytes_));
  if (bytes_ > 0) std::memcpy(block, data_, static_cast<size_t>(bytes_));
  data_ = block;
  arena_ = std::move(arena);
  owner_.reset();
  source_ = nullptr;
  writable_ = true;
  return Unit();
}

void Storage::hasNoAddress() const {
  RX_ASSERT(false, "a storage of {} bytes on {} is read as if it lay in host memory", bytes_, device()->name());
  __builtin_unreachable();
}

Result<Unit> Storage::read(int64_t offset, std::span<std::byte> to) const {
  if (device_) return to.empty() ? Unit() : device()->read(handle() + static_cast<uint64_t>(offset), to);
  if (!to.empty()) std::memcpy(to.data(), data_ + offset, to.size());
  return Unit();
}

Result<Unit> Storage::write(int64_t offset, std::span<const std::byte> from) const {
  if (device_) return from.empty() ? Unit() : device()->write(handle() + static_cast<uint64_t>(offset), from);
  if (!from.empty()) std::memcpy(mutableData() + offset, from.data(), from.size());
  return Unit();
}

std::byte* Storage::mutableData() const {
  if (device_) hasNoAddress();
  RX_ASSERT(writable_, "a mapped storage of {} bytes is written", bytes_);
  return data_;
}

}  // namespace rx
