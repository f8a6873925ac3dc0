// The part of LLVM that the rest of this layer uses, without its headers: one PrimFunc in, an entry point out.
#pragma once

#include <memory>
#include <string>

#include "core/codegen/kernels.h"
#include "core/codegen/signature.h"

namespace rx::codegen {

/// Machine code of one kernel; the memory lives as long as this object.
class CompiledKernel {
 public:
  virtual ~CompiledKernel() = default;
  KernelEntry entry = nullptr;
};

/// Fails with codegen.unsupported (from the emitter) or codegen.llvm.
Result<std::unique_ptr<CompiledKernel>> compileKernel(const Signature& signature, const KernelOptions& options);

}  // namespace rx::codegen
