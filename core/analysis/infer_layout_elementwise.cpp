// Layouts of operators that treat every element alike, and of reductions.
#include <algorithm>

#include "core/analysis/infer_layout_rules.h"

namespace rx::analysis {

namespace {

Result<CallLayouts> unary(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, layoutAt(query, 0));
  return CallLayouts{{layout}, layout, query.call.attrs, {}};
}

CallLayouts alike(const LayoutQuery& query, const LayoutText& layout, size_t count) {
  return {std::vector<NLayout>(count, layout), layout, query.call.attrs, {}};
}

/// A split layout for both where the other tensor can be split, too; nothing otherwise.
std::optional<LayoutText> commonPacked(const LayoutQuery& query, const LayoutText& a, const LayoutText& b) {
  if ((!isPacked(a) && !isPacked(b)) || primalCount(a) != primalCount(b)) return std::nullopt;
  const bool first = partCount(a) >= partCount(b);
  const auto shape = shapeAt(query, first ? 1 : 0);
  const auto initial = initialLayout(shape ? static_cast<int64_t>(shape->size()) : -1);
  const LayoutText& wanted = first ? a : b;
  return initial && fitsExactly(*initial, wanted, *shape) ? std::optional<LayoutText>(wanted) : std::nullopt;
}

Result<CallLayouts> binary(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(a, layoutAt(query, 0));
  RX_TRY(b, layoutAt(query, 1));
  if (const auto packed = commonPacked(query, a, b)) return alike(query, *packed, 2);
  const int64_t rankA = as<relax::TensorStructInfo>(query.call.args[0]->sinfo)->ndim;
  const int64_t rankB = as<relax::TensorStructInfo>(query.call.args[1]->sinfo)->ndim;
  const bool aIsLess = rankA <= rankB;
  const LayoutText& less = aIsLess ? a : b;
  const LayoutText& more = aIsLess ? b : a;
  LayoutText narrow, wide = more;  // a number has no layout, and the other tensor keeps its own
  if (std::min(rankA, rankB) != 0) {
    RX_TRY(followed, orRefuse(query, broadcastTo(less, std::max(rankA, rankB))));
    narrow = less;
    wide = followed;
  }
  std::vector<NLayout> inputs{narrow, wide};
  if (!aIsLess) std::swap(inputs[0], inputs[1]);
  return CallLayouts{std::move(inputs), wide, query.call.attrs, {}};
}

/// The same, but of two tensors of one rank the one that another layout has reached leads, whichever comes first: what
/// goes around convolutions then takes their layout, and is not brought back to each.
Result<CallLayouts> wideBinary(const LayoutQuery& query) {
  const auto a = layoutAt(query, 0), b = layoutAt(query, 1), ownA = initialAt(query, 0), ownB = initialAt(query, 1);
  const bool follows =
      a && b && ownA && ownB && *a == *ownA && *b != *ownB && ownA->size() == ownB->size() && !isPacked(*b);
  return follows ? alike(query, *b, 2) : binary(query);
}

Result<CallLayouts> fma(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(a, layoutAt(query, 0));
  RX_TRY(b, layoutAt(query, 1));
  RX_TRY(c, layoutAt(query, 2));
  return alike(query, b == c ? b : a, 3);
}

/// The letters of the axes of the result, '#' for those that go.
std::string reducedLetters(const LayoutQuery& query, int64_t rank) {
  std::string letters(static_cast<size_t>(rank), '0');
  const auto axes = op::intsOrNone(query.call, "axis");
  for (int64_t i = 0; i < rank; ++i) {
    const bool goes = !axes || std::ranges::any_of(*axes, [&](int64_t axis) { return (axis + rank) % rank == i; });
    if (goes) letters[static_cast<size_t>(i)] = '#';
  }
  char next = 'A';
  for (char& c : letters) {
    if (c != '#') c = next++;
  }
  return letters;
}

Result<CallLayouts> reduction(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, layoutAt(query, 0));
  RX_TRY(initial, initialAt(query, 0));
  const std::string letters = reducedLetters(query, static_cast<int64_t>(initial.size()));
  RX_TRY(split, orRefuse(query, splitLike(letters, initial, layout)));
  std::vector<int64_t> axes;
  LayoutText left;
  const std::vector<std::string> parts = partsOf(split);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].back() == '#') {
      axes.push_back(static_cast<int64_t>(i));
    } else {
      left += parts[i];
    }
  }
  const bool keeps = op::boolAttr(query.call, "keepdims");
  return CallLayouts{
      {layout}, keeps ? layout : left, ir::withAttr(query.call.attrs, "axis", ir::intArrayAttr(axes)), {}};
}

/// Scales and what stands for zero are numbers, or lie along an axis.
Result<CallLayouts> quantized(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, unpackedAt(query, 0));
  return CallLayouts{{layout}, layout, withAxis(query, query.call.attrs, "axis", layout), {}};
}

Result<CallLayouts> padded(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, unpackedAt(query, 0));
  const auto widths = refAs<ir::ArrayAttr>(ir::attrOf(query.call.attrs, "pad_width"));
  if (!widths || widths->items.size() != 2 * layout.size()) return noLayout(query, "its widths are not known");
  std::vector<NodeRef> moved(widths->items.size());
  for (size_t i = 0; i < moved.size(); ++i)
    moved[2 * static_cast<size_t>(axisIn(layout, static_cast<int64_t>(i / 2))) + i % 2] = widths->items[i];
  return CallLayouts{{layout},
                     layout,
                     ir::withAttr(query.call.attrs, "pad_width", ir::arrayAttr(Array<NodeRef>(std::move(moved)))),
                     {}};
}

constexpr LayoutRow kRows[] = {
#define RX_ELEMENTWISE(op, layout, precision) {"relax." op, layout},
#include "core/analysis/elementwise.def"
};

constexpr LayoutRow kOwnRows[] = {
    {"relax.clip", unary},    {"relax.nn.leakyrelu", unary}, {"relax.nn.softplus", unary},
    {"relax.nn.pad", padded}, {"relax.quantize", quantized}, {"relax.dequantize", quantized},
};

}  // namespace

std::span<const LayoutRow> elementwiseLayoutRows() { return kRows; }
std::span<const LayoutRow> ownLayoutRows() { return kOwnRows; }
InferLayout wideForm(InferLayout rule) { return rule == binary ? wideBinary : rule; }

}  // namespace rx::analysis
