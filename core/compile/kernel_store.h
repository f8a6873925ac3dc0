// Machine code of kernels on disk, between runs.
#pragma once

#include <memory>
#include <string>

#include "core/codegen/kernels.h"

namespace rx::compile {

/// The folder that holds the kernels of this user (cacheFolder).
std::string kernelStoreFolder();

/// A store in `folder`, which is made when missing, for this user alone. An entry is found by everything that its code
/// depends on: the text of the function, the options, the processor, LLVM, and this very build of the program. What is
/// damaged in any byte, or belongs to somebody else, counts as not there and is replaced. The oldest entries go when
/// all together exceed `maxBytes`. Null where the folder can not be had, or others may write into it.
std::shared_ptr<codegen::ObjectStore> openKernelStore(const std::string& folder, uint64_t maxBytes = uint64_t{1} << 29);

}  // namespace rx::compile
