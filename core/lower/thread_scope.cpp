#include "core/lower/thread_scope.h"

#include <algorithm>

namespace rx::lower {

namespace {

constexpr std::string_view kScopes[] = {"global",  "shared", "warp",    "local", "wmma",
                                        "m16n8k8", "metal",  "texture", "amx"};

}  // namespace

std::span<const std::string_view> storageScopes() { return kScopes; }

bool isStorageScope(std::string_view scope) {
  return scope.empty() || std::ranges::find(kScopes, scope.substr(0, scope.find('.'))) != std::end(kScopes);
}

StorageRank storageRank(std::string_view scope) {
  const std::string_view base = scope.substr(0, scope.find('.'));
  if (scope.empty() || (base == "global" && !scope.starts_with("global.texture"))) return StorageRank::Global;
  if (base == "shared") return StorageRank::Shared;
  if (base == "warp") return StorageRank::Warp;
  return base == "local" ? StorageRank::Local : StorageRank::Other;
}

bool sharedByThreads(std::string_view scope, std::string_view threadTag) {
  const StorageRank rank = storageRank(scope);
  // The lanes of a warp lie along x.
  if (rank == StorageRank::Warp) return threadTag == "threadIdx.x";
  const int threadRank = threadTag.starts_with("blockIdx") ? 0 : 1;
  return static_cast<int>(rank) <= threadRank;
}

}  // namespace rx::lower
