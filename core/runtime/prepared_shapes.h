// Calls of the builtins of the shape heap made ready: the codes of an instruction are read once, and a value that is as
// they say is compared and stored without more. What is not is left to the builtin, which says why.
#pragma once

#include "core/runtime/prepared_call.h"

namespace rx::vm {

/// How match_shape and make_shape treat one dimension (TVM's MatchShapeCode and MakeShapeCode).
enum MatchCode : int64_t { kEqualsImmediate = 0, kStore = 1, kSkip = 2, kEqualsSlot = 3 };
enum MakeCode : int64_t { kImmediate = 0, kLoad = 1 };

/// Each as Callable::prepare, of the arguments of the builtin of that name.
std::unique_ptr<PreparedCall> prepareShapeHeap(std::span<const PlannedArgument> places);
std::unique_ptr<PreparedCall> prepareMatchShape(std::span<const PlannedArgument> places);
std::unique_ptr<PreparedCall> prepareMakeShape(std::span<const PlannedArgument> places);
std::unique_ptr<PreparedCall> prepareMatchPrimValue(std::span<const PlannedArgument> places);
std::unique_ptr<PreparedCall> prepareMakePrimValue(std::span<const PlannedArgument> places);
std::unique_ptr<PreparedCall> prepareTensorInfo(std::span<const PlannedArgument> places);

}  // namespace rx::vm
