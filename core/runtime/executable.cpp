#include "core/runtime/executable.h"

#include <algorithm>

namespace rx::vm {

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
  for (uint32_t i = 0; i < parts_.functions.size(); ++i) byName_.push_back(i);
  std::sort(byName_.begin(), byName_.end(),
            [&](uint32_t a, uint32_t b) { return parts_.functions[a].name < parts_.functions[b].name; });
}

Result<Ref<Executable>> Executable::make(ExecutableParts parts) {
  auto findings = verifyExecutable(parts);
  if (!findings.empty()) return fail(std::move(findings));
  return rx::make<Executable>(std::move(parts));
}

std::optional<uint32_t> Executable::findFunction(std::string_view name) const {
  const auto found = std::lower_bound(byName_.begin(), byName_.end(), name,
                                      [&](uint32_t i, std::string_view n) { return parts_.functions[i].name < n; });
  if (found == byName_.end() || parts_.functions[*found].name != name) return std::nullopt;
  return *found;
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
  const auto found = std::find_if(slots.begin(), slots.end(), [&](const auto& row) { return row.first == slot; });
  return found == slots.end() ? std::string() : found->second;
}

}  // namespace rx::vm
