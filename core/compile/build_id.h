// What tells one build of this program from any other.
#pragma once

#include <string>

namespace rx::compile {

/// The id that the linker wrote into the running program (its GNU build id) in hexadecimal digits; empty without one.
const std::string& buildId();

}  // namespace rx::compile
