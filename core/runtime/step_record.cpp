#include "core/runtime/step_record.h"

namespace rx::vm {

void StepRecord::addMemory(const Value& value) {
  std::vector<const Value*> open = {&value};
  while (!open.empty()) {
    const Value& item = *open.back();
    open.pop_back();
    MemoryWrite write;
    if (item.is(ValueKind::Tensor)) {
      write = {item.tensor().storage(), item.tensor().byteOffset(), item.tensor().bytes()};
    } else if (item.is(ValueKind::Storage)) {
      write = {item.asStorage(), 0, item.asStorage()->bytes()};
    } else if (item.is(ValueKind::Tuple)) {
      for (const Value& part : item.asTuple()) open.push_back(&part);
      continue;
    } else {
      continue;
    }
    if (write.bytes == 0 || !write.storage->writable()) continue;
    write.storage->markWritten();
    memory.push_back(std::move(write));
  }
}

}  // namespace rx::vm
