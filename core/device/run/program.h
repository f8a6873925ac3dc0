// The program of a device, made when the first of its functions is called.
#pragma once

#include <mutex>

#include "core/device/device.h"
#include "core/device/run/code.h"
#include "core/support/kept_files.h"

namespace rx::device {

/// The programs that this user's drivers compiled before; null where nothing can be kept.
std::shared_ptr<const KeptFiles> keptPrograms();

/// Thread-safe.
class RunProgram {
 public:
  /// `kept`: what drivers compiled in other processes, by text, device and driver; may be null.
  RunProgram(std::shared_ptr<Device> device, std::shared_ptr<const ModuleCode> code,
             std::shared_ptr<const KeptFiles> kept)
      : device_(std::move(device)), code_(std::move(code)), kept_(std::move(kept)) {}

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
  Result<std::shared_ptr<Program>> compiled() const;

  const std::shared_ptr<Device> device_;
  const std::shared_ptr<const ModuleCode> code_;
  const std::shared_ptr<const KeptFiles> kept_;
  mutable std::mutex mutex_;  ///< of what follows
  std::shared_ptr<Program> program_;
  std::vector<Diagnostic> failed_;
  Tally tally_;
};

}  // namespace rx::device
