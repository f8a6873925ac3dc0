// Copies that a device makes while threads go on, as late as it may: they are noted by the thread that asks for them,
// and made when it waits for them. What reads before that finds nothing there, and one that nobody waits for is a
// fault.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "core/ir/all_nodes.h"

namespace rx::cuda_double {

class LateCopies {
 public:
  /// Of all copies of a kernel.
  explicit LateCopies(const tir::Stmt& kernel);

  /// What a copy, a group of copies or a wait for some is; nothing for any other call. `copy` makes one now.
  std::optional<tir::Stmt> of(const tir::Call& call, const std::function<tir::Stmt(const tir::Call&)>& copy) const;
  /// The kernel with what each thread notes, where it has copies.
  tir::Stmt around(tir::Stmt kernel) const;

 private:
  /// What a thread asked for, the oldest first: the numbers of copies and of what counts them, then what each is given.
  struct List {
    tir::BufferRef rows, state;
  };
  enum State : int64_t { First, Next, Group, kStates };

  tir::Stmt note(const tir::Call& call, const List& list, tir::PrimExpr countedBy) const;
  /// Makes the oldest ones while they are counted so.
  tir::Stmt arrive(const List& list, const std::function<tir::PrimExpr(const tir::PrimExpr&)>& due,
                   const std::function<tir::Stmt(const tir::Call&)>& copy) const;

  std::vector<const tir::Call*> copies_;
  List grouped_, counted_;  ///< by groups, and by barriers
};

}  // namespace rx::cuda_double
