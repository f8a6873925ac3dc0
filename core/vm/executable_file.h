// The file of an executable: TVM's layout, then sections of ours (core/runtime/executable_format.h).
#pragma once

#include <string>
#include <string_view>

#include "core/runtime/executable.h"

namespace rx::vm {

/// What follows TVM's part: names and places, and with them the bindings of the imported module.
enum class Sections : uint8_t { Debug, All };

/// Bytes in TVM's second format, then the sections, which TVM's reader does not look at. Fails with vm.file-constant
/// when a constant has no form in the file.
Result<std::string> executableBytes(const Executable& executable, Sections sections = Sections::All);

/// Reads what readExecutable reads, with the origins. Fails with vm.file or vm.verify.
Result<Ref<Executable>> parseExecutable(std::string_view bytes);

}  // namespace rx::vm
