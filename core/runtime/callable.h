// Callable: whatever a Call instruction can run that is not bytecode: builtins, packed functions, kernels.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/runtime/arguments.h"
#include "core/support/cancel.h"
#include "core/support/thread_pool.h"
#include "core/tensor/stats.h"

namespace rx::vm {

/// What a check of a value against its annotation found. The machine adds names and who bound the first value.
struct ShapeMismatch {
  enum class What : uint8_t { Dim, Rank, Type, Kind, Value };
  What what = What::Dim;
  size_t argument = 0;               ///< index of the checked value among the call's arguments
  int64_t axis = -1;                 ///< for Dim
  std::optional<int64_t> slot = {};  ///< the heap slot that holds the expected value
  int64_t expected = 0;
  int64_t actual = 0;
  std::string expectedText = {};  ///< for Type and Kind
  std::string actualText = {};
  std::string context = {};  ///< the ErrorContext(...) text of the program, may be empty
};

/// A call that a packed function asks the machine to make in its place; its result becomes the result.
struct ClosureCall {
  Ref<ClosureObject> closure;
  std::vector<Value> args;
  std::function<Result<Unit>(const Value& result)> then = nullptr;  ///< before the call returns; null: nothing
};

class PackedRegistry;
class PreparedCall;
struct PlannedArgument;

/// Threads for the parallel loops of kernels, started by the first of them. Thread-safe.
class LoopThreads {
 public:
  /// Those beside the thread that runs the kernel, one for each other processor; null where there is none.
  ThreadPool* helpers();

 private:
  std::mutex mutex_;
  bool asked_ = false;
  std::unique_ptr<ThreadPool> pool_;
};

/// Tensors whose registers were emptied, to be made into the next ones without asking for memory. Only of the thread
/// that runs the machine.
class TensorShells {
 public:
  /// Empties a register: keeps a tensor that nothing else refers to, without its storage, and drops any other value.
  void give(Value& value) {
    if (value.is(ValueKind::Tensor)) keep(value);
    value = Value();
  }
  /// As HostTensor::view.
  Result<Value> view(Ref<Storage> storage, int64_t byteOffset, const std::vector<int64_t>& shape, DataType dtype);

 private:
  void keep(Value& value);
  std::vector<Value> unused_;
};

/// What tensorStats tells of a tensor that lies on a device, by kernels of its own; nothing where it has none for the
/// type of its elements.
using StatisticsOf = std::function<Result<std::optional<TensorStats>>(const HostTensor&)>;

/// A device of a program.
struct RunDevice {
  int64_t type = 1;  ///< as DLPack numbers the types of devices
  int64_t number = 0;
  std::shared_ptr<DeviceMemory> device = nullptr;  ///< null: the host
  std::shared_ptr<DeviceArena> memory =
      nullptr;                        ///< what a run uses of it; null where none runs yet, and for host memory
  StatisticsOf statistics = nullptr;  ///< null: none
  /// Has what waits for the device fail with vm.cancelled where this says so; null: no longer. Null: waits are whole.
  std::function<void(std::function<bool()> cancelled)> endWaits = nullptr;
};

/// What surrounds the calls of a machine.
struct Surroundings {
  std::shared_ptr<StorageArena> memory;
  /// In the order in which instructions number them; one that has no row is the host.
  std::vector<RunDevice> devices;
  CancelToken cancel;
  const std::atomic<bool>* stop = nullptr;      ///< of who runs it: cancels as well, until it is cleared; may be null
  const PackedRegistry* registry = nullptr;     ///< functions found by name at run time
  std::function<void(std::string_view)> print;  ///< receives what the program prints; null: dropped
  std::shared_ptr<LoopThreads> threads = std::make_shared<LoopThreads>();
  std::shared_ptr<TensorShells> tensors = std::make_shared<TensorShells>();

  bool cancelled() const { return cancel.cancelled() || (stop && stop->load(std::memory_order_relaxed)); }
  /// The memory of a device by its index in instructions; null: host memory.
  std::shared_ptr<DeviceArena> memoryOf(int64_t device) const {
    const bool row = device >= 0 && static_cast<size_t>(device) < devices.size();
    return row ? devices[static_cast<size_t>(device)].memory : nullptr;
  }
  /// The memory that a tensor lies in; null: host memory.
  std::shared_ptr<DeviceArena> arenaOf(const HostTensor& tensor) const {
    for (const RunDevice& row : devices)
      if (row.memory && &row.memory->device() == tensor.device()) return row.memory;
    return nullptr;
  }
  /// Memory in `place`, null being the host. Fails as StorageArena::take or DeviceArena::take.
  Result<Ref<Storage>> allocate(int64_t bytes, const std::shared_ptr<DeviceArena>& place) const {
    return place ? Storage::allocate(bytes, place) : Storage::allocate(bytes, memory);
  }
};

/// What a call may use, and what it reports beside its result. One a call.
struct CallContext {
  explicit CallContext(const Surroundings& s) : around(s) {}
  const Surroundings& around;
  std::optional<ShapeMismatch> mismatch;  ///< set by a failing check
  std::optional<ClosureCall> call;        ///< set where a closure is to be called
  std::vector<Diagnostic> failure;        ///< why a prepared call failed

  /// Zeroed or fresh memory within the budget.
  Result<Ref<HostTensor>> tensor(std::vector<int64_t> shape, DataType dtype) const;
};

class Callable : public Object {
 public:
  virtual std::string_view name() const = 0;
  virtual Result<Value> call(CallContext& context, Arguments args) const = 0;
  /// Whether a call may change the bytes of this argument. Functions that nothing is known about may change all.
  virtual bool mayWrite(size_t /*argument*/) const { return true; }
  /// Where a call reaches the bytes of an argument that is a tensor, as instructions number the devices; nothing where
  /// it touches none of them.
  virtual std::optional<int32_t> reaches(size_t /*argument*/) const { return kHost; }
  /// Whether a call does nothing but give a null.
  virtual bool givesNull() const { return false; }
  /// The index of the argument that is called with those after it; such a function writes nothing itself.
  virtual std::optional<size_t> forwardsTo() const { return std::nullopt; }
  /// The call of an instruction with these arguments, made ready; null where there is nothing that could be. It may
  /// refer to the callable and to the arguments outside of the frame, and serves every call that differs in registers
  /// alone.
  virtual std::unique_ptr<PreparedCall> prepare(std::span<const PlannedArgument> places) const;
};

/// Whether a call with these arguments may change the bytes of one of them.
bool mayWrite(const Callable& function, Arguments args, size_t argument);

/// Finds kernels by name: compiled ones, interpreted ones.
class KernelProvider {
 public:
  virtual ~KernelProvider() = default;
  /// Null when there is no kernel of this name; a failure when there is one that can not be made to run.
  virtual Result<Ref<Callable>> find(std::string_view name) = 0;
  /// The devices of the program, in the order in which its instructions number them; none: all is in host memory.
  virtual std::vector<RunDevice> devices() const { return {}; }
};

/// Wraps a C++ function.
Ref<Callable> makeCallable(std::string name, std::function<Result<Value>(CallContext&, Arguments)> function);

}  // namespace rx::vm
