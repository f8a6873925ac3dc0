// DeviceMemory: memory that this process has no addresses for, as a device's driver gives it; DeviceArena: what a run
// has of it. core/device has the devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/support/result.h"

namespace rx {

/// The memory of one device. An address is the device's own: it says where a byte is, and means nothing to this
/// process. What is asked for is done in order, behind the kernels that were started before; `read` waits for them.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  /// As values and messages name it: the kind and the number, such as "test:0".
  virtual std::string name() const = 0;
  /// Fails with device.memory where the device has not enough.
  virtual Result<uint64_t> allocate(int64_t bytes) = 0;
  /// Gives back what allocate gave.
  virtual void release(uint64_t address) = 0;
  virtual Result<Unit> read(uint64_t from, std::span<std::byte> to) = 0;
  virtual Result<Unit> write(uint64_t to, std::span<const std::byte> from) = 0;
  /// From one place of it to another; the two do not overlap.
  virtual Result<Unit> copy(uint64_t to, uint64_t from, int64_t bytes) = 0;
  virtual Result<Unit> fill(uint64_t to, std::byte value, int64_t bytes) = 0;
};

/// The memory of a device that a run uses, counted against a limit. Blocks that were given back wait for the storages
/// that come next. Thread-safe.
class DeviceArena {
 public:
  /// `filled`: as StorageArena's.
  DeviceArena(std::shared_ptr<DeviceMemory> device, int64_t limit, bool filled)
      : device_(std::move(device)), limit_(limit), filled_(filled) {}
  DeviceArena(const DeviceArena&) = delete;
  DeviceArena& operator=(const DeviceArena&) = delete;
  ~DeviceArena();

  /// The address of a block of at least `bytes` (>= 0). Fails with vm.memory-budget where the limit would be passed,
  /// else as DeviceMemory::allocate.
  Result<uint64_t> take(int64_t bytes);
  /// Gives back what take(bytes) gave.
  void give(uint64_t address, int64_t bytes);

  DeviceMemory& device() const { return *device_; }
  bool filled() const { return filled_; }
  /// Bytes in use.
  int64_t live() const;

 private:
  struct Kept {
    int64_t bytes;
    uint64_t address;
  };
  Result<uint64_t> allocate(int64_t bytes);
  void releaseKept();

  std::shared_ptr<DeviceMemory> device_;
  int64_t limit_;
  bool filled_;
  mutable std::mutex mutex_;  ///< of what follows
  int64_t live_ = 0;
  std::vector<Kept> kept_;
};

}  // namespace rx
