// The verifier: what it accepts, the machine runs without further checks of the code.
#include <algorithm>

#include "core/runtime/executable.h"

namespace rx::vm {
namespace {

constexpr size_t kMaxFindings = 100;
/// A register file is allocated for each call; no real function comes near.
constexpr Word kMaxRegisters = Word{1} << 24;

class Verifier {
 public:
  explicit Verifier(const ExecutableParts& parts) : parts_(parts) {}

  std::vector<Diagnostic> run() {
    checkNames();
    checkLayout();
    if (!findings_.empty()) return std::move(findings_);  // the code can not be taken apart
    for (const FunctionInfo& f : parts_.functions) {
      if (f.kind == FunctionKind::Bytecode) checkFunction(f);
    }
    checkOverlap();
    checkDebug();
    return std::move(findings_);
  }

 private:
  template <class... Args>
  void finding(fmt::format_string<Args...> format, Args&&... args) {
    if (findings_.size() < kMaxFindings) {
      findings_.push_back(errorAt({}, "vm.verify", fmt::format(format, std::forward<Args>(args)...)));
    }
  }
  Word count() const { return static_cast<Word>(parts_.instructionOffsets.size()); }

  void checkNames() {
    std::vector<std::string_view> names;
    for (const FunctionInfo& f : parts_.functions) {
      if (f.kind != FunctionKind::Packed && f.kind != FunctionKind::Bytecode && f.kind != FunctionKind::CompiledTir) {
        finding("function \"{}\" has the unknown kind {}", escapedForDisplay(f.name), static_cast<int>(f.kind));
      }
      names.push_back(f.name);
    }
    std::sort(names.begin(), names.end());
    for (size_t i = 1; i < names.size(); ++i) {
      if (names[i] == names[i - 1]) finding("there are two functions \"{}\"", escapedForDisplay(names[i]));
    }
    int64_t last = -1;
    for (const auto& [index, scope] : parts_.memoryScopes) {
      if (index < 0 || index >= static_cast<int64_t>(parts_.constants.size()))
        finding("a memory scope is given for constant {}, which does not exist", index);
      if (index <= last) finding("the memory scope of constant {} is not in order", index);
      last = index;
    }
  }

  /// Instructions follow each other without gaps and lie inside the words.
  void checkLayout() {
    Word next = 0;
    const std::span<const Word> words = parts_.words;
    for (size_t pc = 0; pc < parts_.instructionOffsets.size(); ++pc) {
      const Word at = parts_.instructionOffsets[pc];
      if (at != next) return finding("instruction {} starts at word {}, not at {}", pc, at, next);
      const auto instruction = Instruction::at(words.subspan(static_cast<size_t>(at)));
      if (!instruction) return finding("instruction {} has no known opcode, or is cut off", pc);
      next = at + instruction->length();
      code_.push_back(*instruction);
    }
    const auto rest = static_cast<Word>(words.size()) - next;
    if (rest != 0) finding("{} words of code belong to no instruction", rest);
  }
  const Instruction& instruction(Word pc) const { return code_[static_cast<size_t>(pc)]; }

  void checkFunction(const FunctionInfo& f) {
    const std::string name = escapedForDisplay(f.name);
    if (f.start < 0 || f.end <= f.start || f.end > count()) {
      return finding("function \"{}\" holds the instructions {} to {}, there are {}", name, f.start, f.end, count());
    }
    if (f.numArgs < 0 || f.registerCount < f.numArgs || f.registerCount > kMaxRegisters) {
      return finding("function \"{}\" has {} parameters and {} registers", name, f.numArgs, f.registerCount);
    }
    const size_t before = findings_.size();
    for (Word pc = f.start; pc < f.end; ++pc) checkInstruction(f, pc);
    const Opcode last = instruction(f.end - 1).op;
    if (last != Opcode::Ret && last != Opcode::Goto) finding("function \"{}\" can run past its end", name);
    if (findings_.size() == before) checkDefinitions(f);
  }

  void checkJump(const FunctionInfo& f, Word pc, Word offset, const char* what) {
    Word target = 0;
    if (__builtin_add_overflow(pc, offset, &target) || target < f.start || target >= f.end || offset == 0) {
      finding("instruction {}: the {} by {} leaves the function \"{}\" or stays", pc, what, offset,
              escapedForDisplay(f.name));
    }
  }

  void checkRead(const FunctionInfo& f, Word pc, Word reg) {
    if (reg == kVoidRegister || reg == kMachineRegister) return;
    if (reg < 0 || reg >= f.registerCount) finding("instruction {}: register {} does not exist", pc, reg);
  }

