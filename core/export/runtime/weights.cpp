#include "core/export/runtime/weights.h"

#include <algorithm>

#include "core/support/bytes.h"
#include "core/support/chunk_hash.h"
#include "core/tensor/safetensors.h"

namespace rx::package {

namespace {

/// What the package knows of its weights: the bytes of the file, and the hash of each chunk.
struct Known {
  uint64_t bytes = 0;
  std::string_view hashes;

  uint64_t hash(uint64_t chunk) const {
    uint64_t value = 0;
    std::memcpy(&value, hashes.data() + chunk * sizeof value, sizeof value);
    return value;
  }
};

Known knownFrom(std::string_view all) {
  ByteReader in(all);
  Known weights;
  weights.bytes = in.get<uint64_t>();
  weights.hashes = in.rest();
  return weights;
}

Failure foreign(const std::string& what) {
  return fail("package.weights", "these are not the weights that this package was built with: " + what);
}

}  // namespace

Result<Weights> Weights::open(const char* path, std::string_view known) {
  Weights weights;
  weights.known_ = known;
  RX_TRY(file, MappedFile::open(path));
  weights.file_ = std::move(file);
  const std::string_view bytes = weights.file_->bytes();
  const Known built = knownFrom(known);
  if (built.bytes != 0 && built.bytes != bytes.size())
    return foreign(fmt::format("the file has {} bytes, not {}", bytes.size(), built.bytes));
  weights.checked_.assign(built.hashes.size() / sizeof(uint64_t), false);
  RX_CHECK(weights.check(0, 1));
  RX_TRY(tensors, parseSafetensors(bytes, weights.file_));
  weights.tensors_ = std::move(tensors);
  return weights;
}

Result<Ref<HostTensor>> Weights::find(std::string_view name) {
  const auto found =
      std::find_if(tensors_.begin(), tensors_.end(), [&](const NamedTensor& w) { return w.first == name; });
  if (found == tensors_.end()) return Ref<HostTensor>();
  const auto* data = reinterpret_cast<const char*>(found->second->data());
  const std::string_view bytes = file_->bytes();
  const bool mapped = data >= bytes.data() && data < bytes.data() + bytes.size();
  // One that does not lie as it is needed was copied from somewhere in the file.
  const uint64_t begin = mapped ? static_cast<uint64_t>(data - bytes.data()) : 0;
  RX_CHECK(check(begin, mapped ? begin + static_cast<uint64_t>(found->second->bytes()) : bytes.size()));
  return found->second;
}

Result<Unit> Weights::check(uint64_t begin, uint64_t end) {
  const Known built = knownFrom(known_);
  for (uint64_t chunk = begin / kHashedChunk; chunk < checked_.size() && chunk * kHashedChunk < end; ++chunk) {
    if (checked_[chunk]) continue;
    if (chunkHash(file_->bytes().substr(chunk * kHashedChunk, kHashedChunk)) != built.hash(chunk))
      return foreign(fmt::format("the file has other content from byte {} on", chunk * kHashedChunk));
    checked_[chunk] = true;
  }
  return Unit{};
}

}  // namespace rx::package
