#include "core/debug/binding_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/tensor/tensor_text.h"

namespace rx::debug {
namespace {

void add(const TensorError& part, TensorError* whole) {
  if (part.maxAbsolute > whole->maxAbsolute) whole->maxAbsolute = part.maxAbsolute, whole->worst = part.worst;
  whole->maxRelative = std::max(whole->maxRelative, part.maxRelative);
  // The part that is nearest to its limit, or furthest over it.
  if (whole->count == 0 || part.maxScaled - part.limit > whole->maxScaled - whole->limit)
    whole->maxScaled = part.maxScaled, whole->limit = part.limit;
  whole->count += part.count;
  whole->off += part.off;
  whole->identical = whole->identical && part.identical;
}

std::string formOf(const Value& value) {
  if (value.kind != ValueKind::Tensor) return valueText(value);
  return fmt::format("{} of {}", shapeText(value.tensor->shape()), value.tensor->dtype().str());
}

bool alike(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.items.size() != b.items.size()) return false;
  if (a.kind == ValueKind::Tensor)
    return a.tensor->shape() == b.tensor->shape() && a.tensor->dtype() == b.tensor->dtype();
  return a.shape == b.shape && (a.kind == ValueKind::Storage || (a.integer == b.integer && a.text == b.text));
}

/// Whether a value of a binding says more than one before: the first that is off counts, else what differs most.
bool tellsMore(const ValueError& now, const ValueError& before) {
  if (!before.within()) return false;
  return !now.within() || now.error.maxAbsolute > before.error.maxAbsolute;
}

Result<Unit> addResult(const Recording& got, const Recording& wanted, std::optional<double> limit,
                       std::vector<BindingError>* all) {
  const std::optional<store::RunEnd>&ours = got.reader().end(), &theirs = wanted.reader().end();
  if (!ours || !theirs || !ours->result || !theirs->result) return Unit{};
  const uint32_t last = got.reader().recorded(), lastWanted = wanted.reader().recorded();
  RX_TRY(a, got.valueAt(last, *ours->result));
  RX_TRY(b, wanted.valueAt(lastWanted, *theirs->result));
  RX_TRY(error, valueError(a, b, limit));
  all->push_back({{}, std::string(kResultName), {}, std::move(error), {last, {}}, {lastWanted, {}}});
  return Unit{};
}

}  // namespace

Result<ValueError> valueError(const Value& got, const Value& wanted, std::optional<double> limit) {
  ValueError all;
  all.error.identical = true;
  std::vector<std::pair<const Value*, const Value*>> open{{&got, &wanted}};
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    if (!a->kept || !b->kept) return fail("store.not-kept", a->kept ? b->text : a->text);
    if (!alike(*a, *b)) {
      all.apart = formOf(*a) + " and " + formOf(*b);
      return all;
    }
    if (a->kind == ValueKind::Tensor) add(tensorError(*a->tensor, *b->tensor, limit), &all.error);
    for (size_t i = a->items.size(); i-- > 0;) open.emplace_back(&a->items[i], &b->items[i]);
  }
  return all;
}

Result<std::vector<BindingError>> bindingErrors(const Recording& got, const Recording& wanted,
                                                std::optional<double> limit, const CancelToken& cancel) {
  RX_TRY(ours, givenIn(got, cancel));
  RX_TRY(theirs, givenIn(wanted, cancel));
  const Stage& stage = *got.program().stages.front();
  std::vector<BindingError> all;
  for (const auto& [place, values] : ours) {
    const auto other = theirs.find(place);
    if (other == theirs.end()) continue;
    std::optional<BindingError> told;
    for (size_t i = 0; i < std::min(values.size(), other->second.size()); ++i) {
      if (cancel.cancelled()) return fail("vm.cancelled", "the comparison was cancelled");
      RX_TRY(a, got.valueAt(values[i].place));
      RX_TRY(b, wanted.valueAt(other->second[i].place));
      RX_TRY(error, valueError(a, b, limit));
      if (told && !tellsMore(error, told->error)) continue;
      told = BindingError{stage.functions()[static_cast<size_t>(place.function)].name.string(),
                          stage.binding(place)->variable.string(),
                          place,
                          std::move(error),
                          values[i],
                          other->second[i]};
    }
    if (told) all.push_back(std::move(*told));
  }
  std::sort(all.begin(), all.end(), [](const BindingError& a, const BindingError& b) {
    return std::tie(a.got.step, a.place) < std::tie(b.got.step, b.place);
  });
  RX_CHECK(addResult(got, wanted, limit, &all));
  return all;
}

}  // namespace rx::debug
