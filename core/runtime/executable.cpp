#include "core/runtime/executable.h"

#include <algorithm>

namespace rx::vm {

std::optional<Instruction> Instruction::at(std::span<const Word> words) {
  if (words.size() < 2) return std::nullopt;
  Instruction found;
  found.op = static_cast<Opcode>(words[0]);
  if (found.op < Opcode::Call || found.op > Opcode::If) return std::nullopt;
  (found.op == Opcode::Goto ? found.offset : found.dst) = words[1];
  if (static_cast<Word>(words.size()) < found.length()) return std::nullopt;
  if (found.op == Opcode::If) found.offset = words[2];
  if (found.op != Opcode::Call) return found;
  found.function = words[2];
  const Word count = words[3];
  if (count < 0 || static_cast<uint64_t>(count) > words.size() - 4) return std::nullopt;
  found.args = words.subspan(4, static_cast<size_t>(count));
  return found;
}

Executable::Executable(ExecutableParts parts) : parts_(std::move(parts)) {
  instructions_.reserve(parts_.instructionOffsets.size());
  for (const Word offset : parts_.instructionOffsets)
    instructions_.push_back(*Instruction::at(std::span(parts_.words).subspan(static_cast<size_t>(offset))));
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
