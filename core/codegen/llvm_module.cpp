#include "core/codegen/llvm_module.h"

#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <mutex>

#include "core/codegen/emitter.h"
#include "core/codegen/half_vectors.h"

namespace rx::codegen {

namespace {

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

}  // namespace

Failure llvmFailure(llvm::Error error) { return fail("codegen.llvm", "LLVM: " + llvm::toString(std::move(error))); }

Result<llvm::orc::JITTargetMachineBuilder> hostMachine() {
  initializeOnce();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder) return llvmFailure(builder.takeError());
  return std::move(*builder);
}

namespace {

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
  // What loads the code on this machine reaches everything from it, as a linker does for packages.
  const llvm::Triple& triple = builder.getTargetTriple();
  if (triple.getArch() == llvm::Triple::x86_64 || triple.isAArch64()) builder.setCodeModel(llvm::CodeModel::Small);
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(builder.getTargetTriple().str(), problem);
  if (target && !target->hasJIT()) {
    return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
        builder.getTargetTriple().str(), builder.getCPU(), builder.getFeatures().getString(), builder.getOptions(),
        llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
  }
  auto machine = builder.createTargetMachine();
  if (!machine) return llvmFailure(machine.takeError());
  return std::move(*machine);
}

/// The instruction for so many words, and the features of a machine that has it: one of these.
struct InstructionRow {
  WordWork kind;
  int lanes;
  llvm::Intrinsic::ID instruction;
  const char *wide, *narrow;
};
constexpr const char *kVnni = "+avx512vnni,+avx512vl", *kBf16 = "+avx512bf16,+avx512vl";
constexpr InstructionRow kInstructions[] = {
    {WordWork::DotOfBytes, 4, llvm::Intrinsic::x86_avx512_vpdpbusd_128, kVnni, "+avxvnni"},
    {WordWork::DotOfBytes, 8, llvm::Intrinsic::x86_avx512_vpdpbusd_256, kVnni, "+avxvnni"},
    {WordWork::DotOfBytes, 16, llvm::Intrinsic::x86_avx512_vpdpbusd_512, kVnni, kVnni},
    {WordWork::DotOfHalves, 4, llvm::Intrinsic::x86_avx512bf16_dpbf16ps_128, kBf16, kBf16},
    {WordWork::DotOfHalves, 8, llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256, kBf16, kBf16},
    {WordWork::DotOfHalves, 16, llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512, kBf16, kBf16},
    {WordWork::DotOfShorts, 4, llvm::Intrinsic::x86_sse2_pmadd_wd, "+sse2", "+sse2"},
    {WordWork::DotOfShorts, 8, llvm::Intrinsic::x86_avx2_pmadd_wd, "+avx2", "+avx2"},
    {WordWork::DotOfShorts, 16, llvm::Intrinsic::x86_avx512_pmaddw_d_512, "+avx512bw", "+avx512bw"},
    {WordWork::Scaling, 16, llvm::Intrinsic::x86_avx512_mask_scalef_ps_512, "+avx512f", "+avx512f"},
    {WordWork::TilesOfHalves, 16, llvm::Intrinsic::x86_tdpbf16ps, "+amx-bf16", "+amx-bf16"},
    {WordWork::TilesOfSigned, 16, llvm::Intrinsic::x86_tdpbssd, "+amx-int8", "+amx-int8"},
    {WordWork::TilesOfSignedAndPlain, 16, llvm::Intrinsic::x86_tdpbsud, "+amx-int8", "+amx-int8"},
    {WordWork::TilesOfPlainAndSigned, 16, llvm::Intrinsic::x86_tdpbusd, "+amx-int8", "+amx-int8"},
    {WordWork::TilesOfPlain, 16, llvm::Intrinsic::x86_tdpbuud, "+amx-int8", "+amx-int8"},
};

/// Says in a module which rows of the table its machine has, a bit each.
constexpr const char* kHasInstructions = "rx.instructions";

uint32_t instructionsOf(const llvm::TargetMachine& machine) {
  uint32_t has = 0;
  if (!machine.getTargetTriple().isX86()) return has;
  const llvm::MCSubtargetInfo& features = *machine.getMCSubtargetInfo();
  for (size_t i = 0; i < std::size(kInstructions); ++i) {
    const InstructionRow& row = kInstructions[i];
    if (features.checkFeatures(row.wide) || features.checkFeatures(row.narrow)) has |= 1u << i;
  }
  return has;
}

