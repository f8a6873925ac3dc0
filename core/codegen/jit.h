// The part of LLVM that the rest of this layer uses, without its headers: one PrimFunc in, an entry point out.
#pragma once

#include <memory>
#include <string>

#include "core/codegen/kernels.h"
#include "core/lower/signature.h"

namespace rx::codegen {

/// Machine code of one kernel; the memory lives as long as this object.
class LoadedKernel {
 public:
  virtual ~LoadedKernel() = default;
  vm::KernelEntry entry = nullptr;
};

/// An object file (ELF) with the kernel as its only visible function. Fails with codegen.unsupported (from the emitter)
/// or codegen.llvm.
Result<std::string> kernelObject(const lower::HostKernel& lowered, const KernelOptions& options);

/// Makes an object of kernelObject, made for this machine, callable. Fails with codegen.llvm.
Result<std::unique_ptr<LoadedKernel>> loadKernel(const std::string& object);

}  // namespace rx::codegen
