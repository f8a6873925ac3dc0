// Bytecode: four instructions over 64-bit words. Call = [1, dst, function, nargs, args...]; Ret = [2, register];
// Goto = [3, offset]; If = [4, condition, false offset]. Offsets are relative to the instruction itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rx::vm {

using Word = int64_t;

enum class Opcode : Word { Call = 1, Ret = 2, Goto = 3, If = 4 };

/// Registers that are no registers: writes to void are dropped and reads give null; `machine` stands for the VM.
constexpr Word kRegisterLimit = Word{1} << 54;
constexpr Word kVoidRegister = kRegisterLimit;
constexpr Word kMachineRegister = kRegisterLimit + 1;

enum class ArgKind : uint8_t { Register = 0, Immediate = 1, Constant = 2, Function = 3 };

/// One argument of a call: kind in the top 8 bits of its word, the value sign-extended in the others.
struct Arg {
  static constexpr Word kMaxValue = (Word{1} << 55) - 1;
  static constexpr Word kMinValue = -(Word{1} << 55) + 1;
  ArgKind kind = ArgKind::Register;
  Word value = kVoidRegister;

  static Arg reg(Word r) { return {ArgKind::Register, r}; }
  static Arg imm(Word v) { return {ArgKind::Immediate, v}; }
  static Arg constant(Word i) { return {ArgKind::Constant, i}; }
  static Arg function(Word i) { return {ArgKind::Function, i}; }
  static Arg machine() { return reg(kMachineRegister); }
  static Arg none() { return reg(kVoidRegister); }

  /// The kind of a word may be none of the four; the verifier refuses that.
  static Arg fromWord(Word word) {
    return {static_cast<ArgKind>(static_cast<uint64_t>(word) >> 56),
            static_cast<Word>(static_cast<uint64_t>(word) << 8) >> 8};
  }
  Word word() const {
    return static_cast<Word>((static_cast<uint64_t>(kind) << 56) |
                             (static_cast<uint64_t>(value) & ((uint64_t{1} << 56) - 1)));
  }
  bool operator==(const Arg&) const = default;
};

/// An instruction taken apart. Which fields count depends on the opcode.
struct Instruction {
  Opcode op = Opcode::Ret;
  Word dst = kVoidRegister;    ///< Call: register written; Ret: register returned; If: the condition
  Word function = 0;           ///< Call: index in the function table
  Word offset = 1;             ///< Goto: the jump; If: the jump when false
  std::span<const Word> args;  ///< Call: words of the arguments, inside the executable
  Arg arg(size_t i) const { return Arg::fromWord(args[i]); }
  bool jumpsBackwards() const { return (op == Opcode::Goto || op == Opcode::If) && offset <= 0; }

  /// The one that these words begin with; nothing where they begin with none, or end in it.
  static std::optional<Instruction> at(std::span<const Word> words);
  /// How many words it takes.
  Word length() const { return op == Opcode::Call ? 4 + static_cast<Word>(args.size()) : op == Opcode::If ? 3 : 2; }
};

/// Calls `use` with each register that an instruction reads or writes.
template <class Use>
void eachRegister(const Instruction& instruction, Use use) {
  if (instruction.op != Opcode::Goto && instruction.dst < kRegisterLimit) use(static_cast<uint32_t>(instruction.dst));
  for (size_t i = 0; i < instruction.args.size(); ++i) {
    const Arg arg = instruction.arg(i);
    if (arg.kind == ArgKind::Register && arg.value < kRegisterLimit) use(static_cast<uint32_t>(arg.value));
  }
}

}  // namespace rx::vm
