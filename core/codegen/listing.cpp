#include "core/codegen/listing.h"

#include <llvm/IR/AssemblyAnnotationWriter.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/Support/FormattedStream.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

#include "core/codegen/line_marks.h"
#include "core/codegen/llvm_module.h"
#include "core/codegen/loop_turns.h"
#include "core/codegen/port_cycles.h"

namespace rx::codegen {

namespace {

/// Notes, while a module is written, in which line each instruction stands.
class LineWriter final : public llvm::AssemblyAnnotationWriter {
 public:
  /// `of`: what each instruction is of, in the order of the module.
  LineWriter(const std::vector<uint32_t>& of, std::vector<uint32_t>& from) : of_(of), from_(from) {}
  void emitInstructionAnnot(const llvm::Instruction*, llvm::formatted_raw_ostream& stream) override {
    const size_t line = stream.getLine();
    if (from_.size() <= line) from_.resize(line + 1);
    if (next_ < of_.size()) from_[line] = of_[next_++];
  }

 private:
  const std::vector<uint32_t>& of_;
  std::vector<uint32_t>& from_;
  size_t next_ = 0;
};

/// The module without what is said of lines in it, which is found out beside it.
ListedText listed(const llvm::Module& module) {
  ListedText made;
  const std::unique_ptr<llvm::Module> plain = llvm::CloneModule(module);
  std::vector<uint32_t> of;
  for (const llvm::Function& function : *plain) {
    for (const llvm::BasicBlock& block : function) {
      for (const llvm::Instruction& instruction : block)
        of.push_back(instruction.getDebugLoc() ? instruction.getDebugLoc().getLine() : 0);
    }
  }
  llvm::StripDebugInfo(*plain);
  LineWriter writer(of, made.from);
  llvm::raw_string_ostream stream(made.text);
  plain->print(stream, &writer);
  stream.flush();
  made.from.resize(static_cast<size_t>(std::count(made.text.begin(), made.text.end(), '\n')));
  return made;
}

/// What a machine says of its assembly; which of its syntaxes is written is for it alone to say.
struct Syntax : llvm::MCAsmInfo {
  static void useIntel(llvm::MCAsmInfo& info) { info.*(&Syntax::AssemblerDialect) = 1; }
};

Result<MachineCode> assembly(PreparedModule& prepared, const KernelOptions& options, const CancelToken& cancel) {
  RX_TRY(machine, writerFor(*prepared.module, options));
  const bool x86 = machine->getTargetTriple().isX86();
  if (x86) Syntax::useIntel(const_cast<llvm::MCAsmInfo&>(*machine->getMCAsmInfo()));
  machine->Options.MCOptions.AsmVerbose = true;
  RX_TRY(text,
         codeOf(*machine, *prepared.module, llvm::CodeGenFileType::AssemblyFile, "this target writes no assembly"));
  const llvm::StringRef comment = machine->getMCAsmInfo()->getCommentString();
  MachineCode made = readAssembly(text, {comment.data(), comment.size()});
  const bool few = x86 && !machine->getMCSubtargetInfo()->checkFeatures("+avx512f");
  made.vectorRegisters = few ? 16 : 32;
  RX_CHECK(addTurns(*machine, cancel, made));
  return made;
}

Result<Unit> going(const CancelToken& cancel) {
  return cancel.cancelled() ? Result<Unit>(fail("pass.cancelled", "cancelled")) : Unit{};
}

}  // namespace

Result<KernelListing> listKernel(const lower::HostKernel& kernel, const SourceFile& text, uint32_t file,
                                 const KernelOptions& options, const CancelToken& cancel) {
  KernelListing listing;
  RX_TRY(prepared, prepare(options));
  LineMarks marks(*prepared.module, text, file);
  RX_CHECK(emitInto(*prepared.module, kernel, kKernelSymbol, options, &marks));
  listing.made = listed(*prepared.module);
  RX_CHECK(going(cancel));
  optimize(prepared, options);
  listing.optimized = listed(*prepared.module);
  numberLoops(*prepared.module);
  RX_CHECK(going(cancel));
  RX_TRY(machine, assembly(prepared, options, cancel));
  listing.machine = std::move(machine);
  return listing;
}

}  // namespace rx::codegen
