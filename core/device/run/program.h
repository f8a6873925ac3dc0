// The program of a device, made when the first of its functions is called.
#pragma once

#include <functional>
#include <mutex>

#include "core/device/device.h"
#include "core/device/run/code.h"
#include "core/support/kept_files.h"

namespace rx::device {

/// The programs that this user's drivers compiled before; null where nothing can be kept.
std::shared_ptr<const KeptFiles> keptPrograms();

/// What the driver's compiler makes of a text (Device::loaded), and keeps by text, device and driver; what is kept is
/// not made again. `kept` may be null. Fails as Device::program.
Result<std::string> imageOf(Device& device, const std::string& text, const std::vector<std::string>& kernels,
                            const KeptFiles* kept);

/// Where programs come from beside the driver in this process.
struct ProgramSources {
  std::shared_ptr<const KeptFiles> kept;  ///< what drivers compiled in other processes; may be null
  /// The image of a text, made in another process, where a driver's compiler starts programs and this process may not;
  /// empty where it may.
  std::function<Result<std::string>(const Properties& device, const std::string& text,
                                    const std::vector<std::string>& kernels)>
      maker;
};

/// Thread-safe.
class RunProgram {
 public:
  RunProgram(std::shared_ptr<Device> device, std::shared_ptr<const ModuleCode> code, ProgramSources sources)
      : device_(std::move(device)), code_(std::move(code)), sources_(std::move(sources)) {}

  const ModuleCode& code() const { return *code_; }
  Device& device() const { return *device_; }
  /// Fails, each time, with what the driver had against it.
  Result<std::shared_ptr<Program>> made();

  /// How it came to be.
  struct Tally {
    int64_t nanoseconds = 0, compiled = 0, loaded = 0;  ///< functions, and those of them that were kept
  };
  Tally tally() const;

 private:
  Result<std::shared_ptr<Program>> make();

  const std::shared_ptr<Device> device_;
  const std::shared_ptr<const ModuleCode> code_;
  const ProgramSources sources_;
  mutable std::mutex mutex_;  ///< of what follows
  std::shared_ptr<Program> program_;
  std::vector<Diagnostic> failed_;
  Tally tally_;
};

}  // namespace rx::device
