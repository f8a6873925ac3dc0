#include "core/codegen/jit.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <mutex>

#include "core/codegen/emitter.h"
#include "core/codegen/host.h"
#include "core/codegen/kernels.h"
#include "core/ir/symbols.h"

namespace rx::codegen {
namespace {

constexpr const char* kEntryName = "kernel";

Failure llvmFailure(llvm::Error error) { return fail("codegen.llvm", "LLVM: " + llvm::toString(std::move(error))); }

/// Instructions of a kernel beyond which it is not optimised: LLVM's time grows faster than the code does.
constexpr unsigned kMaxOptimized = 20000;

void initializeOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

Result<llvm::orc::JITTargetMachineBuilder> hostMachine(const KernelOptions& options) {
  initializeOnce();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder) return llvmFailure(builder.takeError());
  builder->setCodeGenOptLevel(options.optLevel == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Aggressive);
  builder->setRelocationModel(llvm::Reloc::PIC_);
  return std::move(*builder);
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine, int level) {
  if (level == 0) return;
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
Result<Unit> emitInto(llvm::Module& module, const Signature& signature, const std::string& name,
                      const KernelOptions& options) {
  RX_CHECK(Emitter(module, signature, options).run(name));
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

class JitKernel final : public CompiledKernel {
 public:
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

struct PreparedModule {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};

Result<PreparedModule> prepare(const KernelOptions& options) {
  RX_TRY(builder, hostMachine(options));
  auto machine = builder.createTargetMachine();
  if (!machine) return llvmFailure(machine.takeError());
  PreparedModule prepared;
  prepared.machine = std::move(*machine);
  prepared.module = std::make_unique<llvm::Module>("kernels", *prepared.context);
  prepared.module->setDataLayout(prepared.machine->createDataLayout());
  prepared.module->setTargetTriple(prepared.machine->getTargetTriple().str());
  return prepared;
}

Result<std::string> codeOf(PreparedModule& prepared, llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (prepared.machine->addPassesToEmitFile(passes, stream, nullptr, type))
    return fail("codegen.llvm", "this target writes no such file");
  passes.run(*prepared.module);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace

Result<std::unique_ptr<CompiledKernel>> compileKernel(const Signature& signature, const KernelOptions& options) {
  RX_TRY(prepared, prepare(options));
  RX_CHECK(emitInto(*prepared.module, signature, kEntryName, options));
  optimize(*prepared.module, *prepared.machine, options.optLevel);
  RX_TRY(builder, hostMachine(optionsFor(*prepared.module, options)));
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(builder)).create();
  if (!jit) return llvmFailure(jit.takeError());
  auto kernel = std::make_unique<JitKernel>();
  kernel->jit = std::move(*jit);
  llvm::orc::JITDylib& library = kernel->jit->getMainJITDylib();
  llvm::orc::SymbolMap symbols;
  for (const HostFunction& function : hostFunctions()) {
    symbols[kernel->jit->mangleAndIntern(function.name)] = {llvm::orc::ExecutorAddr::fromPtr(function.address),
                                                            llvm::JITSymbolFlags::Exported};
  }
  if (auto error = library.define(llvm::orc::absoluteSymbols(std::move(symbols)))) return llvmFailure(std::move(error));
  auto process =
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(kernel->jit->getDataLayout().getGlobalPrefix());
  if (!process) return llvmFailure(process.takeError());
  library.addGenerator(std::move(*process));
  if (auto error = kernel->jit->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(prepared.module), std::move(prepared.context)))) {
    return llvmFailure(std::move(error));
  }
  auto address = kernel->jit->lookup(kEntryName);
  if (!address) return llvmFailure(address.takeError());
  kernel->entry = address->toPtr<KernelEntry>();
  return std::unique_ptr<CompiledKernel>(std::move(kernel));
}

Result<KernelText> kernelText(const tir::PrimFuncRef& function, const std::string& name, const KernelOptions& options) {
  RX_TRY(signature, Signature::of(function));
  RX_TRY(prepared, prepare(options));
  RX_CHECK(emitInto(*prepared.module, signature, name, options));
  optimize(*prepared.module, *prepared.machine, options.optLevel);
  KernelText text;
  llvm::raw_string_ostream stream(text.llvm);
  prepared.module->print(stream, nullptr);
  RX_TRY(assembly, codeOf(prepared, llvm::CodeGenFileType::AssemblyFile));
  text.assembly = std::move(assembly);
  return text;
}

Result<std::string> kernelObject(const ir::Module& module, const std::string& prefix, const KernelOptions& options) {
  RX_TRY(prepared, prepare(options));
  for (size_t i = 0; i < module->size(); ++i) {
    const auto function = refAs<tir::PrimFunc>(module->functions[i]);
    if (!function) continue;
    RX_TRY(signature, Signature::of(function));
    RX_CHECK(emitInto(*prepared.module, signature, prefix + ir::symbolOf(*module->vars[i], *function), options));
  }
  optimize(*prepared.module, *prepared.machine, options.optLevel);
  return codeOf(prepared, llvm::CodeGenFileType::ObjectFile);
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
                                  const std::vector<ObjectData>& data, const KernelOptions& options) {
  RX_TRY(prepared, prepare(options));
  std::vector<llvm::Constant*> entries;
  for (size_t i = 0; i < module->size(); ++i) {
    const auto function = refAs<tir::PrimFunc>(module->functions[i]);
    if (!function) continue;
    RX_TRY(signature, Signature::of(function));
    const std::string name = fmt::format("rxs_kernel_{}", i);
    RX_CHECK(emitInto(*prepared.module, signature, name, options));
    llvm::Function* entry = prepared.module->getFunction(name);
    entry->setVisibility(llvm::GlobalValue::HiddenVisibility);
    entries.push_back(entry);
  }
  auto* type = llvm::ArrayType::get(llvm::PointerType::getUnqual(prepared.module->getContext()), entries.size());
  auto* array = new llvm::GlobalVariable(*prepared.module, type, true, llvm::GlobalValue::ExternalLinkage,
                                         llvm::ConstantArray::get(type, entries), table);
  array->setVisibility(llvm::GlobalValue::HiddenVisibility);
  for (const ObjectData& item : data) addData(*prepared.module, item);
  optimize(*prepared.module, *prepared.machine, options.optLevel);
  return codeOf(prepared, llvm::CodeGenFileType::ObjectFile);
}

std::string compilerVersion() { return LLVM_VERSION_STRING; }
std::string processorName() { return llvm::sys::getHostCPUName().str(); }

}  // namespace rx::codegen
