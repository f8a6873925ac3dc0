// Storage: a reference-counted buffer of bytes, 64-byte aligned. Tensors are views of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/support/ref.h"
#include "core/support/result.h"

namespace rx {

/// Counts the bytes of live storage against a budget. Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t limit) : limit_(limit) {}
  /// False when the limit would be passed; then nothing is taken.
  bool take(int64_t bytes);
  void give(int64_t bytes) { live_.fetch_sub(bytes); }
  int64_t limit() const { return limit_; }
  int64_t live() const { return live_.load(); }
  int64_t peak() const { return peak_.load(); }

 private:
  int64_t limit_;
  std::atomic<int64_t> live_{0};
  std::atomic<int64_t> peak_{0};
};

/// The buffer behind one or more tensors. Bytes that a constant of the IR refers to never change; who allocated a
/// storage to compute into (the VM, the interpreter) writes through `mutableData`.
class Storage : public Object {
 public:
  static constexpr size_t kAlignment = 64;
  /// Fresh storage has this content, so that unwritten memory is the same in every run.
  static constexpr std::byte kFreshFill{0xcd};

  /// Fails with rule tensor.memory where the system has not enough.
  static Result<Ref<Storage>> allocate(int64_t bytes, std::byte fill = kFreshFill);
  /// The same, charged to a budget until the storage is gone.
  static Result<Ref<Storage>> allocate(int64_t bytes, std::shared_ptr<MemoryBudget> budget);
  /// Refers to memory that `owner` keeps alive, such as a mapped file; it can not be written.
  static Ref<Storage> external(const std::byte* data, int64_t bytes, std::shared_ptr<const void> owner);

  Storage(std::byte* data, int64_t bytes, std::shared_ptr<const void> owner, bool writable)
      : data_(data), bytes_(bytes), owner_(std::move(owner)), writable_(writable) {}
  ~Storage() override;

  int64_t bytes() const { return bytes_; }
  const std::byte* data() const { return data_; }
  bool writable() const { return writable_; }
  /// Only for the owner of a run; asserts that the storage is writable.
  std::byte* mutableData() const;
  /// True until markWritten: every byte is still kFreshFill, so nobody needs a copy of it.
  bool fresh() const { return fresh_; }
  void markWritten() const { fresh_ = false; }

 private:
  std::byte* data_;
  int64_t bytes_;
  std::shared_ptr<const void> owner_;
  bool writable_;
  mutable bool fresh_ = false;
};

}  // namespace rx
