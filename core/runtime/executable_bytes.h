// The file of an executable: TVM's layout (magic, version, functions, memory scopes, constants, code), then sections of
// ours, which TVM's reader does not look at: names of variables and places, and the origins.
#pragma once

#include <string>
#include <string_view>

#include "core/runtime/executable.h"
#include "core/tensor/tensor_blob.h"

namespace rx::vm {

/// What a file holds; not verified where it was read. `origins` are the bytes of a section that only core/vm
/// understands; none where it is empty.
struct ExecutableFile {
  ExecutableParts parts;
  std::string origins;
};

/// Reads the first and second format, with or without our sections; constants of every numbering since v0.16. Fails
/// with vm.file: not such a file, cut off, or lengths that do not fit. Constants may lie in `blocks`, where they are
/// used as they lie.
Result<ExecutableFile> readExecutable(std::string_view bytes, const PlacedBlocks& blocks = {});
/// Bytes in TVM's second format, with our sections. Where `blocks` are given, constants of some size are put there,
/// which TVM's reader does not know. Fails with vm.file-constant when a constant has no form in the file.
Result<std::string> writeExecutable(const ExecutableParts& parts, const std::string& origins,
                                    TensorBlocks* blocks = nullptr);

}  // namespace rx::vm
