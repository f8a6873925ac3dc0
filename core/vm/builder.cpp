#include "core/vm/builder.h"

namespace rx::vm {

void ExecBuilder::declareFunction(const std::string& name, FunctionKind kind) {
  parts_.functions[functionIndex(name)].kind = kind;
}

uint32_t ExecBuilder::functionIndex(const std::string& name) {
  const auto [entry, isNew] = byName_.emplace(name, static_cast<uint32_t>(parts_.functions.size()));
  if (isNew) {
    FunctionInfo info;
    info.name = name;
    info.numArgs = -2;
    parts_.functions.push_back(std::move(info));
    parts_.debug.functions.emplace_back();
  }
  return entry->second;
}

Result<Unit> ExecBuilder::beginFunction(const std::string& name, Word numArgs, std::vector<std::string> paramNames) {
  current_ = functionIndex(name);
  FunctionInfo& info = parts_.functions[current_];
  if (info.end != 0) return fail("vm.duplicate-function", fmt::format("the function \"{}\" is written twice", name));
  info.kind = FunctionKind::Bytecode;
  info.start = nextInstruction();
  info.numArgs = numArgs;
  for (size_t i = 0; i < paramNames.size(); ++i) nameRegister(static_cast<Word>(i), paramNames[i]);
  info.paramNames = std::move(paramNames);
  site_ = {};
  return Unit{};
}

void ExecBuilder::endFunction() { parts_.functions[current_].end = nextInstruction(); }

Arg ExecBuilder::constant(const Value& value) {
  if (value.is(ValueKind::Int) && value.asInt() <= Arg::kMaxValue && value.asInt() >= Arg::kMinValue) {
    return Arg::imm(value.asInt());
  }
  return pooled(value);
}

namespace {

/// Equal content gives equal keys. Tensors are compared by identity when they are large: hashing weights costs more
/// than the rare duplicate.
std::string contentKey(const Value& value) {
  constexpr int64_t kCompared = 1 << 12;
  std::string key = fmt::format("{}:", valueKindName(value.kind()));
  if (value.is(ValueKind::Tensor)) {
    const HostTensor& tensor = value.tensor();
    if (tensor.bytes() > kCompared) return fmt::format("{}{}", key, fmt::ptr(&tensor));
    key += value.summary();
    key.append(reinterpret_cast<const char*>(tensor.data()), static_cast<size_t>(tensor.bytes()));
  } else if (value.is(ValueKind::String)) {
    key += value.asString();
  } else if (value.is(ValueKind::Float)) {
    key += fmt::format("{:a}", value.asFloat());
  } else {
    key += value.summary();
  }
  return key;
}

}  // namespace

Arg ExecBuilder::pooled(const Value& value, const std::string& scope) {
  const auto [entry, isNew] =
      pool_.emplace(contentKey(value) + '\0' + scope, static_cast<Word>(parts_.constants.size()));
  if (isNew) {
    parts_.constants.push_back(value);
    if (!scope.empty()) parts_.memoryScopes.emplace_back(entry->second, scope);
  }
  return Arg::constant(entry->second);
}

Arg ExecBuilder::function(const std::string& name) { return Arg::function(functionIndex(name)); }

void ExecBuilder::emit(std::initializer_list<Word> words) {
  parts_.instructionOffsets.push_back(static_cast<Word>(parts_.words.size()));
  parts_.words.insert(parts_.words.end(), words);
  parts_.debug.instructions.push_back(site_);
}

void ExecBuilder::emitCall(const std::string& callee, const std::vector<Arg>& args, Word dst) {
  emit(
      {static_cast<Word>(Opcode::Call), dst, static_cast<Word>(functionIndex(callee)), static_cast<Word>(args.size())});
  for (const Arg& arg : args) parts_.words.push_back(arg.word());
}

void ExecBuilder::emitRet(Word reg) { emit({static_cast<Word>(Opcode::Ret), reg}); }

Word ExecBuilder::emitGoto() {
  emit({static_cast<Word>(Opcode::Goto), 0});
  return nextInstruction() - 1;
}

Word ExecBuilder::emitIf(Word condition) {
  emit({static_cast<Word>(Opcode::If), condition, 0});
  return nextInstruction() - 1;
}

void ExecBuilder::patch(Word instruction, Word target) {
  Word* words = parts_.words.data() + parts_.instructionOffsets[static_cast<size_t>(instruction)];
  const bool branch = words[0] == static_cast<Word>(Opcode::If);
  words[branch ? 2 : 1] = target - instruction;
}

void ExecBuilder::nameRegister(Word reg, std::string name) {
  if (reg < 0 || reg >= kRegisterLimit) return;
  auto& names = parts_.debug.functions[current_].registers;
  if (names.size() <= static_cast<size_t>(reg)) names.resize(static_cast<size_t>(reg) + 1);
  names[static_cast<size_t>(reg)] = std::move(name);
}

void ExecBuilder::nameHeapSlot(int64_t slot, std::string text) {
  parts_.debug.functions[current_].heapSlots.emplace_back(slot, std::move(text));
}

namespace {

/// Gives registers new numbers in the order in which they are written.
class Renumbering {
 public:
  explicit Renumbering(Word params) {
    for (Word i = 0; i < params; ++i) define(i);
  }
  Word define(Word reg) {
    if (reg < 0 || reg >= kRegisterLimit) return reg;
    return map_.emplace(reg, static_cast<Word>(map_.size())).first->second;
  }
  Word count() const { return static_cast<Word>(map_.size()); }
  const std::unordered_map<Word, Word>& map() const { return map_; }
  /// A register that nothing writes becomes one past the file, which the verifier reports.
  Word use(Word reg) const {
    if (reg < 0 || reg >= kRegisterLimit) return reg;
    const auto found = map_.find(reg);
    return found == map_.end() ? count() : found->second;
  }

