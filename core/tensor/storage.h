// Storage: a handle on a reference-counted buffer of bytes, in host memory (64-byte aligned) or on a device. Tensors
// are views of it. Only host memory has an address; what lies on a device is read and written through copies.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/support/ref.h"
#include "core/support/result.h"
#include "core/tensor/device_memory.h"
#include "core/tensor/storage_arena.h"

namespace rx {

/// The buffer behind one or more tensors. Bytes that a constant of the IR refers to never change; who allocated a
/// storage to compute into (the VM, the interpreter) writes through `mutableData`.
class Storage : public Object {
 public:
  static constexpr size_t kAlignment = StorageArena::kAlignment;
  /// Fresh storage has this content, so that unwritten memory is the same in every run.
  static constexpr std::byte kFreshFill{0xcd};

  /// Fails with rule tensor.memory where the system has not enough.
  static Result<Ref<Storage>> allocate(int64_t bytes, std::byte fill = kFreshFill);
  /// A block of the arena, given back when the storage is gone. Fails as StorageArena::take.
  static Result<Ref<Storage>> allocate(int64_t bytes, std::shared_ptr<StorageArena> arena);
  /// A block on a device, given back when the storage is gone. Fails as DeviceArena::take.
  static Result<Ref<Storage>> allocate(int64_t bytes, std::shared_ptr<DeviceArena> arena);
  /// Refers to memory that `owner` keeps alive, such as a mapped file; it can not be written.
  static Ref<Storage> external(const std::byte* data, int64_t bytes, std::shared_ptr<const void> owner);
  /// Memory of its own with the bytes of `source`, which `owner` keeps alive, where those can not be used as they lie:
  /// a mapped file may begin an element anywhere. It can not be written. Fails as the first `allocate`.
  static Result<Ref<Storage>> copyOf(std::span<const std::byte> source, std::shared_ptr<const void> owner);

  Storage(std::byte* data, int64_t bytes, std::shared_ptr<const void> owner, bool writable)
      : data_(data), bytes_(bytes), owner_(std::move(owner)), writable_(writable) {}
  /// A block that `arena` gave.
  Storage(std::byte* block, int64_t bytes, std::shared_ptr<StorageArena> arena)
      : data_(block), bytes_(bytes), arena_(std::move(arena)), writable_(true), fresh_(arena_->filled()) {}
  /// A block that `device` gave.
  Storage(uint64_t address, int64_t bytes, std::shared_ptr<DeviceArena> device)
      : data_(std::bit_cast<std::byte*>(address)),
        bytes_(bytes),
        device_(std::move(device)),
        writable_(true),
        fresh_(device_->filled()) {}
  ~Storage() override;

  int64_t bytes() const { return bytes_; }
  /// The device that it lies on; null: host memory.
  DeviceMemory* device() const { return device_ ? &device_->device() : nullptr; }
  /// Asserts that it lies in host memory.
  const std::byte* data() const {
    if (device_) hasNoAddress();
    return data_;
  }
  /// What the kernels of its device are given for it: there its address.
  uint64_t handle() const { return std::bit_cast<uint64_t>(data_); }
  /// Copies bytes from and to a storage wherever it lies. The range lies inside; fails as the device does.
  Result<Unit> read(int64_t offset, std::span<std::byte> to) const;
  Result<Unit> write(int64_t offset, std::span<const std::byte> from) const;
  bool writable() const { return writable_; }
  /// Where what can not be written came from: bytes that are the same and may be those of a mapped file.
  std::span<const std::byte> source() const { return {source_ ? source_ : data_, static_cast<size_t>(bytes_)}; }
  /// Only for the owner of a run; asserts that the storage is writable and lies in host memory.
  std::byte* mutableData() const;
  /// True until markWritten where it was filled: every byte is still kFreshFill, so nobody needs a copy of it.
  bool fresh() const { return fresh_; }
  /// Gives storage that can not be written memory of its own with the same bytes; every view of it follows. Only for
  /// the owner of a run, between two steps. Fails as StorageArena::take.
  Result<Unit> makeWritable(std::shared_ptr<StorageArena> arena) const;
  void markWritten() const { fresh_ = false; }

 private:
  [[noreturn]] void hasNoAddress() const;

  mutable std::byte* data_;
  int64_t bytes_;
  mutable std::shared_ptr<const void> owner_;
  mutable const std::byte* source_ = nullptr;  ///< of a copy: in what the owner keeps
  mutable std::shared_ptr<StorageArena> arena_;
  std::shared_ptr<DeviceArena> device_;  ///< whose block it is
  mutable bool writable_;
  mutable bool fresh_ = false;
};

}  // namespace rx
