// A kernel as LLVM has it and as the processor runs it, line by line with the statements that it came from.
#pragma once

#include "core/codegen/assembly_text.h"
#include "core/codegen/kernels.h"
#include "core/support/source.h"

namespace rx::codegen {

struct KernelListing {
  ListedText made, optimized;  ///< LLVM IR
  MachineCode machine;
};

/// The kernel as it is compiled with these options. Places of its statements that name `file` are places in `text`.
/// Fails with what compiling it fails with, or pass.cancelled.
Result<KernelListing> listKernel(const lower::HostKernel& kernel, const SourceFile& text, uint32_t file,
                                 const KernelOptions& options, const CancelToken& cancel);

}  // namespace rx::codegen
