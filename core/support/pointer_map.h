// A hash table by address: one list of slots, for the tables that a walk fills entry by entry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rx {

/// Values by the address of an object, which the table does not keep alive. Entries are added and replaced, never taken
/// out one by one; references to values hold until the next set().
template <class Key, class Value>
class PointerMap {
 public:
  size_t size() const { return size_; }
  /// The value of the key, or null.
  const Value* find(const Key* key) const {
    if (size_ == 0) return nullptr;
    const Slot& slot = slots_[placeOf(key)];
    return slot.first ? &slot.second : nullptr;
  }
  void set(const Key* key, Value value) {
    if ((size_ + 1) * 2 > slots_.size()) moveTo(std::max<size_t>(16, slots_.size() * 2));
    Slot& slot = slots_[placeOf(key)];
    size_ += slot.first ? 0 : 1;
    slot = {key, std::move(value)};
  }
  /// Room for so many entries in all, so that filling them in does not move them again and again.
  void reserve(size_t entries) {
    size_t slots = std::max<size_t>(16, slots_.size());
    while (slots < entries * 2) slots *= 2;
    if (slots > slots_.size()) moveTo(slots);
  }
  void clear() {
    slots_.clear();
    size_ = 0;
  }

 private:
  using Slot = std::pair<const Key*, Value>;

  /// Where the key stands, or could.
  size_t placeOf(const Key* key) const {
    const size_t mask = slots_.size() - 1;
    size_t place = (reinterpret_cast<uintptr_t>(key) * 0x9e3779b97f4a7c15ULL >> 32) & mask;
    while (slots_[place].first && slots_[place].first != key) place = (place + 1) & mask;
    return place;
  }
  void moveTo(size_t slots) {
    std::vector<Slot> old(slots);
    old.swap(slots_);
    for (Slot& slot : old)
      if (slot.first) slots_[placeOf(slot.first)] = std::move(slot);
  }

  std::vector<Slot> slots_;  ///< a power of two of them
  size_t size_ = 0;
};

}  // namespace rx
