#include "core/transform/storage_pool.h"

namespace rx::transform {

namespace {
/// A storage this many times larger or smaller than the request is left for others.
constexpr int64_t kMatchRange = 16;
}  // namespace

std::shared_ptr<StorageToken> StoragePool::take(const StorageToken& request, arith::Analyzer& analyzer) {
  int64_t size = request.constantBytes();
  if (size < 0) {
    auto& free = symbolic_[keyOf(request)];
    for (size_t i = 0; i < free.size(); ++i) {
      if (!analyzer.canProveEqual(free[i]->bytes, request.bytes)) continue;
      std::shared_ptr<StorageToken> token = free[i];
      free.erase(free.begin() + static_cast<std::ptrdiff_t>(i));
      return token;
    }
    return nullptr;
  }
  auto& free = constant_[keyOf(request)];
  auto begin = free.lower_bound(size / kMatchRange);
  auto middle = free.lower_bound(size);
  auto end = free.upper_bound(size > INT64_MAX / kMatchRange ? INT64_MAX : size * kMatchRange);
  if (middle != end) {
    std::shared_ptr<StorageToken> token = middle->second;
    free.erase(middle);
    return token;
  }
  if (middle == begin) return nullptr;
  auto smaller = std::prev(middle);
  std::shared_ptr<StorageToken> token = smaller->second;
  token->bytes = request.bytes;
  free.erase(smaller);
  return token;
}

void StoragePool::release(std::shared_ptr<StorageToken> token) {
  int64_t size = token->constantBytes();
  if (size < 0) {
    symbolic_[keyOf(*token)].push_back(std::move(token));
  } else {
    constant_[keyOf(*token)].emplace(size, std::move(token));
  }
}

}  // namespace rx::transform
