// Executable: a program of the machine, immutable. Function table, constants, code, and where it came from.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/runtime/bytecode.h"
#include "core/runtime/debug_info.h"
#include "core/runtime/value.h"
#include "core/support/result.h"

namespace rx::vm {

enum class FunctionKind : int32_t {
  Packed = 0,  ///< found by name among kernels and packed functions
  Bytecode = 1,
  CompiledTir = 2,  ///< TVM's "compiled" mode: a kernel that works on the registers; can be read, not run
};

struct FunctionInfo {
  FunctionKind kind = FunctionKind::Packed;
  std::string name;
  Word start = 0;  ///< first instruction, and one past the last (Bytecode)
  Word end = 0;
  Word numArgs = 0;  ///< -2 when not known (Packed)
  Word registerCount = 0;
  std::vector<std::string> paramNames;
  bool operator==(const FunctionInfo&) const = default;
  static void parts(auto& io, auto& self) {
    io(self.kind, self.name, self.start, self.end, self.numArgs, self.registerCount, self.paramNames);
  }
};

/// The raw parts, as the file and the builder have them.
struct ExecutableParts {
  std::vector<FunctionInfo> functions;
  std::vector<Value> constants;
  std::vector<std::pair<int64_t, std::string>> memoryScopes;  ///< of constants, by their index
  std::vector<Word> instructionOffsets;
  std::vector<Word> words;
  DebugInfo debug;
};

class Executable : public Object {
 public:
  /// Verifies the parts: every jump, register, constant, function and argument is in range, every function ends in a
  /// Ret or Goto, no register is read before it can have been written. The machine then runs without these checks.
  /// Fails with vm.verify, one diagnostic a finding.
  static Result<Ref<Executable>> make(ExecutableParts parts);

  const std::vector<FunctionInfo>& functions() const { return parts_.functions; }
  const FunctionInfo& function(size_t index) const { return parts_.functions[index]; }
  std::optional<uint32_t> findFunction(std::string_view name) const;
  const std::vector<Value>& constants() const { return parts_.constants; }
  size_t instructionCount() const { return instructions_.size(); }
  const Instruction& instruction(size_t pc) const { return instructions_[pc]; }
  /// The Bytecode function that holds an instruction.
  std::optional<uint32_t> functionAt(size_t pc) const;
  const ExecutableParts& parts() const { return parts_; }

  /// Null where there is no debug section.
  const DebugSite* site(size_t pc) const {
    return pc < parts_.debug.instructions.size() ? &parts_.debug.instructions[pc] : nullptr;
  }
  /// "" when not known.
  std::string registerName(size_t function, Word reg) const;
  std::string heapSlotText(size_t function, int64_t slot) const;

  /// One instruction: `call  vm.builtin.copy  in: %0, i2, c[0], f[main]  dst: %3`, in TVM's columns.
  std::string instructionText(size_t pc) const;
  std::string text() const;  ///< as TVM's as_text

  explicit Executable(ExecutableParts parts);

 private:
  ExecutableParts parts_;
  std::vector<Instruction> instructions_;
  std::vector<uint32_t> byName_;  ///< functions in the order of their names
};

/// Every finding of the verifier; empty when the parts are sound.
std::vector<Diagnostic> verifyExecutable(const ExecutableParts& parts);

}  // namespace rx::vm
