#include "core/vm/executable.h"

#include <algorithm>

namespace rx::vm {

bool DebugSite::operator==(const DebugSite& other) const {
  const bool sameOrigin =
      (!origin && !other.origin) ||
      (origin && other.origin && origin->pass == other.origin->pass &&
       std::equal(origin->sites.begin(), origin->sites.end(), other.origin->sites.begin(), other.origin->sites.end()));
  return block == other.block && binding == other.binding && known == other.known && variable == other.variable &&
         span == other.span && sameOrigin;
}

Executable::Executable(ExecutableParts parts) : parts_(std::move(parts)) {
  instructions_.reserve(parts_.instructionOffsets.size());
  for (Word offset : parts_.instructionOffsets) {
    const Word* word = parts_.words.data() + offset;
    Instruction instruction;
    instruction.op = static_cast<Opcode>(word[0]);
    if (instruction.op == Opcode::Goto) {
      instruction.offset = word[1];
    } else {
      instruction.dst = word[1];
    }
    if (instruction.op == Opcode::If) instruction.offset = word[2];
    if (instruction.op == Opcode::Call) {
      instruction.function = word[2];
      instruction.args = {word + 4, static_cast<size_t>(word[3])};
    }
    instructions_.push_back(instruction);
  }
  for (uint32_t i = 0; i < parts_.functions.size(); ++i) byName_.emplace(parts_.functions[i].name, i);
}

Result<Ref<Executable>> Executable::make(ExecutableParts parts) {
  auto findings = verifyExecutable(parts);
  if (!findings.empty()) return fail(std::move(findings));
  return rx::make<Executable>(std::move(parts));
}

std::optional<uint32_t> Executable::findFunction(std::string_view name) const {
  const auto found = byName_.find(std::string(name));
  if (found == byName_.end()) return std::nullopt;
  return found->second;
}

std::optional<uint32_t> Executable::functionAt(size_t pc) const {
  for (uint32_t i = 0; i < parts_.functions.size(); ++i) {
    const FunctionInfo& f = parts_.functions[i];
    if (f.kind == FunctionKind::Bytecode && static_cast<Word>(pc) >= f.start && static_cast<Word>(pc) < f.end) return i;
  }
  return std::nullopt;
}

std::string Executable::registerName(size_t function, Word reg) const {
  if (reg < 0) return {};
  const auto index = static_cast<size_t>(reg);
  if (function < parts_.debug.functions.size()) {
    const auto& names = parts_.debug.functions[function].registers;
    if (index < names.size() && !names[index].empty()) return names[index];
  }
  const auto& params = parts_.functions[function].paramNames;
  return index < params.size() ? params[index] : std::string();
}

std::string Executable::heapSlotText(size_t function, int64_t slot) const {
  if (function >= parts_.debug.functions.size()) return {};
  const auto& slots = parts_.debug.functions[function].heapSlots;
  const auto found = slots.find(slot);
  return found == slots.end() ? std::string() : found->second;
}

}  // namespace rx::vm
