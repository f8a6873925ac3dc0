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
    const auto words = static_cast<Word>(parts_.words.size());
    for (size_t pc = 0; pc < parts_.instructionOffsets.size(); ++pc) {
      const Word at = parts_.instructionOffsets[pc];
      if (at != next) return finding("instruction {} starts at word {}, not at {}", pc, at, next);
      const Word length = lengthAt(at);
      if (length == 0) return finding("instruction {} has no known opcode, or is cut off", pc);
      next = at + length;
    }
    if (next != words) finding("{} words of code belong to no instruction", words - next);
  }

  Word lengthAt(Word at) const {
    const auto words = static_cast<Word>(parts_.words.size());
    if (at < 0 || at >= words) return 0;
    Word length = 0;
    switch (static_cast<Opcode>(parts_.words[static_cast<size_t>(at)])) {
      case Opcode::Call: {
        if (words - at < 4) return 0;
        const Word args = parts_.words[static_cast<size_t>(at) + 3];
        if (args < 0 || args > words) return 0;
        length = 4 + args;
        break;
      }
      case Opcode::Ret:
      case Opcode::Goto:
        length = 2;
        break;
      case Opcode::If:
        length = 3;
        break;
    }
    return words - at < length ? 0 : length;
  }

  std::span<const Word> wordsAt(Word pc) const {
    const Word at = parts_.instructionOffsets[static_cast<size_t>(pc)];
    return {parts_.words.data() + at, static_cast<size_t>(lengthAt(at))};
  }

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
    const auto last = static_cast<Opcode>(wordsAt(f.end - 1)[0]);
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
    const auto words = wordsAt(pc);
    switch (static_cast<Opcode>(words[0])) {
      case Opcode::Call:
        if (words[1] == kMachineRegister) finding("instruction {}: the machine can not be written", pc);
        checkRead(f, pc, words[1]);
        if (words[2] < 0 || words[2] >= static_cast<Word>(parts_.functions.size())) {
          finding("instruction {}: function {} does not exist", pc, words[2]);
        } else if (parts_.functions[static_cast<size_t>(words[2])].kind == FunctionKind::CompiledTir) {
          finding("instruction {}: \"{}\" is compiled for registers and can not be called", pc,
                  escapedForDisplay(parts_.functions[static_cast<size_t>(words[2])].name));
        } else {
          checkCount(pc, parts_.functions[static_cast<size_t>(words[2])], words[3]);
        }
        for (const Word word : words.subspan(4)) checkArg(f, pc, Arg::fromWord(word));
        break;
      case Opcode::Ret:
        checkRead(f, pc, words[1]);
        break;
      case Opcode::Goto:
        checkJump(f, pc, words[1], "jump");
        break;
      case Opcode::If:
        checkRead(f, pc, words[1]);
        checkJump(f, pc, words[2], "branch");
        if (words[2] <= 1) finding("instruction {}: the false branch has to skip at least one instruction", pc);
        if (pc + 1 >= f.end) finding("instruction {}: a branch ends the function", pc);
        break;
    }
  }

  void checkCount(Word pc, const FunctionInfo& callee, Word given) {
    if (callee.kind == FunctionKind::Bytecode && callee.numArgs != given) {
      finding("instruction {}: \"{}\" takes {} arguments, {} are given", pc, escapedForDisplay(callee.name),
              callee.numArgs, given);
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
    for (Word pc = f.start; pc < f.end; ++pc) {
      const auto words = wordsAt(pc);
      if (static_cast<Opcode>(words[0]) == Opcode::Goto && words[1] < 0) return;
    }
    auto read = [&](Word pc, Word reg) {
      if (reg < f.registerCount && !written[static_cast<size_t>(reg)]) {
        finding("instruction {} of \"{}\": register {} is read before it is written", pc, escapedForDisplay(f.name),
                reg);
        written[static_cast<size_t>(reg)] = true;
      }
    };
    for (Word pc = f.start; pc < f.end; ++pc) {
      const auto words = wordsAt(pc);
      const auto op = static_cast<Opcode>(words[0]);
      if (op == Opcode::Ret || op == Opcode::If) read(pc, words[1]);
      if (op != Opcode::Call) continue;
      for (const Word word : words.subspan(4)) {
        const Arg arg = Arg::fromWord(word);
        if (arg.kind == ArgKind::Register) read(pc, arg.value);
      }
      if (words[1] < f.registerCount) written[static_cast<size_t>(words[1])] = true;
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
  std::vector<Diagnostic> findings_;
};

}  // namespace

std::vector<Diagnostic> verifyExecutable(const ExecutableParts& parts) { return Verifier(parts).run(); }

}  // namespace rx::vm
