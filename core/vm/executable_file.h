// The file of an executable: TVM's layout (magic, globals, memory scopes, constants, code), then a section of ours.
#pragma once

#include <string>
#include <string_view>

#include "core/vm/executable.h"

namespace rx::vm {

/// Bytes in TVM's second format, then the debug section, which TVM's reader does not look at. Fails with
/// vm.file-constant when a constant has no form in the file.
Result<std::string> executableBytes(const Executable& executable);

/// Reads the first and second format, with or without our section; constants of every numbering since v0.16. Fails
/// with vm.file (not such a file, cut off, or lengths that do not fit) or vm.verify.
Result<Ref<Executable>> parseExecutable(std::string_view bytes);

}  // namespace rx::vm
