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
  info.numArgs = info.registerCount = numArgs;
  for (size_t i = 0; i < paramNames.size(); ++i) nameRegister(static_cast<Word>(i), paramNames[i]);
  info.paramNames = std::move(paramNames);
  site_ = {};
  return Unit{};
}

void ExecBuilder::endFunction() {
  FunctionInfo& info = parts_.functions[current_];
  info.end = nextInstruction();
  parts_.debug.functions[current_].registers.resize(static_cast<size_t>(info.registerCount));
}

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
  Word& registers = parts_.functions[current_].registerCount;
  if (dst < kRegisterLimit) registers = std::max(registers, dst + 1);
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

Result<Ref<Executable>> ExecBuilder::finish() { return Executable::make(std::move(parts_)); }

}  // namespace rx::vm
