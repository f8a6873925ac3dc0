#include "core/codegen/jit.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <mutex>

#include "core/codegen/emitter.h"
#include "core/codegen/kernels.h"
#include "core/runtime/kernel_host.h"

namespace rx::codegen {
namespace {

constexpr const char* kEntryName = "kernel";

Failure llvmFailure(llvm::Error error) { return fail("codegen.llvm", "LLVM: " + llvm::toString(std::move(error))); }

/// Instructions of a kernel beyond which it is not optimised: LLVM's time grows faster than the code does.
constexpr unsigned kMaxOptimized = 40000;

void initializeOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
  });
}

Result<llvm::orc::JITTargetMachineBuilder> hostMachine() {
  initializeOnce();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder) return llvmFailure(builder.takeError());
  return std::move(*builder);
}

Result<llvm::orc::JITTargetMachineBuilder> builderFor(const Machine& machine) {
  if (machine.triple.empty()) return hostMachine();
  initializeOnce();
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(machine.triple)};
  builder.setCPU(machine.processor);
  builder.addFeatures(llvm::SubtargetFeatures(machine.features).getFeatures());
  return builder;
}

Result<std::unique_ptr<llvm::TargetMachine>> machineFor(const KernelOptions& options) {
  RX_TRY(builder, builderFor(options.machine));
  builder.setCodeGenOptLevel(options.optLevel == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Aggressive);
  builder.setRelocationModel(llvm::Reloc::PIC_);
  auto machine = builder.createTargetMachine();
  if (!machine) return llvmFailure(machine.takeError());
  return std::move(*machine);
}

/// Loops that LLVM makes vectors of use the widest registers, as what rules write with vectors does.
void preferWideVectors(llvm::Module& module, const llvm::TargetMachine& machine) {
  if (!machine.getTargetTriple().isX86() || !machine.getMCSubtargetInfo()->checkFeatures("+avx512f,+avx512vl")) return;
  for (llvm::Function& function : module) function.addFnAttr("prefer-vector-width", "512");
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine, int level) {
  if (level == 0) return;
  preferWideVectors(module, machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

/// Emits a kernel into the module and checks what was emitted.
Result<Unit> emitInto(llvm::Module& module, const lower::HostKernel& kernel, const std::string& name,
                      const KernelOptions& options) {
  RX_TRY(signature, lower::Signature::of(kernel.function));
  RX_CHECK(Emitter(module, signature, kernel, options).run(name));
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream)) return fail("codegen.llvm", "the emitted code is not valid: " + problem);
  for (llvm::Function& function : module) {
    if (function.hasOptNone() || function.getInstructionCount() <= kMaxOptimized) continue;
    function.removeFnAttr(llvm::Attribute::AlwaysInline);
    function.addFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::NoInline);
  }
  return Unit{};
}

/// Options for what is in the module now: code that is not optimised is translated in the quick way too.
KernelOptions optionsFor(const llvm::Module& module, KernelOptions options) {
  for (const llvm::Function& function : module) {
    if (function.hasOptNone()) options.optLevel = 0;
  }
  return options;
}

class JitKernel final : public LoadedKernel {
 public:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

struct PreparedModule {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};

Result<PreparedModule> prepare(const KernelOptions& options) {
  RX_TRY(machine, machineFor(options));
  PreparedModule prepared;
  prepared.machine = std::move(machine);
  prepared.module = std::make_unique<llvm::Module>("kernels", *prepared.context);
  prepared.module->setDataLayout(prepared.machine->createDataLayout());
  prepared.module->setTargetTriple(prepared.machine->getTargetTriple().str());
  return prepared;
}

/// Optimizes the module and translates it to an ELF object.
Result<std::string> objectFile(PreparedModule& prepared, const KernelOptions& options) {
  optimize(*prepared.module, *prepared.machine, options.optLevel);
  RX_TRY(machine, machineFor(optionsFor(*prepared.module, options)));
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return fail("codegen.llvm", "this target writes no object files");
  passes.run(*prepared.module);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace

Result<std::string> kernelObject(const lower::HostKernel& lowered, const KernelOptions& options) {
  RX_TRY(prepared, prepare(options));
  RX_CHECK(emitInto(*prepared.module, lowered, kEntryName, options));
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
  if (auto error = kernel->jit->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(object, kEntryName)))
    return llvmFailure(std::move(error));
  auto address = kernel->jit->lookup(kEntryName);
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
