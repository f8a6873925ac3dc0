#include "core/codegen/jit.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/TargetParser/Host.h>

#include "core/codegen/kernels.h"
#include "core/codegen/llvm_module.h"
#include "core/codegen/loop_turns.h"
#include "core/runtime/kernel_host.h"
#include "core/support/processor.h"

namespace rx::codegen {
namespace {

class JitKernel final : public LoadedKernel {
 public:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

}  // namespace

Result<std::string> kernelObject(const lower::HostKernel& lowered, const KernelOptions& options) {
  RX_TRY(prepared, prepare(options));
  const std::string symbol = options.symbol.empty() ? std::string(kKernelSymbol) : options.symbol;
  RX_CHECK(emitInto(*prepared.module, lowered, symbol, options));
  if (!options.symbol.empty()) prepared.module->getFunction(symbol)->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return objectFile(prepared, options);
}

Result<std::string> countingObject(const lower::HostKernel& lowered, const KernelOptions& options,
                                   std::vector<uint64_t>& turns) {
  RX_TRY(prepared, prepare(options));
  RX_CHECK(emitInto(*prepared.module, lowered, kKernelSymbol, options));
  optimize(prepared, options);
  countTurns(*prepared.module, turns);
  return writtenObject(prepared, options);
}

Result<std::unique_ptr<LoadedKernel>> loadKernel(const std::string& object) {
  RX_TRY(builder, hostMachine());
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(builder)).create();
  if (!jit) return llvmFailure(jit.takeError());
  auto kernel = std::make_unique<JitKernel>();
  kernel->jit = std::move(*jit);
  llvm::orc::JITDylib& library = kernel->jit->getMainJITDylib();
  llvm::orc::SymbolMap symbols;
  for (const vm::HostFunction& function : vm::hostFunctions()) {
    symbols[kernel->jit->mangleAndIntern(function.name)] = {llvm::orc::ExecutorAddr::fromPtr(function.address),
                                                            llvm::JITSymbolFlags::Exported};
  }
  if (auto error = library.define(llvm::orc::absoluteSymbols(std::move(symbols)))) return llvmFailure(std::move(error));
  auto process =
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(kernel->jit->getDataLayout().getGlobalPrefix());
  if (!process) return llvmFailure(process.takeError());
  library.addGenerator(std::move(*process));
  if (auto error = kernel->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, kKernelSymbol)))
    return llvmFailure(std::move(error));
  auto address = kernel->jit->lookup(kKernelSymbol);
  if (!address) return llvmFailure(address.takeError());
  kernel->entry = address->toPtr<vm::KernelEntry>();
  return std::unique_ptr<LoadedKernel>(std::move(kernel));
}

std::string compilerVersion() { return LLVM_VERSION_STRING; }
std::string processorName() { return llvm::sys::getHostCPUName().str(); }
std::set<std::string, std::less<>> processorFeatures() {
  std::set<std::string, std::less<>> found;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    if (feature.second) found.insert(feature.first().str());
  }
  // LLVM does not ask whether the system gives tile registers to those who want them.
  if (!missingFeature("amx-tile").empty())
    std::erase_if(found, [](const auto& name) { return name.starts_with("amx-"); });
  return found;
}

}  // namespace rx::codegen
