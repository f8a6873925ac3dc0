#include "core/debug/given_values.h"

namespace rx::debug {

namespace {

/// Whether a step gives a value that the binding has, only by another name: stages before names were dropped have it
/// once more than those behind, and where a binding runs again the n-th values would be those of different turns.
bool isOtherName(const Instruction& instruction, const ValuePlace& place, const ValuePlace& before) {
  return instruction.renames() && before.activation == place.activation &&
         instruction.arguments.front() == static_cast<int>(before.reg);
}

}  // namespace

Result<Given> givenIn(const Recording& run, const CancelToken& cancel) {
  Given all;
  std::map<StagePlace, ValuePlace> latest;  // where each got its value, or another name of it
  for (uint32_t step = run.reader().oldest(); step < run.reader().recorded(); ++step) {
    if (cancel.cancelled()) return fail("vm.cancelled", "the comparison was cancelled");
    RX_TRY(bindings, run.givenBy(step));
    if (bindings.empty()) continue;
    RX_TRY(row, run.reader().step(step));
    const Instruction& instruction = run.program().instructions[row.instruction];
    for (const GivenBinding& given : bindings) {
      if (!given.value.path.empty()) continue;
      const auto [before, isFirst] = latest.try_emplace(given.binding, given.value);
      if (isFirst || !isOtherName(instruction, given.value, before->second))
        all[given.binding].push_back({step, given.value});
      before->second = given.value;
    }
  }
  return all;
}

}  // namespace rx::debug
