// What compiled code calls back: memory, messages, packed functions, small floats. The functions have C names (rx_*).
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/runtime/callable.h"
#include "core/support/thread_pool.h"

namespace rx::codegen {

/// One argument of a packed call from a kernel: six words, of which a scalar uses two.
enum class PackedKind : int64_t { Int = 0, Float = 1, Bool = 2, String = 3, Tensor = 4 };
constexpr size_t kPackedArgWords = 6;
inline int64_t packedType(DataType dtype) {
  return static_cast<int64_t>(dtype.code) << 32 | int64_t{dtype.bits} << 16 | static_cast<uint16_t>(dtype.lanes);
}

/// Steps [begin, end) of a parallel loop; 0 when it went well.
using LoopPart = int32_t (*)(int64_t begin, int64_t end, void* record, void* host);

/// The surroundings of one kernel call. Memory that a kernel takes is returned when the call ends, however it ends. The
/// parts of a parallel loop call it from several threads.
class HostCall {
 public:
  /// `pool` gives the threads of parallel loops; it is called where there is one.
  HostCall(vm::CallContext& context, std::function<ThreadPool&()> pool) : context_(context), pool_(std::move(pool)) {}
  int32_t parallel(LoopPart part, void* record, int64_t extent);
  void* allocate(int64_t bytes);
  void release(void* memory);
  /// The first message stays.
  void report(std::string message);
  int32_t callPacked(const char* name, const int64_t* words, int64_t count);
  /// Why the kernel failed.
  Failure failure(std::string_view kernel) const;

 private:
  std::mutex mutex_;
  vm::CallContext& context_;
  std::function<ThreadPool&()> pool_;
  std::vector<Ref<Storage>> memory_;
  std::string message_;
  std::vector<Diagnostic> diagnostics_;
};

/// Name and address of each function that compiled code may call and that the C library does not have.
struct HostFunction {
  const char* name;
  void* address;
};
std::span<const HostFunction> hostFunctions();

}  // namespace rx::codegen
