// core/codegen: PrimFuncs to machine code by LLVM, for stepping (compiled when first reached, not optimised, accesses
// checked) and for release; for the machine of this process, and as objects to link. The other layers see kernels as
// vm::Callable; LLVM's headers stay inside the .cpp files.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "core/ir/module.h"
#include "core/lower/host_lowering.h"
#include "core/runtime/callable.h"

namespace rx {
class ThreadPool;
}

namespace rx::codegen {

/// What machine code is made for, in LLVM's names.
struct Machine {
  std::string triple;  ///< empty: this machine, with all that it can do
  std::string processor;
  std::string features;  ///< "+avx2,+fma"
};

struct KernelOptions {
  /// 0: no optimisation, for stepping (compiled in about a millisecond). 2: for release and measuring.
  int optLevel = 0;
  /// Every access that lowering did not prove is checked against its buffer; a wrong one ends the kernel with a message
  /// instead of a crash.
  bool checkAccess = true;
  Machine machine = {};
  std::string symbol = {};  ///< of the entry; empty: that of a kernel that stands alone
};

/// Brings a PrimFunc into the form that is emitted (core/lower/host_lowering.h).
using Lowering = std::function<Result<lower::HostKernel>(const tir::PrimFuncRef&)>;

/// An object, and whether it was there already.
struct StoredObject {
  std::string object;
  bool found = false;
};

/// Objects of kernels that outlive the process. Thread-safe.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;
  /// The object that is kept for the same function and options; where there is none, or a damaged one, what `make`
  /// gives, which is kept from then on. Fails with what `make` fails with.
  virtual Result<StoredObject> objectFor(const tir::PrimFuncRef& function, const KernelOptions& options,
                                         const std::function<Result<std::string>()>& make) = 0;
};

/// What compiles kernels.
struct KernelCompiler {
  KernelOptions options;
  Lowering lower;
  std::shared_ptr<ObjectStore> store;  ///< may be null
};

/// How kernels came to be, so far.
struct CompileTally {
  int64_t nanoseconds = 0;  ///< spent on lowering, compiling and loading, summed over threads
  int64_t compiled = 0;     ///< kernels
  int64_t loaded = 0;       ///< of them, from the store
};

/// The PrimFuncs of a module by their symbols, as kernels of the machine. A kernel is compiled when first called; one
/// that can not be compiled fails then (codegen.unsupported, or what lowering refuses). Structurally equal ones share
/// their code.
class JitKernels : public vm::KernelProvider {
 public:
  virtual CompileTally tally() const = 0;
  /// Compiles these kernels now, on all threads of the pool; names of anything else are passed over. What can not be
  /// compiled is told when it is called.
  virtual void compileAhead(std::span<const std::string> names, ThreadPool& pool, const CancelToken& cancel,
                            const std::function<void(size_t done, size_t count)>& progress) = 0;
};
/// `compiler`: for the machine of this process.
std::shared_ptr<JitKernels> makeJitKernels(const ir::Module& module, KernelCompiler compiler);

/// Bytes that an object file holds under a C name.
struct ObjectData {
  std::string name;
  std::string bytes;
};
/// Object files with every PrimFunc of the module, one for each that no other equals, compiled on the threads of the
/// pool or taken from the store; and behind them one with an array of pointers to their entries (in module order) named
/// `table`, and read-only data. All of it is hidden: only what is linked into the same library sees it.
Result<std::vector<std::string>> packageObjects(const ir::Module& module, const std::string& table,
                                                const std::vector<ObjectData>& data, const KernelCompiler& compiler,
                                                ThreadPool& pool);

/// Version of the LLVM that compiles, and the name that it has for the processor of this machine.
std::string compilerVersion();
std::string processorName();
/// Features that the processor of this machine has, in LLVM's names ("avx2").
std::set<std::string, std::less<>> processorFeatures();

}  // namespace rx::codegen
