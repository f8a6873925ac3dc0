// The order in which a kernel touches the memory that it allocates.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/ir/stmt.h"
#include "core/support/result.h"

namespace rx::lower {

/// A statement that touches allocated memory, or the beginning or end of a scope: a loop, a branch, a launch.
struct StorageEvent {
  enum class Kind : uint8_t { Leaf, Begin, End };
  const tir::StmtNode* statement;
  Kind kind;
  size_t pair = 0;  ///< of Begin and End: the index of the other
  /// Pointers of allocations. What is touched deep inside counts at the level of its allocation, where scopes end.
  std::vector<const tir::Var*> touched;
};

struct StorageEvents {
  std::vector<StorageEvent> sequence;
  std::unordered_map<const tir::Var*, const tir::AllocBuffer*> allocations;
};

/// Everything in the body, which must be flat: buffers of one dimension where they are accessed, no vectorized loops.
Result<StorageEvents> storageEvents(const tir::Stmt& body);

/// What is first and last touched in a statement or, of a scope, anywhere in it.
struct StorageLifetime {
  std::vector<const tir::Var*> begins, ends;
};
std::unordered_map<const tir::StmtNode*, StorageLifetime> storageLifetimes(const std::vector<StorageEvent>& sequence);

/// Whether the statement may write its results over what it reads: dst[i] = f(src[i]) and nothing else of either.
bool worksInPlace(const tir::StmtNode& statement, const tir::Var* dst, const tir::Var* src);

}  // namespace rx::lower
