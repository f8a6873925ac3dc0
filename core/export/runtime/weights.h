// The weights of a package: a safetensors file that is mapped, each chunk of it checked when it is first used.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/support/file.h"
#include "core/tensor/npy.h"

namespace rx::package {

class Weights {
 public:
  /// Reads the table. `known` is what the package has of its weights, and outlives this: the length of their file, and
  /// the hash of each chunk. Fails with package.weights where these are not the weights that the package was built
  /// with; one that was built without any takes every file.
  static Result<Weights> open(const char* path, std::string_view known);
  /// Null where there is none of that name. Fails with package.weights where its bytes are not what was written.
  Result<Ref<HostTensor>> find(std::string_view name);

 private:
  Result<Unit> check(uint64_t begin, uint64_t end);

  std::string_view known_;
  std::shared_ptr<const MappedFile> file_;
  std::vector<NamedTensor> tensors_;
  std::vector<bool> checked_;  ///< of each chunk
};

}  // namespace rx::package
