#include "core/debug/first_difference.h"

#include <fmt/format.h>

#include <map>

#include "core/runtime/value.h"
#include "core/tensor/stats.h"

namespace rx::debug {
namespace {

/// The places of all values of each binding, in their order.
using Given = std::map<StagePlace, std::vector<ValuePlace>>;

Result<Given> givenIn(const Recording& run, const CancelToken& cancel) {
  Given all;
  for (uint32_t step = 0; step < run.reader().recorded(); ++step) {
    if (cancel.cancelled()) return fail("vm.cancelled", "the comparison was cancelled");
    RX_TRY(bindings, run.givenBy(step));
    for (const GivenBinding& given : bindings) all[given.binding].push_back(given.value);
  }
  return all;
}

Result<std::string> tensorsApart(const HostTensor& left, const HostTensor& right) {
  if (left.shape() != right.shape() || left.dtype() != right.dtype())
    return fmt::format("{} of {} and {} of {}", shapeText(left.shape()), left.dtype().str(), shapeText(right.shape()),
                       right.dtype().str());
  const int64_t at = firstBeyondRounding(left, right);
  if (at < 0) return std::string();
  RX_TRY(a, left.slice(at, 1));
  RX_TRY(b, right.slice(at, 1));
  return fmt::format("element {}: {} and {}", shapeText(elementIndex(left.shape(), at)), vm::tensorText(*a),
                     vm::tensorText(*b));
}

/// How two values differ; "" where they agree. What is neither number nor shape nor tensor agrees with its like.
Result<std::string> apart(const Value& left, const Value& right) {
  std::vector<std::pair<const Value*, const Value*>> open{{&left, &right}};
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    const bool alike = a->kind == b->kind && a->items.size() == b->items.size();
    if (alike && a->kind == ValueKind::Tensor) {
      RX_TRY(text, tensorsApart(*a->tensor, *b->tensor));
      if (!text.empty()) return text;
    } else if (!alike || a->shape != b->shape || a->integer != b->integer || a->text != b->text) {
      return valueText(*a) + " and " + valueText(*b);
    }
    for (size_t i = a->items.size(); i-- > 0;) open.emplace_back(&a->items[i], &b->items[i]);
  }
  return std::string();
}

/// The names of bindings that compute something and have a value in one run alone, among those of the functions that
/// the left run went through, up to a binding.
std::vector<std::string> absentUpTo(const Recording& left, const Given& ours, const Given& theirs, StagePlace end) {
  std::vector<std::string> names;
  const Stage& stage = *left.program().stages.front();
  for (size_t f = 0; f < stage.functions().size(); ++f) {
    const StageFunction& function = stage.functions()[f];
    for (const StageBinding& binding : function.bindings) {
      const StagePlace place{static_cast<int>(f), binding.ordinal};
      if (place.function == end.function && place.ordinal >= end.ordinal) break;
      if (binding.works && ours.contains(place) != theirs.contains(place)) names.push_back(binding.variable.string());
    }
  }
  return names;
}

}  // namespace

Result<RunComparison> firstDifference(const Recording& left, const Recording& right, const CancelToken& cancel) {
  RX_TRY(ours, givenIn(left, cancel));
  RX_TRY(theirs, givenIn(right, cancel));
  RunComparison result;
  std::map<StagePlace, size_t> seen;
  for (uint32_t step = 0; step < left.reader().recorded(); ++step) {
    if (cancel.cancelled()) return fail("vm.cancelled", "the comparison was cancelled");
    RX_TRY(bindings, left.givenBy(step));
    for (const GivenBinding& given : bindings) {
      const auto other = theirs.find(given.binding);
      const size_t number = seen[given.binding]++;
      if (other == theirs.end() || number >= other->second.size()) continue;
      RX_TRY(a, left.valueAt(given.value));
      RX_TRY(b, right.valueAt(other->second[number]));
      RX_TRY(what, apart(a, b));
      if (what.empty()) {
        ++result.agree;
        continue;
      }
      const Stage& stage = *left.program().stages.front();
      RX_TRY(row, left.reader().step(step));
      result.first = BindingDifference{stage.functions()[static_cast<size_t>(given.binding.function)].name.string(),
                                       stage.binding(given.binding)->variable.string(),
                                       left.program().instructions[row.instruction].callee,
                                       what,
                                       given.value.state,
                                       other->second[number].state};
      result.absent = absentUpTo(left, ours, theirs, given.binding);
      return result;
    }
  }
  result.absent = absentUpTo(left, ours, theirs, {});
  return result;
}

}  // namespace rx::debug
