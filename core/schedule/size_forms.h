// Kernels whose sizes a run alone knows have forms of their own for some small ones.
#pragma once

#include <span>
#include <vector>

#include "core/schedule/stage.h"

namespace rx::schedule {

/// The numbers, from the least, for which rules choose otherwise where the size is that: one, of which loops go; and,
/// where vectors go along axes of the size for a good part of what is read and stored, those that fill less than half
/// of one.
std::vector<int64_t> numbersWithForms(std::span<const Stage> stages, const tir::VarRef& size,
                                      const VectorShape& vectors);
/// A statement that defines no buffer where a size is this number, with variables of its own. What is read and stored
/// keeps the size: it is part of the shapes of buffers.
tir::Stmt atSize(const tir::Stmt& statement, const tir::VarRef& size, int64_t number);
/// The stage as loops over its axes, for one that no rule takes.
tir::Stmt plainNest(const Stage& stage);

}  // namespace rx::schedule
