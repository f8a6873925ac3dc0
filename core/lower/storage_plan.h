// Which allocations of a kernel share memory, and where that is allocated.
#pragma once

#include <memory>

#include "core/lower/storage_events.h"

namespace rx::lower {

/// One piece of memory, for allocations that are never needed at the same time.
struct Storage {
  /// The launch, the parallel loop or the part compiled apart that holds it; null for the function.
  const tir::StmtNode* place = nullptr;
  std::string scope;
  DataType element;     ///< of the first
  uint64_t bits = 0;    ///< 0 where the size is not constant
  uint64_t offset = 0;  ///< in bits, inside the memory of another one
  bool isVolatile = false;
  std::vector<const tir::AllocBuffer*> allocations;
  tir::VarRef pointer;
  tir::Stmt statement;  ///< that allocates it; null where it lies inside another one
};

struct StoragePlan {
  std::vector<std::unique_ptr<Storage>> storages;    ///< in the order of first use
  std::unordered_map<const tir::Var*, Storage*> of;  ///< by the pointer of an allocation; without those never used
};

struct StorageOptions {
  bool share = true;
  bool sameType = false;  ///< share among allocations of one element type only
};

StoragePlan planStorage(const StorageEvents& events, const StorageOptions& options);

}  // namespace rx::lower