  void checkInstruction(const FunctionInfo& f, Word pc) {
    const Instruction& each = instruction(pc);
    if (each.op != Opcode::Goto) checkRead(f, pc, each.dst);
    if (each.op == Opcode::Goto) checkJump(f, pc, each.offset, "jump");
    if (each.op == Opcode::Call) checkCall(f, pc, each);
    if (each.op != Opcode::If) return;
    checkJump(f, pc, each.offset, "branch");
    if (each.offset <= 1) finding("instruction {}: the false branch has to skip at least one instruction", pc);
    if (pc + 1 >= f.end) finding("instruction {}: a branch ends the function", pc);
  }

  void checkCall(const FunctionInfo& f, Word pc, const Instruction& call) {
    if (call.dst == kMachineRegister) finding("instruction {}: the machine can not be written", pc);
    for (size_t i = 0; i < call.args.size(); ++i) checkArg(f, pc, call.arg(i));
    if (call.function < 0 || call.function >= static_cast<Word>(parts_.functions.size()))
      return finding("instruction {}: function {} does not exist", pc, call.function);
    const FunctionInfo& callee = parts_.functions[static_cast<size_t>(call.function)];
    if (callee.kind == FunctionKind::CompiledTir) {
      finding("instruction {}: \"{}\" is compiled for registers and can not be called", pc,
              escapedForDisplay(callee.name));
    } else if (callee.kind == FunctionKind::Bytecode && callee.numArgs != static_cast<Word>(call.args.size())) {
      finding("instruction {}: \"{}\" takes {} arguments, {} are given", pc, escapedForDisplay(callee.name),
              callee.numArgs, call.args.size());
    }
  }

  void checkArg(const FunctionInfo& f, Word pc, Arg arg) {
    switch (arg.kind) {
      case ArgKind::Register:
        return checkRead(f, pc, arg.value);
      case ArgKind::Immediate:
        return;
      case ArgKind::Constant:
        if (arg.value < 0 || arg.value >= static_cast<Word>(parts_.constants.size()))
          finding("instruction {}: constant {} does not exist", pc, arg.value);
        return;
      case ArgKind::Function:
        if (arg.value < 0 || arg.value >= static_cast<Word>(parts_.functions.size()))
          finding("instruction {}: function {} does not exist", pc, arg.value);
        return;
    }
    finding("instruction {}: an argument has the unknown kind {}", pc, static_cast<int>(arg.kind));
  }

  /// No register is read before some path has written it: a register counts as written once an instruction that can
  /// run earlier (any with a smaller number, or any at all after a backward jump) writes it.
  void checkDefinitions(const FunctionInfo& f) {
    std::vector<bool> written(static_cast<size_t>(f.registerCount), false);
    std::fill_n(written.begin(), f.numArgs, true);
    for (Word pc = f.start; pc < f.end; ++pc)
      if (instruction(pc).op == Opcode::Goto && instruction(pc).offset < 0) return;
    auto read = [&](Word pc, Word reg) {
      if (reg < f.registerCount && !written[static_cast<size_t>(reg)]) {
        finding("instruction {} of \"{}\": register {} is read before it is written", pc, escapedForDisplay(f.name),
                reg);
        written[static_cast<size_t>(reg)] = true;
      }
    };
    for (Word pc = f.start; pc < f.end; ++pc) {
      const Instruction& each = instruction(pc);
      if (each.op == Opcode::Ret || each.op == Opcode::If) read(pc, each.dst);
      for (size_t i = 0; i < each.args.size(); ++i)
        if (each.arg(i).kind == ArgKind::Register) read(pc, each.arg(i).value);
      if (each.op == Opcode::Call && each.dst < f.registerCount) written[static_cast<size_t>(each.dst)] = true;
    }
  }

  void checkOverlap() {
    std::vector<std::pair<Word, Word>> ranges;
    for (const FunctionInfo& f : parts_.functions) {
      if (f.kind == FunctionKind::Bytecode) ranges.emplace_back(f.start, f.end);
    }
    std::sort(ranges.begin(), ranges.end());
    for (size_t i = 1; i < ranges.size(); ++i) {
      if (ranges[i].first < ranges[i - 1].second) finding("two functions share instruction {}", ranges[i].first);
    }
  }

  void checkDebug() {
    const DebugInfo& debug = parts_.debug;
    if (debug.empty()) return;
    if (debug.instructions.size() != parts_.instructionOffsets.size() ||
        debug.functions.size() != parts_.functions.size()) {
      finding("the debug section describes {} instructions and {} functions, there are {} and {}",
              debug.instructions.size(), debug.functions.size(), count(), parts_.functions.size());
    }
  }

  const ExecutableParts& parts_;
  std::vector<Instruction> code_;
  std::vector<Diagnostic> findings_;
};

}  // namespace

std::vector<Diagnostic> verifyExecutable(const ExecutableParts& parts) { return Verifier(parts).run(); }

}  // namespace rx::vm
