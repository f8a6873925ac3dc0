#include "core/debug/place.h"

#include <fmt/format.h>

#include "core/debug/literal.h"
#include "core/expression/operators.h"
#include "core/support/text_lines.h"

namespace rx::debug {
namespace {

/// Where the brackets open that close at the end of a text; nothing where it ends otherwise.
std::optional<size_t> lastIndex(std::string_view text) {
  if (!text.ends_with(']')) return {};
  int open = 0;
  for (size_t at = text.size(); at-- > 0;) {
    if (text[at] == ']') ++open;
    if (text[at] == '[' && --open == 0) return at > 0 ? std::optional(at) : std::nullopt;
  }
  return {};
}

/// The numbers of "0, n - 1".
Result<std::vector<int64_t>> indexNumbers(std::string_view text, Environment& names) {
  std::vector<int64_t> numbers;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = endOfItem(text, begin);
    RX_TRY(quantity, evaluate(text.substr(begin, end - begin), names));
    const std::optional<int64_t> number = integerOf(quantity);
    if (!number) return fail("debug.index", "an index is a whole number");
    numbers.push_back(*number);
    begin = end + 1;
  }
  return numbers;
}

const VmFunction& functionOf(Session& session, int activation) {
  const Activation& frame = session.history().activation(activation);
  return session.program().functions[static_cast<size_t>(frame.function)];
}

}  // namespace

Result<Place> heapPlace(Session& session, int activation, size_t slot) {
  const VmFunction& function = functionOf(session, activation);
  const HeapSlot& row = function.heap[slot];
  if (function.heapRegister < 0) return fail("debug.place", "the function has no shape heap");
  return Place{row.expression, {session.state(), activation, function.heapRegister, {}}, static_cast<int64_t>(slot)};
}

Result<Place> partOf(Session& session, int activation, Place place, std::string_view index) {
  if (place.element) return fail("debug.index", "an element has no parts");
  const std::string_view inside = trimmed(index);
  if (inside.size() < 2 || inside.front() != '[' || inside.back() != ']')
    return fail("debug.index", fmt::format("`{}` is no index", escapedForDisplay(inside.substr(0, 80))));
  FrameEnvironment names(session, activation);
  RX_TRY(numbers, indexNumbers(inside.substr(1, inside.size() - 2), names));
  RX_TRY(value, session.describe(place.ref));
  place.name += inside;
  if (value.kind == ValueKind::Tensor) {
    RX_TRY(element, elementNumber(value.tensor->shape(), numbers));
    place.element = element;
    return place;
  }
  const bool shape = value.kind == ValueKind::Shape;
  if (!shape && !value.indexed()) return fail("debug.index", "the value has no elements");
  RX_TRY(item, itemNumber(shape ? value.shape.size() : value.items.size(), numbers));
  if (shape) {
    place.element = item;
  } else {
    place.ref.path.push_back(static_cast<int>(item));
  }
  return place;
}

Result<Place> placeOf(Session& session, int activation, std::string_view text) {
  const std::string_view whole = trimmed(text);
  std::string_view base = whole;
  std::vector<std::string_view> indices;
  while (const auto at = lastIndex(base)) {
    indices.push_back(base.substr(*at));
    base = trimmed(base.substr(0, *at));
  }
  FrameEnvironment names(session, activation);
  std::optional<Place> place;
  if (auto ref = names.find(base)) place = Place{std::string(base), std::move(*ref), {}};
  if (activation >= 0 && !place) {
    const std::vector<HeapSlot>& heap = functionOf(session, activation).heap;
    for (size_t i = 0; i < heap.size() && !place; ++i) {
      if (heap[i].expression.empty() || heap[i].expression != base) continue;
      RX_TRY(slot, heapPlace(session, activation, i));
      place = std::move(slot);
    }
  }
  if (!place) {
    const auto value = evaluate(whole, names);
    const std::string rule = value ? std::string() : value.diagnostics().front().rule;
    if (rule == "debug.unknown-name" || rule == kNoValueYet) return value.failure();
    return fail("debug.place", fmt::format("`{}` is a value, not a place that holds one: name a binding, a register, "
                                           "an item or an element",
                                           escapedForDisplay(whole.substr(0, 80))));
  }
  for (size_t i = indices.size(); i-- > 0;) {
    RX_TRY(part, partOf(session, activation, std::move(*place), indices[i]));
    place = std::move(part);
  }
  return std::move(*place);
}

}  // namespace rx::debug
