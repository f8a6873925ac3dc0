// Reads the file of an executable.
#pragma once

#include <string>
#include <string_view>

#include "core/runtime/executable.h"
#include "core/support/bytes.h"

namespace rx::vm {

/// What a file held, not yet verified. `origins` is the text of the section that only core/vm understands.
struct ExecutableFile {
  ExecutableParts parts;
  std::string origins;
};

/// Reads the first and second format, with or without our sections; constants of every numbering since v0.16. Fails
/// with vm.file: not such a file, cut off, or lengths that do not fit.
Result<ExecutableFile> readExecutable(std::string_view bytes);

}  // namespace rx::vm
