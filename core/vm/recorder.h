// Recorder: what each step changed, kept so that it can be taken back and done again without running anything.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/runtime/value.h"
#include "core/vm/bytecode.h"

namespace rx::vm {

class Machine;
struct Frame;

/// A register that a step wrote.
struct RegisterWrite {
  size_t frame = 0;
  Word reg = 0;
  Value before;
  Value after;
};

/// A range of storage that a step may have written. `other` holds the bytes of the side that the machine is not at:
/// those before while the step is done, those after while it is undone.
struct MemoryWrite {
  Ref<Storage> storage;
  int64_t offset = 0;
  int64_t bytes = 0;
  bool freshBefore = false;  ///< the bytes before were the fixed fill; nothing is kept for them
  std::vector<std::byte> other;
};

/// One step, by index of the run. A pushed or popped frame is kept whole.
struct StepRecord {
  uint64_t step = 0;
  size_t pc = 0;          ///< instruction that ran
  uint32_t function = 0;  ///< Bytecode function it belongs to
  size_t depth = 0;       ///< frames before the step
  size_t pcAfter = 0;     ///< of the frame that ran, when it is still there
  enum class Frames : uint8_t { Same, Pushed, Popped } frames = Frames::Same;
  std::shared_ptr<Frame> frame;  ///< the frame popped (while done), or pushed (while undone)
  std::vector<RegisterWrite> registers;
  std::vector<MemoryWrite> memory;
  bool finished = false;  ///< the step ended the run with `result`
  Value result;
};

class Recorder {
 public:
  void configure(bool enabled, int64_t byteLimit) {
    enabled_ = enabled;
    byteLimit_ = byteLimit;
  }
  bool enabled() const { return enabled_; }
  void clear();
  /// Appends a step; undone steps ahead of it are dropped, and the oldest when the memory limit is passed.
  void append(StepRecord record);
  size_t position() const { return position_; }
  size_t ahead() const { return records_.size() - position_; }
  const StepRecord* last() const { return position_ ? &records_[position_ - 1] : nullptr; }
  /// The record of an undone step that stepForward would redo; null when there is none.
  const StepRecord* next() const { return ahead() ? &records_[position_] : nullptr; }
  const std::deque<StepRecord>& records() const { return records_; }
  /// Bytes of memory copies kept.
  int64_t bytesKept() const { return bytesKept_; }

  /// Moves the machine over one record. False when there is none.
  bool undo(Machine& machine);
  bool redo(Machine& machine);
  /// Copies the bytes that a call may write; merged where arguments overlap. `touched` are tensors and storages.
  static void saveMemory(StepRecord& record, const Value& value);
  /// Puts the memory back where a step failed half-way.
  static void restoreMemory(const StepRecord& record);

 private:
  bool enabled_ = false;
  int64_t byteLimit_ = 0;
  int64_t bytesKept_ = 0;
  std::deque<StepRecord> records_;
  size_t position_ = 0;
};

}  // namespace rx::vm
