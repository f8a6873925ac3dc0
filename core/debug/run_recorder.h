// RunRecorder: tells a recording what the machine did, step by step.
#pragma once

#include "core/debug/program.h"
#include "core/debug/step_timer.h"
#include "core/debug/storage_numbers.h"
#include "core/runtime/machine.h"

namespace rx::debug {

class RunRecorder {
 public:
  /// Begins the file of a run: of a machine that was started, and keeps what its last step did
  /// (MachineOptions::record). The machine outlives this. Fails with `store.file`.
  static Result<std::unique_ptr<RunRecorder>> create(const std::string& path, const Program& program,
                                                     vm::Machine& machine, const store::Policy& policy);
  ~RunRecorder();

  /// Adds the step that the machine took last.
  void step(StepTime time);
  /// The index of the machine's frame that an activation is; nothing of one that has returned.
  std::optional<size_t> frameOf(int activation) const;
  /// The memory that a tensor of the run lies in, which is declared if it was not yet: to be called before it is
  /// changed.
  uint32_t numberOf(const Storage& storage) {
    settle();
    return numbers_.numberOf(storage);
  }
  bool isConstant(const Storage& storage) const { return numbers_.isConstant(storage); }
  /// Adds what was changed between two steps: bytes of a storage that lie in its memory by now, a register of a frame
  /// that held `before`.
  void edit(const Storage& storage, int64_t offset, int64_t bytes);
  void edit(size_t frame, size_t reg, const vm::Value& before);
  /// Waits until the steps so far can be read.
  void settle() { writer_->settle(); }
  /// The run is over. `details` are what the reader of the file shows of a failure beside its texts.
  void finish(std::string details = {});
  const store::Writer& writer() const { return *writer_; }

 private:
  RunRecorder(std::unique_ptr<store::Writer> writer, const Program& program, vm::Machine& machine);
  void begin();
  uint32_t rowOf(uint32_t function) const { return functions_[function]; }
  /// What a register gets; valid until the next is made.
  store::RegisterWrite registerWrite(uint32_t activation, size_t reg, const vm::Value& value);
  /// Of a write that is not kept, bytes on a device are not read.
  store::StorageWrite storageWrite(const Storage& storage, int64_t offset, int64_t bytes, bool kept);
  /// Where the tensor lies, if kernels of its device can.
  TensorStats statisticsOf(const HostTensor& tensor);
  /// What a register holds that the last step wrote.
  const vm::Value& nowIn(const vm::RegisterWrite& write) const;
  std::span<const vm::Value> argumentsOf(const vm::Frame& frame) const;
  /// The frame that a step called: its activation.
  uint32_t takeCall(const vm::StepRecord& step);
  void takeRegisters(const vm::StepRecord& step);
  /// Whether a step made NaN or Inf out of finite inputs, where they are not kept.
  bool takeMemory(const vm::StepRecord& step);
  void takeMade(const vm::Value& value, bool kept);
  /// Statistics of an output whose bytes the policy drops, which is taken from tensors_.
  std::optional<TensorStats> describe(const vm::MemoryWrite& output);
  void takeTensorArguments(const vm::StepRecord& step);
  /// The constants that an instruction is given, looked at once.
  void lookAtConstants(size_t pc);

  std::unique_ptr<store::Writer> writer_;
  vm::Machine& machine_;
  HostBytes bytes_;
  StorageNumbers numbers_;
  std::vector<uint32_t> functions_;  ///< row in the program of each function of the executable
  /// What is known of an instruction.
  enum Fact : uint8_t {
    kGivesResult = 1,     ///< the value of a binding
    kCallsKernel = 2,     ///< a compiled one
    kTakesConstants = 4,  ///< tensors, which were not looked at yet
    kGivenNonFinite = 8,  ///< some of them have NaN or Inf
  };
  std::vector<uint8_t> facts_;
  std::vector<uint32_t> activations_;  ///< of the machine's frames
  store::ValueEncoder encoder_;
  int64_t peak_ = 0;                        ///< the most bytes that were alive at once
  std::vector<const HostTensor*> tensors_;  ///< that the step was given
};

}  // namespace rx::debug
