// A random run, recorded, beside a copy of all that holds at each of its states.
#pragma once

#include <map>
#include <random>

#include "core/store/writer.h"

namespace rx::test {

/// What holds at a state, kept whole.
struct ModelState {
  struct Frame {
    uint32_t activation, instruction;
    bool operator==(const Frame&) const = default;
  };
  std::vector<Frame> frames;  ///< outermost first
  std::map<uint32_t, std::vector<store::Value>> registers;
  std::map<uint32_t, std::vector<std::byte>> storages;
};

/// What a step did.
struct ModelStep {
  std::vector<std::pair<uint32_t, uint32_t>> registers;
  struct Write {
    uint32_t storage;
    uint64_t offset, bytes;
    bool changed;
  };
  std::vector<Write> writes;
};

class RecordedRun {
 public:
  /// Starts a run of `writer`, which outlives this; storages have up to `largest` bytes.
  RecordedRun(store::Writer& writer, uint32_t seed, uint32_t largest = 20000);
  void step();
  /// Of each state so far, and of each step.
  const std::vector<ModelState>& states() const { return states_; }
  const std::vector<ModelStep>& steps() const { return steps_; }
  /// Ends it with the result 42.
  void finish();

 private:
  uint32_t random(uint32_t below) { return std::uniform_int_distribution<uint32_t>(0, below - 1)(random_); }
  store::Value value();
  void declare();
  void setRegister(uint32_t activation, uint32_t reg, store::Value value);
  void writeSome();

  static constexpr uint32_t kRegisters = 5;
  store::Writer& writer_;
  std::mt19937 random_;
  uint32_t largest_;
  ModelState now_;
  std::vector<ModelState> states_;
  std::vector<ModelStep> steps_;
  ModelStep made_;  ///< that is being made
};

}  // namespace rx::test
