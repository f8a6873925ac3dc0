// Which operators compilers outside take. Private to the passes.
#pragma once

#include <string_view>

#include "core/ir/relay.h"

namespace rx::relay {

/// Whether it is known what a compiler takes: whether TVM itself has predicates for it. Those that ask a library of
/// the compiler (ethos-n) or that a user's program registers are not.
bool isKnownCompiler(std::string_view compiler);

/// Whether a compiler that is known takes the call of an operator, whose types are inferred.
bool takesCall(std::string_view compiler, const Call& call);

}  // namespace rx::relay
