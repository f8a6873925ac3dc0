// Direct calls of kernels that know less of their arguments than the kernels ask for.
#pragma once

#include <optional>

#include "core/op/infer.h"

namespace rx::build {

/// The first argument of a direct call of a kernel of which less is known than the kernel asks for (a tensor of unknown
/// rank, as memory in a storage has), where it may still fit: it is checked when the kernel runs.
std::optional<size_t> looseArgument(const relax::Call& call, op::InferContext& context);

}  // namespace rx::build
