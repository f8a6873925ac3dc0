#include "core/debug/host_bytes.h"

#include <sys/mman.h>

namespace rx::debug {

std::span<const std::byte> HostBytes::of(const Storage& storage, int64_t offset, int64_t bytes) {
  const auto size = static_cast<size_t>(bytes);
  if (!storage.device()) return {storage.data() + offset, size};
  if (used_ == copies_.size()) copies_.emplace_back();
  std::vector<std::byte>& copy = copies_[used_++];
  copy.assign(size, std::byte{0});
  if (const auto read = storage.read(offset, copy); !read) writer_.stop(read.diagnostics().front().message);
  return copy;
}

HostBytes::~HostBytes() {
  if (zeros_.data()) ::munmap(const_cast<std::byte*>(zeros_.data()), zeros_.size());
}

std::span<const std::byte> HostBytes::unread(int64_t bytes) {
  const auto size = static_cast<size_t>(bytes);
  if (size > zeros_.size()) {
    void* more = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (more == MAP_FAILED) {
      writer_.stop("no addresses are left for what is recorded");
      return {};
    }
    if (zeros_.data()) ::munmap(const_cast<std::byte*>(zeros_.data()), zeros_.size());
    zeros_ = {static_cast<const std::byte*>(more), size};
  }
  return zeros_.first(size);
}

Ref<HostTensor> HostBytes::tensor(const HostTensor& tensor) {
  if (!tensor.device()) return Ref<HostTensor>(&tensor);
  const auto bytes = of(*tensor.storage(), tensor.byteOffset(), tensor.bytes());
  // The owner only has to be there: the copies are this object's.
  auto storage = Storage::external(bytes.data(), tensor.bytes(), std::make_shared<int>(0));
  return make<HostTensor>(std::move(storage), 0, tensor.shape(), tensor.dtype());
}

}  // namespace rx::debug
