#include "core/vm/recorder.h"

#include <algorithm>
#include <cstring>

#include "core/vm/machine.h"

namespace rx::vm {
namespace {

int64_t keptBytes(const StepRecord& record) {
  int64_t bytes = 0;
  for (const MemoryWrite& write : record.memory) bytes += static_cast<int64_t>(write.other.size());
  return bytes;
}

/// Exchanges the storage's bytes with those kept.
int64_t exchange(MemoryWrite& write, bool undoing) {
  std::byte* at = write.storage->mutableData() + write.offset;
  const auto bytes = static_cast<size_t>(write.bytes);
  if (!write.freshBefore) {
    std::swap_ranges(write.other.begin(), write.other.end(), at);
    return 0;
  }
  if (undoing) {
    write.other.assign(at, at + bytes);
    std::memset(at, static_cast<int>(Storage::kFreshFill), bytes);
    return write.bytes;
  }
  std::copy(write.other.begin(), write.other.end(), at);
  write.other = {};
  return -write.bytes;
}

}  // namespace

void Recorder::clear() {
  records_.clear();
  position_ = 0;
  bytesKept_ = 0;
}

void Recorder::append(StepRecord record) {
  if (!enabled_) return;
  while (records_.size() > position_) {
    bytesKept_ -= keptBytes(records_.back());
    records_.pop_back();
  }
  bytesKept_ += keptBytes(record);
  records_.push_back(std::move(record));
  ++position_;
  while (bytesKept_ > byteLimit_ && records_.size() > 1) {
    bytesKept_ -= keptBytes(records_.front());
    records_.pop_front();
    --position_;
  }
}

void Recorder::saveMemory(StepRecord& record, const Value& value) {
  std::vector<const Value*> open = {&value};
  while (!open.empty()) {
    const Value& item = *open.back();
    open.pop_back();
    MemoryWrite write;
    if (item.is(ValueKind::Tensor)) {
      write.storage = item.tensor().storage();
      write.offset = item.tensor().byteOffset();
      write.bytes = item.tensor().bytes();
    } else if (item.is(ValueKind::Storage)) {
      write.storage = item.asStorage();
      write.bytes = write.storage->bytes();
    } else if (item.is(ValueKind::Tuple)) {
      for (const Value& part : item.asTuple()) open.push_back(&part);
      continue;
    } else {
      continue;
    }
    if (write.bytes == 0 || !write.storage->writable()) continue;
    write.freshBefore = write.storage->fresh();
    write.storage->markWritten();
    if (!write.freshBefore) {
      const std::byte* from = write.storage->data() + write.offset;
      write.other.assign(from, from + write.bytes);
    }
    record.memory.push_back(std::move(write));
  }
}

void Recorder::restoreMemory(const StepRecord& record) {
  for (size_t i = record.memory.size(); i-- > 0;) {
    const MemoryWrite& write = record.memory[i];
    std::byte* at = write.storage->mutableData() + write.offset;
    if (write.freshBefore) {
      std::memset(at, static_cast<int>(Storage::kFreshFill), static_cast<size_t>(write.bytes));
    } else {
      std::copy(write.other.begin(), write.other.end(), at);
    }
  }
}

bool Recorder::undo(Machine& machine) {
  if (position_ == 0) return false;
  StepRecord& record = records_[--position_];
  auto& frames = machine.frames_;
  for (MemoryWrite& write : record.memory) bytesKept_ += exchange(write, true);
  for (size_t i = record.registers.size(); i-- > 0;) {
    const RegisterWrite& write = record.registers[i];
    frames[write.frame].registers[static_cast<size_t>(write.reg)] = write.before;
  }
  switch (record.frames) {
    case StepRecord::Frames::Same:
      frames.back().pc = record.pc;
      break;
    case StepRecord::Frames::Pushed:
      record.frame = std::make_shared<Frame>(std::move(frames.back()));
      frames.pop_back();
      break;
    case StepRecord::Frames::Popped:
      if (!frames.empty()) frames.back().pc -= 1;
      frames.push_back(std::move(*record.frame));
      record.frame = nullptr;
      break;
  }
  machine.result_ = Value();
  machine.fault_.reset();
  machine.status_ = MachineStatus::Running;
  --machine.stepCount_;
  return true;
}

bool Recorder::redo(Machine& machine) {
  if (ahead() == 0) return false;
  StepRecord& record = records_[position_++];
  auto& frames = machine.frames_;
  switch (record.frames) {
    case StepRecord::Frames::Same:
      frames.back().pc = record.pcAfter;
      break;
    case StepRecord::Frames::Pushed:
      frames.push_back(std::move(*record.frame));
      record.frame = nullptr;
      break;
    case StepRecord::Frames::Popped:
      record.frame = std::make_shared<Frame>(std::move(frames.back()));
      frames.pop_back();
      if (!frames.empty()) frames.back().pc += 1;
      break;
  }
  for (const RegisterWrite& write : record.registers) {
    frames[write.frame].registers[static_cast<size_t>(write.reg)] = write.after;
  }
  // Where ranges overlap, the later one kept what the earlier had saved, so they come back in reverse.
  for (size_t i = record.memory.size(); i-- > 0;) bytesKept_ += exchange(record.memory[i], false);
  ++machine.stepCount_;
  if (record.finished) {
    machine.result_ = record.result;
    machine.status_ = MachineStatus::Finished;
  }
  return true;
}

}  // namespace rx::vm
