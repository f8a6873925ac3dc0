// ExecBuilder: makes an executable function by function, as TVM's ExecBuilder does.
#pragma once

#include <string>
#include <unordered_map>

#include "core/runtime/executable.h"

namespace rx::vm {

class ExecBuilder {
 public:
  /// Makes the function known, so that calls can name it before it is written.
  void declareFunction(const std::string& name, FunctionKind kind);
  /// Begins a Bytecode function; its parameters are registers 0 to numArgs-1.
  Result<Unit> beginFunction(const std::string& name, Word numArgs, std::vector<std::string> paramNames);
  void endFunction();

  /// Immediate for an integer that fits, otherwise an entry of the constant pool; equal constants share one.
  Arg constant(const Value& value);
  /// Like constant, but always in the pool and with a memory scope ("" = global).
  Arg pooled(const Value& value, const std::string& scope = {});
  Arg function(const std::string& name);

  void emitCall(const std::string& callee, const std::vector<Arg>& args, Word dst);
  void emitRet(Word reg);
  /// Jumps are patched: emit returns the instruction's index, patch points it at `target`.
  Word emitGoto();
  Word emitIf(Word condition);
  void patch(Word instruction, Word target);
  Word nextInstruction() const { return static_cast<Word>(parts_.instructionOffsets.size()); }

  /// What the following instructions compute.
  void setSite(DebugSite site) { site_ = std::move(site); }
  void nameRegister(Word reg, std::string name);
  void nameHeapSlot(int64_t slot, std::string text);

  /// Verifies. A function has as many registers as its calls write.
  Result<Ref<Executable>> finish();

 private:
  void emit(std::initializer_list<Word> words);
  uint32_t functionIndex(const std::string& name);

  ExecutableParts parts_;
  std::unordered_map<std::string, uint32_t> byName_;
  std::unordered_map<std::string, Word> pool_;  ///< content key -> constant index
  DebugSite site_;
  uint32_t current_ = 0;
};

}  // namespace rx::vm
