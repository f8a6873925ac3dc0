// Machine: runs an executable one instruction at a time. Calls between VM functions and closures push a frame on the
// heap; nothing recurses natively.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/runtime/launch_plan.h"
#include "core/runtime/registry.h"
#include "core/runtime/sized_plan.h"
#include "core/runtime/step_record.h"

namespace rx::vm {

struct MachineLimits {
  size_t maxDepth = 10000;  ///< frames
  uint64_t maxInstructions = UINT64_MAX;
  int64_t maxMemory = int64_t{1} << 40;  ///< bytes of storage alive at a time
  std::string memoryFrom;                ///< what sets that, for the message of who passes it; "" for nothing to say
};

struct MachineOptions {
  MachineLimits limits;
  std::shared_ptr<KernelProvider> kernels;         ///< asked first; may be null
  std::shared_ptr<const PackedRegistry> registry;  ///< null: the builtins of this runtime
  std::function<void(std::string_view)> print;     ///< what the program prints; null: dropped
  CancelToken cancel;
  const std::atomic<bool>* stop = nullptr;  ///< as Surroundings::stop
  bool record = false;                      ///< keep what the last step changed (Machine::lastStep)
  /// A missing packed function is reported when a call reaches it, instead of when the machine is made.
  bool lateLinking = false;
};

/// One active call of a Bytecode function.
struct Frame {
  uint32_t function = 0;
  size_t pc = 0;  ///< the instruction to run next; in callers, the Call that is under way
  std::vector<Value> registers;
  Word callerDst = kVoidRegister;                            ///< register of the caller that gets the result
  std::function<Result<Unit>(const Value&)> then = nullptr;  ///< is told what the call gives before it returns
  size_t cleared = 0;              ///< the instruction up to which registers that are used no more were emptied
  Ref<SizedPlan> sized = nullptr;  ///< for the sizes of its arguments; null where all its instructions run
};

enum class MachineStatus : uint8_t { Idle, Running, Finished, Faulted };

/// Why the machine stopped at an instruction. Frames and registers are those before the instruction; the memory that it
/// may write is what it left.
struct Fault {
  std::vector<Diagnostic> diagnostics;  ///< the first says it all: context, who bound a value, a note of the call
  uint32_t function = 0;
  size_t pc = 0;
  std::optional<ShapeMismatch> mismatch;
  std::string parameter;  ///< of a mismatch: the value's name, "" when not known
  std::string symbol;     ///< of a mismatch: the expression of the heap slot
  std::string boundBy;    ///< of a mismatch: who gave the symbol its value ("x, axis 0")
};

class Machine {
 public:
  /// Resolves every packed function; fails with vm.missing-function, one diagnostic a name with its call sites.
  static Result<std::unique_ptr<Machine>> create(Ref<Executable> executable, MachineOptions options);
  ~Machine();

  /// Prepares a call of a function of the module; the arguments are checked for number only (the program checks the
  /// rest itself). Forgets the previous run. `lent`: storages of arguments whose bytes are there for this run alone and
  /// stay as they are; one that the program writes is copied before. Fails with vm.no-function or vm.argument-count.
  Result<Unit> start(std::string_view function, std::vector<Value> args, std::vector<Ref<Storage>> lent = {});

  /// Runs one instruction. Does nothing unless Running.
  MachineStatus step();
  /// Steps until finished, faulted or cancelled (a fault of rule vm.cancelled). Of a function that is called with sizes
  /// that it was called with before only what they do not decide is run; who records or counts instructions sees all.
  MachineStatus run();
  /// Ends the run and the loan of `start`: there are no frames any more, and a result that refers to lent storage has a
  /// copy of it. Fails as StorageArena::take, and has no result then.
  Result<Unit> returnLent();
  /// Steps taken since start.
  uint64_t stepCount() const { return stepCount_; }

  MachineStatus status() const { return status_; }
  const Fault* fault() const { return fault_ ? &*fault_ : nullptr; }
  /// The result of a finished run, in host memory.
  const Value& result() const { return result_; }

