// Executables as files (core/runtime/executable_bytes.h), with the bindings of the imported module that each of their
// instructions computes.
#pragma once

#include <string>
#include <string_view>

#include "core/runtime/executable.h"
#include "core/tensor/tensor_blob.h"

namespace rx::vm {

/// Constants of some size go to `blocks` where they are given. Fails with vm.file-constant when a constant has no form
/// in the file.
Result<std::string> executableBytes(const Executable& executable, TensorBlocks* blocks = nullptr);

/// Reads what readExecutable reads. Fails with vm.file or vm.verify.
Result<Ref<Executable>> parseExecutable(std::string_view bytes, const PlacedBlocks& blocks = {});

}  // namespace rx::vm
