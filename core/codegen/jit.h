// The part of LLVM that the rest of this layer uses, without its headers: one PrimFunc in, an entry point out.
#pragma once

#include <memory>
#include <string>
#include <vector>

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

/// The same code, which adds the turns that its loops make to `turns`, by the numbers that loops of its listing have;
/// for this process alone, and as long as `turns` is not touched by others.
Result<std::string> countingObject(const lower::HostKernel& lowered, const KernelOptions& options,
                                   std::vector<uint64_t>& turns);

/// Makes an object of kernelObject, made for this machine, callable. Fails with codegen.llvm.
Result<std::unique_ptr<LoadedKernel>> loadKernel(const std::string& object);

}  // namespace rx::codegen
