// What compiled code calls back: memory, messages, packed functions, threads, small floats. The functions have C names
// (host_functions.def): code that is compiled for this process finds them in a table, that of packages by linking.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/runtime/kernel_fault.h"
#include "core/runtime/kernel_signature.h"
#include "core/runtime/registry.h"

namespace rx::vm {

/// One argument of a packed call from a kernel: seven words, of which a scalar uses two (kind, value) and a tensor all
/// (data, shape, rank, type, offset in elements, bytes behind the data).
enum class PackedKind : int64_t { Int = 0, Float = 1, Bool = 2, String = 3, Tensor = 4 };
constexpr size_t kPackedArgWords = 7;
inline int64_t packedType(DataType dtype) {
  return static_cast<int64_t>(dtype.code) << 32 | int64_t{dtype.bits} << 16 | static_cast<uint16_t>(dtype.lanes);
}

/// Steps [begin, end) of a parallel loop; 0 when it went well.
using LoopPart = int32_t (*)(int64_t begin, int64_t end, void* record, void* host);

/// The surroundings of one kernel call. Memory that a kernel takes is returned when the call ends, however it ends. The
/// parts of a parallel loop call it from several threads.
class KernelHost {
 public:
  explicit KernelHost(CallContext& context) : context_(context) {}
  int32_t parallel(LoopPart part, void* record, int64_t extent);
  /// Whether the run was cancelled, which loops ask that may take long.
  bool cancelled() const { return context_.around.cancelled(); }
  void* allocate(int64_t bytes);
  void release(void* memory);
  /// The first message stays.
  void report(std::string_view rule, std::string message);
  int32_t callPacked(const char* name, const int64_t* words, int64_t count);
  /// Why the kernel failed.
  Failure failure(std::string_view kernel) const;

 private:
  CallContext& context_;
  std::mutex mutex_;  ///< the parts of a parallel loop come at once
  std::vector<Ref<Storage>> memory_;
  std::string_view rule_ = "vm.kernel";
  std::string message_;
  std::vector<Diagnostic> diagnostics_;
};

/// A kernel that was compiled to machine code, or will be when it is first called.
class CompiledKernel : public Callable {
 public:
  explicit CompiledKernel(std::string name) : name_(std::move(name)) {}
  std::string_view name() const final { return name_; }
  bool mayWrite(size_t argument) const final { return signature().mayWrite(argument); }
  std::optional<int32_t> reaches(size_t) const final { return signature().device; }
  /// Binds the arguments and runs the code.
  Result<Value> call(CallContext& context, Arguments args) const final;
  std::unique_ptr<PreparedCall> prepare(std::span<const PlannedArgument> places) const final;

  virtual const KernelSignature& signature() const = 0;
  virtual Result<KernelEntry> entry() const = 0;

 private:
  std::string name_;
};

/// Name and address of each function that compiled code may call and that the C library does not have.
struct HostFunction {
  const char* name;
  void* address;
};
std::span<const HostFunction> hostFunctions();

/// The functions themselves, each with the signature of its row.
namespace host {
#define RX_HOST_FUNCTION(symbol, result, name, parameters, arguments) result name parameters;
#include "core/runtime/host_functions.def"
}  // namespace host

}  // namespace rx::vm
