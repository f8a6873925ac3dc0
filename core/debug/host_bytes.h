// HostBytes: the bytes of a run's memory for its recording: those in host memory where they lie, those on a device as
// copies.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "core/store/writer.h"
#include "core/tensor/host_tensor.h"

namespace rx::debug {

class HostBytes {
 public:
  explicit HostBytes(store::Writer& writer) : writer_(writer) {}
  ~HostBytes();
  HostBytes(const HostBytes&) = delete;
  HostBytes& operator=(const HostBytes&) = delete;

  /// Valid until clear(). Where a device does not give them the recording ends, and they are zeros.
  std::span<const std::byte> of(const Storage& storage, int64_t offset, int64_t bytes);
  std::span<const std::byte> of(const Storage& storage) { return of(storage, 0, storage.bytes()); }
  /// As many zeros, which take no memory, in place of bytes that only their number is asked of.
  std::span<const std::byte> unread(int64_t bytes);
  /// The tensor over such bytes.
  Ref<HostTensor> tensor(const HostTensor& tensor);
  /// Gives up the copies, whose room is kept.
  void clear() {
    if (used_ > 0) writer_.settle();
    used_ = 0;
  }

 private:
  store::Writer& writer_;
  std::deque<std::vector<std::byte>> copies_;
  size_t used_ = 0;
  std::span<const std::byte> zeros_;
};

}  // namespace rx::debug
