// The text of an executable, in the columns that TVM uses.
#include "core/runtime/executable.h"

namespace rx::vm {
namespace {

std::string registerText(Word reg) {
  if (reg == kVoidRegister) return "%void";
  if (reg == kMachineRegister) return "%vm";
  return fmt::format("%{}", reg);
}

std::string argText(const Executable& exe, Arg arg) {
  switch (arg.kind) {
    case ArgKind::Register:
      return registerText(arg.value);
    case ArgKind::Immediate:
      return fmt::format("i{}", arg.value);
    case ArgKind::Constant:
      return fmt::format("c[{}]", arg.value);
    case ArgKind::Function:
      return fmt::format("f[{}]", exe.function(static_cast<size_t>(arg.value)).name);
  }
  return {};
}

}  // namespace

std::string Executable::instructionText(size_t pc) const {
  const Instruction& instruction = instructions_[pc];
  switch (instruction.op) {
    case Opcode::Call: {
      std::vector<std::string> args;
      for (size_t i = 0; i < instruction.args.size(); ++i) args.push_back(argText(*this, instruction.arg(i)));
      return fmt::format("{:<6}{:<16} in: {:<12} dst: {}", "call",
                         function(static_cast<size_t>(instruction.function)).name,
                         fmt::format("{}", fmt::join(args, ", ")), registerText(instruction.dst));
    }
    case Opcode::Ret:
      return fmt::format("{:<6}{}", "ret", registerText(instruction.dst));
    case Opcode::Goto:
      return fmt::format("{:<6}{}", "goto", instruction.offset);
    case Opcode::If:
      return fmt::format("{:<6}{}, {}", "If", registerText(instruction.dst), instruction.offset);
  }
  return {};
}

std::string Executable::text() const {
  std::string out;
  for (const FunctionInfo& f : parts_.functions) {
    if (f.kind == FunctionKind::Packed) {
      out += fmt::format("@{} packed_func;\n\n", f.name);
    } else if (f.kind == FunctionKind::CompiledTir) {
      out += fmt::format("@{} num_inputs={} vm_tir_func;\n\n", f.name, f.numArgs);
    } else {
      out += fmt::format("@{}:\n", f.name);
      for (Word pc = f.start; pc < f.end; ++pc) out += "  " + instructionText(static_cast<size_t>(pc)) + "\n";
      out += "\n";
    }
  }
  return out;
}

}  // namespace rx::vm
