#include "core/tensor/storage.h"

#include <cstdlib>
#include <cstring>

namespace rx {

Result<Ref<Storage>> Storage::allocate(int64_t bytes, std::byte fill) {
  constexpr int64_t kLimit = int64_t{1} << 46;
  if (bytes < 0 || bytes > kLimit) {
    return fail("tensor.memory", fmt::format("can not allocate {} bytes", bytes));
  }
  const size_t rounded = (static_cast<size_t>(bytes) + kAlignment) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, rounded);
  if (!memory) return fail("tensor.memory", fmt::format("the system has no {} bytes left", bytes));
  std::memset(memory, static_cast<int>(fill), rounded);
  auto storage = make<Storage>(static_cast<std::byte*>(memory), bytes, nullptr, true);
  storage->fresh_ = fill == kFreshFill;
  return storage;
}

bool MemoryBudget::take(int64_t bytes) {
  const int64_t now = live_.fetch_add(bytes) + bytes;
  if (now > limit_) {
    live_.fetch_sub(bytes);
    return false;
  }
  int64_t seen = peak_.load();
  while (now > seen && !peak_.compare_exchange_weak(seen, now)) {
  }
  return true;
}

Result<Ref<Storage>> Storage::allocate(int64_t bytes, std::shared_ptr<MemoryBudget> budget) {
  if (bytes >= 0 && !budget->take(bytes)) {
    return fail("vm.memory-budget", fmt::format("{} more bytes pass the memory budget of {} bytes ({} are in use)",
                                                bytes, budget->limit(), budget->live()));
  }
  auto plain = allocate(bytes);
  if (!plain) {
    if (bytes >= 0) budget->give(bytes);
    return plain;
  }
  // The owner keeps the plain storage, and gives its bytes back to the budget when the last view is gone.
  auto* held = new Ref<Storage>(*plain);
  std::shared_ptr<const void> owner(held, [budget, bytes](Ref<Storage>* storage) {
    delete storage;
    budget->give(bytes);
  });
  auto storage = make<Storage>((*plain)->mutableData(), bytes, std::move(owner), true);
  storage->fresh_ = true;
  return storage;
}

Ref<Storage> Storage::external(const std::byte* data, int64_t bytes, std::shared_ptr<const void> owner) {
  return make<Storage>(const_cast<std::byte*>(data), bytes, std::move(owner), false);
}

Storage::~Storage() {
  if (!owner_ && writable_) std::free(data_);
}

std::byte* Storage::mutableData() const {
  RX_ASSERT(writable_, "a mapped storage of {} bytes is written", bytes_);
  return data_;
}

}  // namespace rx
