#include "core/debug/storage_numbers.h"

#include "core/debug/mapped_origin.h"

namespace rx::debug {

const Storage& memoryOf(const vm::Value& value) {
  return value.is(vm::ValueKind::Tensor) ? *value.tensor().storage() : *value.asStorage();
}

StorageNumbers::StorageNumbers(store::Writer& writer, const vm::Executable& executable) : writer_(writer) {
  for (const vm::Value& constant : executable.constants())
    eachMemory(constant, [this](const vm::Value& v) { constants_.insert(&memoryOf(v)); });
}

uint32_t StorageNumbers::declareContent(const Storage& storage) {
  const std::span bytes(storage.data(), static_cast<size_t>(storage.bytes()));
  if (!storage.writable())
    if (const auto file = fileOf(bytes)) return writer_.declareReference(*file);
  return writer_.declareContent(bytes);
}

StorageNumbers::Known* StorageNumbers::find(const Storage& storage) {
  const auto at = known_.find(&storage);
  return at == known_.end() ? nullptr : &at->second;
}

StorageNumbers::Known& StorageNumbers::declared(const Storage& storage) {
  if (Known* row = find(storage)) return *row;
  return known_[&storage] = {Ref<Storage>(&storage), declareContent(storage), 0};
}

uint32_t StorageNumbers::numberOf(const Storage& storage) { return declared(storage).number; }

std::optional<uint32_t> StorageNumbers::known(const Storage& storage) const {
  const auto at = known_.find(&storage);
  return at == known_.end() ? std::nullopt : std::optional(at->second.number);
}

bool StorageNumbers::declareMade(const Storage& storage, bool holdsTensor) {
  // What was there before the run is not made by it, though a step may be the first to name it.
  if (find(storage) || constants_.contains(&storage) || !storage.writable()) return false;
  const bool leaves = holdsTensor || storage.fresh();
  if (!leaves) return false;
  const auto bytes = static_cast<uint64_t>(storage.bytes());
  known_[&storage] = {Ref<Storage>(&storage), writer_.declareFresh(bytes, Storage::kFreshFill), 0};
  return holdsTensor;
}

void StorageNumbers::hold(const vm::Value& value, int by) {
  eachMemory(value, [&](const vm::Value& v) {
    const Storage& storage = memoryOf(v);
    Known& entry = declared(storage);
    if (entry.holders == 0) live_ += storage.bytes();
    entry.holders += by;
    if (entry.holders != 0) return;
    live_ -= storage.bytes();
    if (!constants_.contains(&storage)) unheld_.push_back(&storage);
  });
}

void StorageNumbers::releaseUnheld() {
  for (const Storage* storage : unheld_) {
    const auto at = known_.find(storage);
    if (at == known_.end() || at->second.holders != 0) continue;
    writer_.release(at->second.number);
    known_.erase(at);
  }
  unheld_.clear();
}

}  // namespace rx::debug
