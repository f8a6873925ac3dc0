// JitKernels: the PrimFuncs of a module as kernels of the machine, compiled by LLVM when first called.
#pragma once

#include <memory>
#include <string>

#include "core/ir/module.h"
#include "core/runtime/callable.h"

namespace rx::codegen {

struct KernelOptions {
  /// 0: no optimisation, for stepping (compiled in about a millisecond). 2: for release and measuring.
  int optLevel = 0;
  /// Every access is checked against its buffer; a wrong one ends the kernel with a message instead of a crash.
  bool checkAccess = true;
};

/// Compiled code by structural hash and options, shared by machines and by runs. Thread-safe.
class KernelCache;
std::shared_ptr<KernelCache> makeKernelCache();

/// The PrimFuncs of `module` by their symbols. Compiles lazily; a PrimFunc that can not be compiled is a failure of
/// its first call (codegen.unsupported). `cache` may be null.
std::shared_ptr<vm::KernelProvider> makeJitKernels(const ir::Module& module, const KernelOptions& options,
                                                   std::shared_ptr<KernelCache> cache = nullptr);

/// LLVM IR and assembly of one PrimFunc, for display.
struct KernelText {
  std::string llvm;
  std::string assembly;
};
Result<KernelText> kernelText(const tir::PrimFuncRef& function, const std::string& name, const KernelOptions& options);

/// Bytes that an object file holds under a C name.
struct ObjectData {
  std::string name;
  std::string bytes;
};
/// An object file with every PrimFunc of the module (in module order), an array of pointers to them named `table`, and
/// read-only data. All of it is hidden: only what is linked into the same library sees it.
Result<std::string> packageObject(const ir::Module& module, const std::string& table,
                                  const std::vector<ObjectData>& data, const KernelOptions& options);

/// An object file (ELF) that holds every PrimFunc of the module as `<prefix><symbol>` with the KernelEntry signature.
/// The host functions that the code calls (rx_*) have to be supplied by who links it.
Result<std::string> kernelObject(const ir::Module& module, const std::string& prefix, const KernelOptions& options);

/// Version of the LLVM that compiles, and the name that it has for the processor of this machine.
std::string compilerVersion();
std::string processorName();

}  // namespace rx::codegen
