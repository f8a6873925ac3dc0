// A double of the CUDA driver: a library with the driver's entry points that runs kernels which a test gave it. It
// checks the order and the arguments of calls: a call without a context, an address of no block, a launch of a text
// that nobody registered are errors, as the driver reports them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rx::cuda_double {

/// One started kernel.
struct Launch {
  unsigned grid[3];
  unsigned group[3];
  unsigned sharedBytes;
  std::vector<const void*> arguments;  ///< where each argument's bytes are
  /// The bytes behind an address, null where they do not lie in one block: then the kernel faults.
  std::function<std::byte*(uint64_t address, size_t bytes)> memory;
  /// All that lies behind an address, to the end of its block; nothing where it is none.
  std::function<std::span<std::byte>(uint64_t address)> block;
};
/// What a map of a tensor holds here, which a kernel is given whole: axes in the order of memory.
struct Map {
  static constexpr uint64_t kMade = 0x70616d20656c6974;
  uint64_t made, address, strides[4];
  uint32_t extents[5], box[5];
  int element, rank, line;  ///< numbers of the driver; `line` is that of the pattern
};
/// Bytes of such an argument.
constexpr size_t kMapBytes = 128;
static_assert(sizeof(Map) <= kMapBytes);
/// What a kernel gives that does not end.
constexpr int kHangs = 600;
/// The environment's word for programs that no test can reach, such as the engine of a window: NAME=CODE. Every text is
/// taken then, and its kernels do nothing but give the code, where NAME is part of theirs.
constexpr const char* kEveryText = "RX_CUDA_DOUBLE";
/// What a kernel does; gives the driver's error code, 0 for none.
using Kernel = std::function<int(const Launch&)>;

/// What a test tells the double, which it finds as the symbol `rx_cuda_double`.
class Control {
 public:
  virtual ~Control() = default;
  /// As it is when the library is loaded.
  virtual void reset() = 0;
  virtual void setVersion(int version) = 0;
  virtual void setDevices(int count) = 0;
  virtual void setMemory(size_t bytes) = 0;
  /// Of its devices: 80 is sm_80.
  virtual void setArchitecture(int number) = 0;
  /// A kernel of the text, of whose parameters so many before the last one are maps.
  virtual void add(const std::string& text, const std::string& name, size_t parameters, Kernel kernel,
                   size_t maps = 0) = 0;
  /// The next call of an entry point gives this error.
  virtual void failNext(const std::string& symbol, int code) = 0;
  /// The entry points that were called, in their order.
  virtual std::vector<std::string> calls() const = 0;
  /// The text that was loaded last.
  virtual std::string loaded() const = 0;
  /// Calls that a kernel which does not end would have kept for ever.
  virtual size_t kept() const = 0;
  /// Blocks that were not given back.
  virtual size_t blocks() const = 0;
};

}  // namespace rx::cuda_double
