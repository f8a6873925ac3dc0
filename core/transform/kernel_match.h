// Which loop nests of a kernel compute what patterns compute.
#pragma once

#include <span>

#include "core/ir/module.h"

namespace rx::transform {

/// The statements of the root block of a kernel; empty where it has no root block.
std::vector<tir::Stmt> nestsOf(const tir::PrimFunc& kernel);

/// How many of the first nests of the kernel are, each, what one of the patterns computes. A pattern is a kernel of one
/// nest. Its parameters behind the buffers stand for sizes, or for factors and summands that the kernel does without.
size_t matchedNests(const tir::PrimFunc& kernel, std::span<const tir::PrimFuncRef> patterns);

}  // namespace rx::transform
