#include "core/debug/storage_numbers.h"

#include "core/debug/mapped_origin.h"

namespace rx::debug {

const Storage& memoryOf(const vm::Value& value) {
  return value.is(vm::ValueKind::Tensor) ? *value.tensor().storage() : *value.asStorage();
}

StorageNumbers::StorageNumbers(store::Writer& writer, HostBytes& bytes, const vm::Machine& machine)
    : writer_(writer), bytes_(bytes), machine_(machine) {
  for (const vm::Value& constant : machine.executable().constants())
    eachMemory(constant, [this](const vm::Value& v) { constants_.insert(&memoryOf(v)); });
}

uint32_t StorageNumbers::declareContent(const Storage& storage) {
  if (!storage.writable())
    if (const auto file = fileOf(storage.source())) return writer_.declareReference(*file);
  return writer_.declareContent(bytes_.of(storage), deviceOf(storage));
}

uint32_t StorageNumbers::deviceOf(const Storage& storage) const {
  const auto& devices = machine_.devices();
  for (size_t i = 0; i < devices.size() && storage.device(); ++i)
    if (devices[i].memory && &devices[i].memory->device() == storage.device()) return static_cast<uint32_t>(i + 1);
  return 0;
}

StorageNumbers::Known* StorageNumbers::find(const Storage& storage) {
  Recent& last = recent(storage);
  if (last.storage == &storage) return last.known;
  const auto at = known_.find(&storage);
  if (at == known_.end()) return nullptr;
  last = {&storage, &at->second};
  return last.known;
}

StorageNumbers::Known& StorageNumbers::add(const Storage& storage, uint32_t number) {
  const bool constant = isConstant(storage);
  if (constant) live_ += storage.bytes();
  return known_[&storage] = {Ref<Storage>(&storage), number, constant ? 1 : 0};
}

StorageNumbers::Known& StorageNumbers::declaredLongAgo(const Storage& storage) {
  if (Known* row = find(storage)) return *row;
  return add(storage, declareContent(storage));
}

uint32_t StorageNumbers::numberOf(const Storage& storage) { return declared(storage).number; }

bool StorageNumbers::declareMade(const Storage& storage, bool holdsTensor) {
  // What was there before the run is not made by it, though a step may be the first to name it.
  if (find(storage) || constants_.contains(&storage) || !storage.writable()) return false;
  const bool leaves = holdsTensor || storage.fresh();
  if (!leaves) return false;
  const auto bytes = static_cast<uint64_t>(storage.bytes());
  add(storage, writer_.declareFresh(bytes, Storage::kFreshFill, deviceOf(storage)));
  return holdsTensor;
}

void StorageNumbers::leave(const Storage& storage) {
  live_ -= storage.bytes();
  unheld_.push_back(&storage);
}

void StorageNumbers::releaseAll() {
  for (const Storage* storage : unheld_) {
    const auto at = known_.find(storage);
    if (at == known_.end() || at->second.holders != 0) continue;
    recent(*storage) = {};
    writer_.release(at->second.number);
    if (!storage->device()) writer_.leave(storage->data(), static_cast<uint64_t>(storage->bytes()));
    known_.erase(at);
  }
  unheld_.clear();
}

}  // namespace rx::debug
