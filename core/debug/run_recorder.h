// RunRecorder: tells a recording what the machine did, step by step.
#pragma once

#include "core/debug/program.h"
#include "core/debug/storage_numbers.h"
#include "core/runtime/machine.h"

namespace rx::debug {

/// What a step took.
struct StepTime {
  int64_t nanoseconds = 0;  ///< that it ran
  int64_t compiling = 0;    ///< before that, on machine code of the kernel that it is the first to call
};

class RunRecorder {
 public:
  /// Begins the file of a run: of a machine that was started, and keeps what its last step did
  /// (MachineOptions::record). The machine outlives this. Fails with `store.file`.
  static Result<std::unique_ptr<RunRecorder>> create(const std::string& path, const Program& program,
                                                     const vm::Machine& machine, const store::Policy& policy);

  /// Adds the step that the machine took last.
  void step(StepTime time);
  /// The index of the machine's frame that an activation is; nothing of one that has returned.
  std::optional<size_t> frameOf(int activation) const;
  /// The memory that a tensor of the run lies in, which is declared if it was not yet: to be called before it is
  /// changed.
  uint32_t numberOf(const Storage& storage) { return numbers_.numberOf(storage); }
  bool isConstant(const Storage& storage) const { return numbers_.isConstant(storage); }
  /// Adds what was changed between two steps: bytes of a storage that lie in its memory by now, a register of a frame
  /// that held `before`.
  void edit(const Storage& storage, int64_t offset, int64_t bytes);
  void edit(size_t frame, size_t reg, const vm::Value& before);
  /// The run is over. `details` are what the reader of the file shows of a failure beside its texts.
  void finish(std::string details = {});
  const store::Writer& writer() const { return *writer_; }

 private:
  RunRecorder(std::unique_ptr<store::Writer> writer, const Program& program, const vm::Machine& machine);
  void begin();
  uint32_t rowOf(uint32_t function) const { return functions_[function]; }
  /// Registers that are set at a time: the values lie one behind the other in encoder_.
  void beginRegisters();
  void setRegister(uint32_t activation, size_t reg, const vm::Value& value);
  std::span<const store::RegisterWrite> endRegisters();
  /// What a register holds that the last step wrote.
  const vm::Value& nowIn(const vm::RegisterWrite& write) const;
  void setArguments(const vm::Frame& frame, uint32_t activation);
  void takeRegisters(const vm::StepRecord& step);
  void takeMemory(const vm::StepRecord& step);
  void addWrite(const Storage& storage, int64_t offset, int64_t bytes);
  void addMade(const vm::Value& value, bool kept);
  /// What there is to say of tensors whose bytes the policy drops.
  void describe(const vm::StepRecord& step);
  void takeTensorArguments(const vm::StepRecord& step);
  /// Whether a constant that an instruction is given has NaN or Inf; looked at once.
  bool givenNonFinite(size_t pc);
  void takeHolders(const vm::StepRecord& step);

  std::unique_ptr<store::Writer> writer_;
  const vm::Machine& machine_;
  HostBytes bytes_;
  StorageNumbers numbers_;
  std::vector<uint32_t> functions_;  ///< row in the program of each function of the executable
  std::vector<bool> results_;        ///< whether an instruction gives the value of a binding
  std::vector<bool> kernels_;        ///< whether an instruction calls a compiled kernel
  enum class Constants : uint8_t { Unknown, Finite, NonFinite };
  std::vector<Constants> constants_;   ///< that an instruction is given
  std::vector<uint32_t> activations_;  ///< of the machine's frames
  store::ValueEncoder encoder_;
  std::vector<store::RegisterWrite> registers_;
  std::vector<size_t> ends_;  ///< of the values of registers_
  std::vector<store::StorageWrite> memory_;
  int64_t peak_ = 0;                        ///< the most bytes that were alive at once
  bool nonFinite_ = false;                  ///< of the step: it made NaN or Inf out of finite inputs that are not kept
  std::vector<const HostTensor*> tensors_;  ///< that the step was given
};

}  // namespace rx::debug
