#include "core/schedule/primitives.h"

#include <algorithm>

#include "core/arith/fold.h"

namespace rx::schedule {

namespace {

constexpr PrimitiveRow kRows[] = {
#define RX_PRIMITIVE(name, function, result, arguments, help, ...)                \
  {name, arguments, help, Recorded<Primitive::function, &bare::function>::kKinds, \
   &Recorded<Primitive::function, &bare::function>::applyTo},
#include "core/schedule/primitives.def"
};

/// Names that texts before v0.25 have.
constexpr struct { std::string_view name, now; } kOlder[] = {{"get_block", "get_sblock"}};

}  // namespace

Factors::Factors(std::initializer_list<int64_t> numbers) {
  for (const int64_t number : numbers) extents.push_back(number == 0 ? nullptr : tir::intImm(number));
}

std::span<const PrimitiveRow> primitiveRows() { return kRows; }

const PrimitiveRow* findPrimitive(std::string_view name) {
  for (const auto& older : kOlder) name = older.name == name ? older.now : name;
  const auto row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const PrimitiveRow& r) { return r.name == name; });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace rx::schedule
