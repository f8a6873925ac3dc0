// StepRecord: what a step changed, for whoever records a run.
#pragma once

#include <cstdint>
#include <vector>

#include "core/runtime/bytecode.h"
#include "core/runtime/value.h"

namespace rx::vm {

/// A register that a step wrote, and what it held before.
struct RegisterWrite {
  size_t frame = 0;
  Word reg = 0;
  Value before;
};

/// A range of storage that a step may have written.
struct MemoryWrite {
  const Storage* storage = nullptr;  ///< what a register or the record holds
  int64_t offset = 0;
  int64_t bytes = 0;
};

/// One step.
struct StepRecord {
  size_t pc = 0;     ///< instruction that ran
  size_t depth = 0;  ///< frames before the step
  enum class Frames : uint8_t { Same, Pushed, Popped } frames = Frames::Same;
  std::vector<RegisterWrite> registers;
  std::vector<MemoryWrite> memory;
  std::vector<Value>
      released;  ///< what registers held that nothing used any more before the step, or whose frame ended

  /// Forgets what the step before did and keeps the room for the next.
  void begin(size_t instruction, size_t frameCount) {
    pc = instruction;
    depth = frameCount;
    frames = Frames::Same;
    registers.clear();
    memory.clear();
    released.clear();
  }
  /// Adds the memory of an argument that a call may write: of tensors and storages, in tuples too.
  void addMemory(const Value& value);
};

}  // namespace rx::vm
