// StorageNumbers: memory of a run by the numbers that its recording knows it by. A storage has its number for as long
// as something of the run can reach it.
#pragma once

#include <array>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/debug/host_bytes.h"
#include "core/runtime/machine.h"

namespace rx::debug {

/// Calls `use` with every tensor and storage that a value refers to, inside of tuples and closures too.
template <class Use>
void eachMemory(const vm::Value& value, Use use) {
  const auto isMemory = [](const vm::Value& v) { return v.is(vm::ValueKind::Tensor) || v.is(vm::ValueKind::Storage); };
  if (isMemory(value)) return use(value);
  if (!value.is(vm::ValueKind::Tuple) && !value.is(vm::ValueKind::Closure)) return;
  std::vector<const vm::Value*> open = {&value};
  while (!open.empty()) {
    const vm::Value& v = *open.back();
    open.pop_back();
    if (isMemory(v)) use(v);
    if (v.is(vm::ValueKind::Tuple))
      for (const vm::Value& item : v.asTuple()) open.push_back(&item);
    if (v.is(vm::ValueKind::Closure))
      for (const vm::Value& item : v.asClosure().captured) open.push_back(&item);
  }
}
/// The memory of a tensor or storage.
const Storage& memoryOf(const vm::Value& value);

class StorageNumbers {
 public:
  /// The constants of the program stay declared once they were seen.
  StorageNumbers(store::Writer& writer, HostBytes& bytes, const vm::Machine& machine);

  /// The number of a storage; one that was not seen yet is declared with what it holds now.
  uint32_t numberOf(const Storage& storage);
  /// Memory that every run of the program shares.
  bool isConstant(const Storage& storage) const { return constants_.contains(&storage); }
  /// Declares memory that a step made: a tensor's content is left to the step, which is to write it (true).
  bool declareMade(const Storage& storage, bool holdsTensor);

  /// Counts what a register holds: once more (`by` 1) or once less (-1).
  void hold(const vm::Value& value, int by) {
    if (value.is(vm::ValueKind::Tensor)) {
      hold(*value.tensor().storage(), by);
    } else if (!value.isNull()) {
      eachMemory(value, [&](const vm::Value& v) { hold(memoryOf(v), by); });
    }
  }
  /// The same of a storage; its number.
  uint32_t hold(const Storage& storage, int by) {
    Known& entry = declared(storage);
    if (entry.holders == 0) live_ += storage.bytes();
    entry.holders += by;
    if (entry.holders == 0) leave(storage);
    return entry.number;
  }
  /// Ends the numbers of storages that nothing holds any more.
  void releaseUnheld() {
    if (!unheld_.empty()) releaseAll();
  }
  /// Bytes of the storages that are held; constants count from the step that first names them, to the end.
  int64_t live() const { return live_; }

 private:
  struct Known {
    Ref<Storage> storage;  ///< kept, so that no other storage gets its address
    uint32_t number = 0;
    int64_t holders = 0;  ///< the program is one of its constants
  };
  /// One that was asked for lately; each storage has one place here.
  struct Recent {
    const Storage* storage = nullptr;
    Known* known = nullptr;
  };
  Known& declared(const Storage& storage) {
    const Recent& last = recent(storage);
    return last.storage == &storage ? *last.known : declaredLongAgo(storage);
  }
  Known& declaredLongAgo(const Storage& storage);
  Known* find(const Storage& storage);
  Known& add(const Storage& storage, uint32_t number);
  Recent& recent(const Storage& storage) {
    return recent_[reinterpret_cast<uintptr_t>(&storage) / alignof(Storage) * 0x9e3779b97f4a7c15 >> 58];
  }
  /// Nothing holds it for now.
  void leave(const Storage& storage);
  void releaseAll();
  uint32_t declareContent(const Storage& storage);
  /// Where a storage lies, as the recording numbers it.
  uint32_t deviceOf(const Storage& storage) const;

  store::Writer& writer_;
  HostBytes& bytes_;
  const vm::Machine& machine_;
  std::unordered_map<const Storage*, Known> known_;
  std::array<Recent, 64> recent_;
  std::unordered_set<const Storage*> constants_;
  std::vector<const Storage*> unheld_;
  int64_t live_ = 0;
};

}  // namespace rx::debug
