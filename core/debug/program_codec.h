// The program with its stages as bytes, for the head of a recording, and back.
#pragma once

#include <string>
#include <string_view>

#include "core/debug/program.h"
#include "core/support/result.h"

namespace rx::debug {

std::string programBytes(const Program& program);
/// Fails with `store.program` where the bytes are none.
Result<Program> programFrom(std::string_view bytes);

}  // namespace rx::debug
