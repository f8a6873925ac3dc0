#include "core/tensor/device_memory.h"

#include "core/tensor/storage.h"

namespace rx {
namespace {

/// Blocks are of whole units, so that storages of nearly one size take each other's place.
constexpr int64_t kUnit = 256;
int64_t blockBytes(int64_t bytes) { return (std::max<int64_t>(bytes, 1) + kUnit - 1) / kUnit * kUnit; }

}  // namespace

DeviceArena::~DeviceArena() { releaseKept(); }

void DeviceArena::releaseKept() {
  for (const Kept& kept : kept_) device_->release(kept.address);
  kept_.clear();
}

Result<uint64_t> DeviceArena::allocate(int64_t bytes) {
  for (size_t i = kept_.size(); i-- > 0;) {
    if (kept_[i].bytes != bytes) continue;
    const uint64_t address = kept_[i].address;
    kept_.erase(kept_.begin() + static_cast<int64_t>(i));
    return address;
  }
  auto address = device_->allocate(bytes);
  if (address || kept_.empty()) return address;
  releaseKept();
  return device_->allocate(bytes);
}

Result<uint64_t> DeviceArena::take(int64_t bytes) {
  constexpr int64_t kLargest = int64_t{1} << 46;
  if (bytes < 0 || bytes > kLargest) return fail("tensor.memory", fmt::format("can not allocate {} bytes", bytes));
  const std::lock_guard lock(mutex_);
  if (bytes > limit_ - live_) {
    return fail("vm.memory-budget",
                fmt::format("{} more bytes on {} pass the memory budget of {} bytes ({} are in use there)", bytes,
                            device_->name(), limit_, live_));
  }
  RX_TRY(address, allocate(blockBytes(bytes)));
  if (filled_) {
    if (auto filled = device_->fill(address, Storage::kFreshFill, blockBytes(bytes)); !filled) {
      device_->release(address);
      return filled.failure();
    }
  }
  live_ += bytes;
  return address;
}

void DeviceArena::give(uint64_t address, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  live_ -= bytes;
  kept_.push_back({blockBytes(bytes), address});
}

int64_t DeviceArena::live() const {
  const std::lock_guard lock(mutex_);
  return live_;
}

}  // namespace rx