 private:
  std::unordered_map<Word, Word> map_;
};

}  // namespace

void ExecBuilder::formalizeFunction(size_t index) {
  FunctionInfo& f = parts_.functions[index];
  Renumbering numbers(f.numArgs);
  auto wordsAt = [&](Word pc) { return parts_.words.data() + parts_.instructionOffsets[static_cast<size_t>(pc)]; };
  for (Word pc = f.start; pc < f.end; ++pc) {
    Word* words = wordsAt(pc);
    if (words[0] == static_cast<Word>(Opcode::Call)) words[1] = numbers.define(words[1]);
  }
  for (Word pc = f.start; pc < f.end; ++pc) {
    Word* words = wordsAt(pc);
    if (words[0] == static_cast<Word>(Opcode::Ret) || words[0] == static_cast<Word>(Opcode::If))
      words[1] = numbers.use(words[1]);
    if (words[0] != static_cast<Word>(Opcode::Call)) continue;
    for (Word i = 0; i < words[3]; ++i) {
      Arg arg = Arg::fromWord(words[4 + i]);
      if (arg.kind == ArgKind::Register) words[4 + i] = Arg::reg(numbers.use(arg.value)).word();
    }
  }
  f.registerCount = numbers.count();
  std::vector<std::string> names(static_cast<size_t>(f.registerCount));
  auto& old = parts_.debug.functions[index].registers;
  for (const auto& [from, to] : numbers.map()) {
    if (static_cast<size_t>(from) < old.size()) names[static_cast<size_t>(to)] = old[static_cast<size_t>(from)];
  }
  old = std::move(names);
}

Result<Ref<Executable>> ExecBuilder::finish() {
  for (size_t i = 0; i < parts_.functions.size(); ++i) {
    if (parts_.functions[i].kind == FunctionKind::Bytecode) formalizeFunction(i);
  }
  return Executable::make(std::move(parts_));
}

}  // namespace rx::vm
