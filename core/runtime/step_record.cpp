#include "core/runtime/step_record.h"

namespace rx::vm {

void StepRecord::addMemory(const Value& value) {
  std::vector<const Value*> open;  // items of tuples, which most calls have none of
  for (const Value* item = &value; item;) {
    MemoryWrite write;
    if (item->is(ValueKind::Tensor)) {
      write = {item->tensor().storage().get(), item->tensor().byteOffset(), item->tensor().bytes()};
    } else if (item->is(ValueKind::Storage)) {
      write = {item->asStorage().get(), 0, item->asStorage()->bytes()};
    } else if (item->is(ValueKind::Tuple)) {
      for (const Value& part : item->asTuple()) open.push_back(&part);
    }
    if (write.bytes != 0 && write.storage->writable()) {
      write.storage->markWritten();
      memory.push_back(write);
    }
    item = open.empty() ? nullptr : open.back();
    if (item) open.pop_back();
  }
}

}  // namespace rx::vm
