#include "core/debug/program.h"

#include <algorithm>

namespace rx::debug {

int Program::functionIndex(std::string_view name) const {
  for (size_t i = 0; i < functions.size(); ++i)
    if (functions[i].name == name) return static_cast<int>(i);
  return -1;
}

StageMap::StageMap(const Program& program, int stage) : stage_(stage) {
  const Stage& rows = *program.stages[static_cast<size_t>(stage)];
  for (const Instruction& instruction : program.instructions) {
    StagePlace place =
        rows.bestPlace(Array<OriginSite>(instruction.sites),
                       program.functions[static_cast<size_t>(instruction.function)].name, instruction.variable);
    places_.push_back(place);
    significant_.push_back(place.known() && !instruction.housekeeping);
  }
}

std::vector<int64_t> StageMap::instructionsOf(const Program& program, StagePlace place) const {
  const StageBinding* binding = program.stages[static_cast<size_t>(stage_)]->binding(place);
  std::vector<int64_t> all, work;
  if (!binding) return all;
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    bool shares = std::any_of(instruction.sites.begin(), instruction.sites.end(), [&](const OriginSite& site) {
      return std::find(binding->sites.begin(), binding->sites.end(), site) != binding->sites.end();
    });
    // A binding of many origins (a fused call) shares origins with instructions that a closer binding names; those
    // are that binding's, unless nothing else would stand for this one.
    if (!shares) continue;
    all.push_back(static_cast<int64_t>(i));
    if (!instruction.housekeeping) work.push_back(static_cast<int64_t>(i));
  }
  std::vector<int64_t>& chosen = work.empty() ? all : work;
  std::vector<int64_t> own;
  for (int64_t i : chosen)
    if (placeOf(i) == place) own.push_back(i);
  return own.empty() ? chosen : own;
}

}  // namespace rx::debug