/// Loops that LLVM makes vectors of use the widest registers, as what rules write with vectors does.
void preferWideVectors(llvm::Module& module, const llvm::TargetMachine& machine) {
  if (!machine.getTargetTriple().isX86() || !machine.getMCSubtargetInfo()->checkFeatures("+avx512f,+avx512vl")) return;
  for (llvm::Function& function : module) function.addFnAttr("prefer-vector-width", "512");
}

/// Functions begin with a line of the cache: how long a loop takes depends on how it lies in lines, and the same code
/// is as quick in one kernel as in another.
void alignFunctions(llvm::Module& module) {
  constexpr uint64_t kLine = 64;
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) function.setAlignment(llvm::Align(kLine));
}

/// Options for what is in the module now: code that is not optimised is translated in the quick way too.
KernelOptions optionsFor(const llvm::Module& module, KernelOptions options) {
  for (const llvm::Function& function : module) {
    if (function.hasOptNone()) options.optLevel = 0;
  }
  return options;
}

}  // namespace

Result<PreparedModule> prepare(const KernelOptions& options) {
  RX_TRY(machine, machineFor(options));
  PreparedModule prepared;
  prepared.machine = std::move(machine);
  prepared.module = std::make_unique<llvm::Module>("kernels", *prepared.context);
  prepared.module->setDataLayout(prepared.machine->createDataLayout());
  prepared.module->setTargetTriple(prepared.machine->getTargetTriple().str());
  if (const uint32_t has = instructionsOf(*prepared.machine))
    prepared.module->addModuleFlag(llvm::Module::Min, kHasInstructions, has);
  return prepared;
}

std::optional<llvm::Intrinsic::ID> instructionFor(const llvm::Module& module, WordWork kind, int lanes) {
  const auto* has = llvm::mdconst::extract_or_null<llvm::ConstantInt>(module.getModuleFlag(kHasInstructions));
  for (size_t i = 0; has && i < std::size(kInstructions); ++i) {
    const InstructionRow& row = kInstructions[i];
    if (row.kind == kind && row.lanes == lanes && (has->getZExtValue() >> i & 1) != 0) return row.instruction;
  }
  return std::nullopt;
}

void optimize(PreparedModule& prepared, const KernelOptions& options) {
  if (options.optLevel == 0) return;
  preferWideVectors(*prepared.module, *prepared.machine);
  alignFunctions(*prepared.module);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(prepared.machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(*prepared.module, modules);
  widenHalfVectors(*prepared.module, *prepared.machine);
}

Result<Unit> verified(const llvm::Module& module) {
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream)) return fail("codegen.llvm", "the emitted code is not valid: " + problem);
  return Unit{};
}

Result<Unit> emitInto(llvm::Module& module, const lower::HostKernel& kernel, const std::string& name,
                      const KernelOptions& options, LineMarks* marks) {
  RX_TRY(signature, lower::Signature::of(kernel.function));
  RX_CHECK(Emitter(module, kernel, options, marks).run(name, signature));
  RX_CHECK(verified(module));
  for (llvm::Function& function : module) {
    if (function.hasOptNone() || function.getInstructionCount() <= kMaxOptimized) continue;
    function.removeFnAttr(llvm::Attribute::AlwaysInline);
    function.addFnAttr(llvm::Attribute::OptimizeNone);
    function.addFnAttr(llvm::Attribute::NoInline);
  }
  return Unit{};
}

Result<std::unique_ptr<llvm::TargetMachine>> writerFor(const llvm::Module& module, const KernelOptions& options) {
  return machineFor(optionsFor(module, options));
}

Result<std::string> codeOf(llvm::TargetMachine& machine, llvm::Module& module, llvm::CodeGenFileType type,
                           std::string_view refusal) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type)) return fail("codegen.llvm", std::string(refusal));
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

Result<std::string> objectFile(PreparedModule& prepared, const KernelOptions& options) {
  optimize(prepared, options);
  return writtenObject(prepared, options);
}

Result<std::string> writtenObject(PreparedModule& prepared, const KernelOptions& options) {
  RX_TRY(machine, writerFor(*prepared.module, options));
  return codeOf(*machine, *prepared.module, llvm::CodeGenFileType::ObjectFile, "this target writes no object files");
}

}  // namespace rx::codegen
