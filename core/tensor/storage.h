// Storage: a reference-counted buffer of bytes, 64-byte aligned. Tensors are views of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/support/ref.h"
#include "core/support/result.h"

namespace rx {

/// The buffer behind one or more tensors. Bytes that a constant of the IR refers to never change; who allocated a
/// storage to compute into (the VM, the interpreter) writes through `mutableData`.
class Storage : public Object {
 public:
  static constexpr size_t kAlignment = 64;
  /// Fresh storage has this content, so that unwritten memory is the same in every run.
  static constexpr std::byte kFreshFill{0xcd};

  /// Fails with rule tensor.memory where the system has not enough.
  static Result<Ref<Storage>> allocate(int64_t bytes, std::byte fill = kFreshFill);
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

 private:
  std::byte* data_;
  int64_t bytes_;
  std::shared_ptr<const void> owner_;
  bool writable_;
};

}  // namespace rx
