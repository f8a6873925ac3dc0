#include "core/codegen/jit.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/TargetParser/Host.h>

#include "core/codegen/kernels.h"
#include "core/codegen/llvm_module.h"
#include "core/runtime/kernel_host.h"

namespace rx::codegen {
namespace {

class JitKernel final : public LoadedKernel {
 public:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

/// Optimizes the module and translates it to an ELF object.
Result<std::string> objectFile(PreparedModule& prepared, const KernelOptions& options) {
  optimize(prepared, options);
  RX_TRY(machine, writerFor(*prepared.module, options));
  return codeOf(*machine, *prepared.module, llvm::CodeGenFileType::ObjectFile, "this target writes no object files");
}

}  // namespace

Result<std::string> kernelObject(const lower::HostKernel& lowered, const KernelOptions& options) {
  RX_TRY(prepared, prepare(options));
  RX_CHECK(emitInto(*prepared.module, lowered, kKernelSymbol, options));
  return objectFile(prepared, options);
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

namespace {

void addData(llvm::Module& module, const ObjectData& data) {
  llvm::Constant* bytes = llvm::ConstantDataArray::getString(module.getContext(), data.bytes, /*AddNull=*/false);
  auto* global =
      new llvm::GlobalVariable(module, bytes->getType(), true, llvm::GlobalValue::ExternalLinkage, bytes, data.name);
  global->setAlignment(llvm::Align(16));
  global->setVisibility(llvm::GlobalValue::HiddenVisibility);
}

}  // namespace

Result<std::string> packageObject(const ir::Module& module, const std::string& table,
                                  const std::vector<ObjectData>& data, const KernelOptions& options,
                                  const Lowering& lower) {
  RX_TRY(prepared, prepare(options));
  std::vector<llvm::Constant*> entries;
  for (size_t i = 0; i < module->size(); ++i) {
    const auto function = refAs<tir::PrimFunc>(module->functions[i]);
    if (!function) continue;
    RX_TRY(kernel, lower(function));
    const std::string name = fmt::format("rxs_kernel_{}", i);
    RX_CHECK(emitInto(*prepared.module, kernel, name, options));
    llvm::Function* entry = prepared.module->getFunction(name);
    entry->setVisibility(llvm::GlobalValue::HiddenVisibility);
    entries.push_back(entry);
  }
  auto* type = llvm::ArrayType::get(llvm::PointerType::getUnqual(prepared.module->getContext()), entries.size());
  auto* array = new llvm::GlobalVariable(*prepared.module, type, true, llvm::GlobalValue::ExternalLinkage,
                                         llvm::ConstantArray::get(type, entries), table);
  array->setVisibility(llvm::GlobalValue::HiddenVisibility);
  for (const ObjectData& item : data) addData(*prepared.module, item);
  return objectFile(prepared, options);
}

std::string compilerVersion() { return LLVM_VERSION_STRING; }
std::string processorName() { return llvm::sys::getHostCPUName().str(); }
std::set<std::string, std::less<>> processorFeatures() {
  std::set<std::string, std::less<>> found;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    if (feature.second) found.insert(feature.first().str());
  }
  return found;
}

}  // namespace rx::codegen
