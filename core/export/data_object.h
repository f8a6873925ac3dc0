// Tensors as an object file: written as they lie in memory, since a compiler copies what it is given several times.
#pragma once

#include <string>

#include "core/support/result.h"
#include "core/target/processor.h"
#include "core/tensor/tensor_blob.h"

namespace rx::exporter {

/// Writes a relocatable ELF object for x86-64 or aarch64 to `path`: read-only data, hidden, under the C name `symbol`,
/// as aligned as storages are. Fails with file.write.
Result<Unit> writeDataObject(target::Architecture architecture, const std::string& symbol, const TensorBlocks& blocks,
                             const std::string& path);

}  // namespace rx::exporter
