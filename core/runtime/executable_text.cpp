// The three texts of an executable, in the columns that TVM uses.
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

std::string pythonRegister(Word reg) {
  if (reg == kVoidRegister) return "ib.r(void)";
  if (reg == kMachineRegister) return "ib.r(vm)";
  return fmt::format("ib.r({})", reg);
}

std::string pythonArg(const Executable& exe, Arg arg) {
  switch (arg.kind) {
    case ArgKind::Register:
      return pythonRegister(arg.value);
    case ArgKind::Immediate:
      return fmt::format("ib.imm({})", arg.value);
    case ArgKind::Constant:
      return fmt::format("ib.c({})", arg.value);
    case ArgKind::Function:
      return fmt::format("ib.f(\"{}\")", exe.function(static_cast<size_t>(arg.value)).name);
  }
  return {};
}

std::string pythonInstruction(const Executable& exe, const Instruction& instruction) {
  switch (instruction.op) {
    case Opcode::Call: {
      std::vector<std::string> args;
      for (size_t i = 0; i < instruction.args.size(); ++i) args.push_back(pythonArg(exe, instruction.arg(i)));
      std::string dst = instruction.dst == kVoidRegister ? "" : ", dst=" + pythonRegister(instruction.dst);
      return fmt::format("ib.emit_call(\"{}\", args=[{}]{})",
                         exe.function(static_cast<size_t>(instruction.function)).name, fmt::join(args, ", "), dst);
    }
    case Opcode::Ret:
      return fmt::format("ib.emit_ret({})", pythonRegister(instruction.dst));
    case Opcode::Goto:
      return fmt::format("ib.emit_goto({})", instruction.offset);
    case Opcode::If:
      return fmt::format("ib.emit_if({}, {})", pythonRegister(instruction.dst), instruction.offset);
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

std::string Executable::pythonText() const {
  std::string out = "ib = rx.Builder()\n";
  for (const FunctionInfo& f : parts_.functions) {
    if (f.kind != FunctionKind::Bytecode) continue;
    out += fmt::format("with ib.function(\"{}\", num_inputs={}):\n", f.name, f.numArgs);
    for (Word pc = f.start; pc < f.end; ++pc) {
      out += "    " + pythonInstruction(*this, instructions_[static_cast<size_t>(pc)]) + "\n";
    }
  }
  return out;
}

std::string Executable::statsText() const {
  std::vector<std::string> constants;
  for (const Value& value : parts_.constants) constants.push_back(value.summary());
  std::vector<std::string> globals;
  std::vector<std::string> packed;
  for (const FunctionInfo& f : parts_.functions) (f.kind == FunctionKind::Packed ? packed : globals).push_back(f.name);
  return fmt::format(
      "Relax VM executable statistics:\n  Constant pool (# {}): [{}]\n  Globals (# {}): [{}]\n  Packed functions (# "
      "{}): [{}]\n",
      constants.size(), fmt::join(constants, ", "), globals.size(), fmt::join(globals, ", "), packed.size(),
      fmt::join(packed, ", "));
}

}  // namespace rx::vm
