// Drivers: libraries of vendors with their entry points and error codes; private to core/device.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device.h"

namespace rx::device {

/// A code of a driver and what it means here.
struct DriverError {
  int64_t code;
  std::string_view name;
  std::string_view rule;
  std::string_view meaning;
  std::string_view next;  ///< what to do about it, may be empty
};

/// What to do next, where drivers of all kinds have the same to say.
namespace next {
constexpr std::string_view kSmaller = "run smaller sizes, or on a device with more memory";
constexpr std::string_view kCheck = "`rxs run --check` finds an access that is out of range";
constexpr std::string_view kThreads = "schedule the kernel for the limits of this device, which `rxs machine` lists";
constexpr std::string_view kDriver = "install a newer driver";
constexpr std::string_view kWithoutGraphs = "run the module without relax.backend.use_cuda_graph";
constexpr std::string_view kAgain = "start the run again";
constexpr std::string_view kRow = "`rxs machine` lists the devices; the CPU (target llvm) needs none";
constexpr std::string_view kRebuild = "build the program again for this device and driver";
constexpr std::string_view kArguments =
    "see whether the function's calls agree with its parameters: `rxs check` looks at them";
constexpr std::string_view kUnknown =
    "look the number up in what the vendor says of this driver, and start the run again";
constexpr std::string_view kKernelText = "`rxs kernel --as device` shows the text that the driver got";
}  // namespace next

/// Fails where a call gave a code that is not 0: "CALL (WHAT): NAME (CODE): meaning", of the row's rule; a code without
/// a row is one of device.fault.
Result<Unit> checkDriver(std::span<const DriverError> errors, int64_t code, std::string_view call,
                         std::string_view what);

/// "16 bytes at 0x7f00".
std::string bytesText(uint64_t address, size_t bytes);

/// A loaded library, which stays until the process ends: drivers keep threads.
class Library {
 public:
  /// Fails with device.driver.
  static Result<Library> open(const std::string& name);
  /// Makes `to` an entry point. Fails with device.driver, for a driver that is older than it.
  template <class Function>
  Result<Unit> find(const char* symbol, Function*& to) const {
    RX_TRY(found, entry(symbol));
    to = reinterpret_cast<Function*>(found);
    return Unit();
  }

 private:
  Library(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
  Result<void*> entry(const char* symbol) const;

  void* handle_;
  std::string name_;
};

Result<std::vector<std::shared_ptr<Device>>> openOpenCl(const std::string& library);
Result<std::vector<std::shared_ptr<Device>>> openCuda(const std::string& library);

}  // namespace rx::device