  const Executable& executable() const { return *executable_; }
  /// Outermost first; empty when idle or finished.
  const std::vector<Frame>& frames() const { return frames_; }
  const Frame& top() const { return frames_.back(); }
  size_t pc() const { return frames_.back().pc; }
  /// What the last step changed; null before it, where it failed, and where MachineOptions::record is not set. What it
  /// let go of is there until another step begins.
  const StepRecord* lastStep() const {
    return options_.record && stepCount_ > 0 && status_ != MachineStatus::Faulted ? &record_ : nullptr;
  }
  const StorageArena& memory() const { return *around_.memory; }
  const std::vector<RunDevice>& devices() const { return around_.devices; }

  /// Calls `told` before the memory that a step may write is written, where one records.
  void onWrites(std::function<void(std::span<const MemoryWrite>)> told) { beforeWrites_ = std::move(told); }

  /// Changes what a register of an active frame holds, between two steps.
  void setRegister(size_t frame, size_t reg, Value value) { frames_[frame].registers[reg] = std::move(value); }
  /// Changes bytes of a storage of the run between two steps; what is mapped from a file is copied first. Fails as
  /// StorageArena::take or Storage::write.
  Result<Unit> writeMemory(const Storage& storage, int64_t offset, std::span<const std::byte> bytes);

 private:
  Machine(Ref<Executable> executable, MachineOptions options);
  Result<Unit> link();
  Value readRegister(const Frame& frame, Word reg) const;
  void writeRegister(Frame& frame, Word reg, Value&& value);
  /// Copies the constants that kernels of devices take to where they take them.
  Result<Unit> placeConstants();
  /// Empties a register for good.
  void letGo(Value& value);
  /// Empties registers that nothing uses any more.
  void clearRegisters(Frame& frame);
  void beginRecord(const Frame& frame);
  /// Has a frame that begins run as its sizes allow, where the run is not looked at.
  void planSizes(Frame& frame);
  MachineStatus execute();
  MachineStatus runCall(const PlannedCall& call);
  /// Waits, where one records, for what the step writes on devices, so that what goes wrong there is its fault.
  Result<Unit> awaitDevices() const;
  /// Nothing where the call is not as it was prepared for.
  std::optional<MachineStatus> runPrepared(const PlannedCall& call);
  Arguments gather(const Frame& frame, const PlannedCall& call);
  Result<Unit> noteWrites(const PlannedCall& call, Arguments args);
  /// Calls a function of the module.
  MachineStatus pushFrame(uint32_t function, Arguments args, Word dst,
                          std::function<Result<Unit>(const Value&)> then = nullptr);
  MachineStatus runReturn(const Instruction& instruction);
  MachineStatus finishStep();
  /// What a call gives goes to its register, and the frame on behind it.
  MachineStatus finishCall(Word dst, Value&& value);
  MachineStatus faulted(std::vector<Diagnostic> diagnostics, const CallContext* context = nullptr);
  void explainMismatch(Fault& fault, const CallContext& context) const;
  std::string whoBound(const Frame& frame, int64_t slot) const;
  std::string placeText() const;
  /// What the instruction calls, with its arguments in short.
  std::string callText() const;

  Ref<Executable> executable_;
  MachineOptions options_;
  Surroundings around_;
  std::vector<Value> functionValues_;  ///< one a row of the function table
  PlacedConstants constants_;
  std::optional<LaunchPlan> plan_;
  std::vector<std::unique_ptr<SizedPlans>> sized_;  ///< one a row of the function table; null: not called yet
  bool whole_ = false;                              ///< nobody looks at the run between its steps
  std::vector<Frame> frames_;
  StepRecord record_;  ///< of the instruction that runs or ran last, where one records
  std::function<void(std::span<const MemoryWrite>)> beforeWrites_;
  std::vector<const Value*> args_;                  ///< of the call that is under way
  std::vector<std::vector<Value>> spareRegisters_;  ///< of functions that returned, empty
  std::vector<Ref<Storage>> lent_;
  MachineStatus status_ = MachineStatus::Idle;
  Value result_;
  std::optional<Fault> fault_;
  uint64_t stepCount_ = 0;
};

}  // namespace rx::vm
