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

/// An element type as TVM's files have it: DLPack's code, bits, lanes.
void putType(ByteWriter& out, DataType dtype);
/// Marks the reader as failed where it is no type.
DataType getType(ByteReader& in);

}  // namespace rx::vm
