#include "core/debug/given_values.h"

#include <algorithm>
#include <tuple>

namespace rx::debug {

namespace {

/// Whether a step gives a value that the binding has, only by another name: stages before names were dropped have it
/// once more than those behind, and where a binding runs again the n-th values would be those of different turns.
bool isOtherName(const Instruction& instruction, const ValuePlace& place, const ValuePlace& before) {
  return instruction.renames() && !instruction.arguments.empty() && before.activation == place.activation &&
         instruction.arguments.front() == static_cast<int>(before.reg);
}

/// A value as a step gave it, before it is known which of them are one.
struct Candidate {
  StagePlace binding;
  GivenAt given;
  uint32_t instruction = 0;
  uint32_t called = store::kNone;  ///< the activation that the step made
};

/// What a function gives back and its caller gives the same binding is one value: of a group that is a function of its
/// own for some passes, what it computes last and its call come from the same binding. In a recursion the same
/// instruction gives values of different turns.
class Returned {
 public:
  Returned(const Recording& run, const std::vector<Candidate>& all) : run_(run), all_(all) {
    for (size_t i = 0; i < all.size(); ++i) inside_[{all[i].given.place.activation, all[i].binding}].push_back(i);
  }

  Result<bool> isGivenInside(const Candidate& call) const {
    if (call.called == store::kNone) return false;
    const auto inside = inside_.find({call.called, call.binding});
    if (inside == inside_.end()) return false;
    RX_TRY(returned, valueOf(call));
    for (const size_t at : inside->second) {
      if (all_[at].instruction == call.instruction) continue;
      RX_TRY(given, valueOf(all_[at]));
      if (given == returned) return true;
    }
    return false;
  }

 private:
  Result<store::Value> valueOf(const Candidate& each) const {
    const ValuePlace& place = each.given.place;
    return run_.reader().registerAt(place.state, place.activation, place.reg);
  }

  const Recording& run_;
  const std::vector<Candidate>& all_;
  std::map<std::pair<uint32_t, StagePlace>, std::vector<size_t>> inside_;  ///< by activation
};

}  // namespace

Result<Given> givenIn(const Recording& run, const CancelToken& cancel) {
  std::vector<Candidate> candidates;
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
        candidates.push_back({given.binding, {step, given.value}, row.instruction, row.pushed});
      before->second = given.value;
    }
  }
  Given all;
  const Returned returned(run, candidates);
  for (const Candidate& each : candidates) {
    RX_TRY(inside, returned.isGivenInside(each));
    if (!inside) all[each.binding].push_back(each.given);
  }
  return all;
}

std::vector<GivenInOrder> inOrderOfRun(const Given& given) {
  std::vector<GivenInOrder> all;
  for (const auto& [binding, values] : given)
    for (size_t i = 0; i < values.size(); ++i) all.push_back({binding, i, values[i]});
  std::sort(all.begin(), all.end(), [](const GivenInOrder& a, const GivenInOrder& b) {
    return std::tie(a.given.step, a.binding) < std::tie(b.given.step, b.binding);
  });
  return all;
}

}  // namespace rx::debug
