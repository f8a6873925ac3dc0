// A kernel as a module of LLVM on its way to machine code. Only files that make such include this header, because of
// LLVM's.
#pragma once

#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/codegen/kernels.h"

namespace rx::codegen {

class LineMarks;

/// The entry of a kernel that stands alone.
constexpr const char* kKernelSymbol = "kernel";

/// codegen.llvm, in LLVM's words.
Failure llvmFailure(llvm::Error error);

/// The machine of this process.
Result<llvm::orc::JITTargetMachineBuilder> hostMachine();

/// An empty module, and what machine code is made with.
struct PreparedModule {
  std::unique_ptr<llvm::LLVMContext> context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};
Result<PreparedModule> prepare(const KernelOptions& options);

/// What some machines have an instruction for, in each of several words: adding up the products of a word, four of
/// bytes, two of bfloat16, or two of int16; multiplying a float by a power of two; and adding up the products of words
/// in tiles of as many rows, of bfloat16 and of bytes that are signed or plain.
enum class WordWork : uint8_t {
  DotOfBytes,
  DotOfHalves,
  DotOfShorts,
  Scaling,
  TilesOfHalves,
  TilesOfSigned,
  TilesOfSignedAndPlain,
  TilesOfPlainAndSigned,
  TilesOfPlain,
};
/// The instruction of the machine of a prepared module for so many words, where it has one.
std::optional<llvm::Intrinsic::ID> instructionFor(const llvm::Module& module, WordWork kind, int lanes);

/// Emits a kernel into the module and checks what was emitted. `marks`, where given, say which statement each
/// instruction is of.
Result<Unit> emitInto(llvm::Module& module, const lower::HostKernel& kernel, const std::string& name,
                      const KernelOptions& options, LineMarks* marks = nullptr);

/// LLVM's passes, as far as the options ask for them.
void optimize(PreparedModule& prepared, const KernelOptions& options);

/// Translates the module, as it is now, to an object file.
Result<std::string> writtenObject(PreparedModule& prepared, const KernelOptions& options);
/// Optimizes the module and translates it to an object file.
Result<std::string> objectFile(PreparedModule& prepared, const KernelOptions& options);

/// Fails where what was emitted contradicts LLVM's rules.
Result<Unit> verified(const llvm::Module& module);

/// What writes the code of what is in the module now: code that is not optimised is translated in the quick way.
Result<std::unique_ptr<llvm::TargetMachine>> writerFor(const llvm::Module& module, const KernelOptions& options);

/// What such a machine writes of the module. Fails with `refusal` where it writes no such file.
Result<std::string> codeOf(llvm::TargetMachine& machine, llvm::Module& module, llvm::CodeGenFileType type,
                           std::string_view refusal);

}  // namespace rx::codegen
