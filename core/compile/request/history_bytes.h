// What passes made of a module, as bytes: a client that ran them hands every stage to the engine, which then runs none.
#pragma once

#include <string>
#include <string_view>

#include "core/pass/runner.h"

namespace rx::compile {

/// The stages, the names of the passes and what these said. No step may have failed. Fails with `ir.cancelled` alone.
Result<std::string> historyToBytes(const pass::History& history, const CancelToken& cancel);

/// The history again. Anything may be in `bytes`: it fails with `ir.bytes`. Whether the stages are well formed is not
/// asked.
Result<pass::History> historyFromBytes(std::string_view bytes, const CancelToken& cancel);

}  // namespace rx::compile
