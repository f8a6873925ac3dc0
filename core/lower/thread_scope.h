// Which threads of a launch share which memory.
#pragma once

#include <span>
#include <string_view>

namespace rx::lower {

/// Memory by how far inside a launch it belongs, with TVM's numbers.
enum class StorageRank : int { Global = 0, Shared = 1, Warp = 2, Local = 3, Other = 4 };

/// Of a storage scope: "global", "global.vtcm", "shared.dyn", "warp", "local", ...
StorageRank storageRank(std::string_view scope);

/// The memories that a storage scope may name: all of it, or what stands before a '.'.
std::span<const std::string_view> storageScopes();
bool isStorageScope(std::string_view scope);  ///< or nothing, which is the global one

/// Whether threads of this kind ("blockIdx.x", "threadIdx.y", "vthread") share one piece of such memory, so that an
/// allocation holds what all of them access.
bool sharedByThreads(std::string_view scope, std::string_view threadTag);

}  // namespace rx::lower
