// Layouts of operators that move, cut and join tensors.
#include <algorithm>

#include "core/analysis/infer_layout_rules.h"
#include "core/op/rules.h"

namespace rx::analysis {

namespace {

CallLayouts same(const LayoutText& layout, size_t count, ir::Attrs attrs) {
  return {std::vector<NLayout>(count, layout), layout, std::move(attrs), {}};
}

Result<CallLayouts> alongAxis(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, unpackedAt(query, 0));
  return same(layout, 1, withAxis(query, query.call.attrs, "axis", layout));
}

Result<CallLayouts> stridedSlice(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, unpackedAt(query, 0));
  const auto* axes = as<relax::TupleStructInfo>(query.call.args[1]->sinfo);
  std::vector<relax::Expr> moved;
  for (size_t i = 0; axes && i < axes->items.size(); ++i) {
    const auto* prim = as<relax::PrimStructInfo>(axes->items[i]);
    const auto axis = prim && prim->value ? tir::asInt(prim->value) : std::nullopt;
    if (!axis) return noLayout(query, "it cuts along axes that are not known");
    moved.push_back(make<relax::PrimValue>(tir::intImm(axisIn(layout, *axis))));
  }
  if (!axes) return noLayout(query, "it cuts along axes that are not known");
  CallLayouts result = same(layout, 1, query.call.attrs);
  result.newArgs.emplace_back(1, make<relax::Tuple>(Array<relax::Expr>(std::move(moved))));
  return result;
}

Result<CallLayouts> dynamicSlice(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(initial, initialAt(query, 0));
  return same(initial, 1, nullptr);
}

Result<std::vector<LayoutText>> fieldLayouts(const LayoutQuery& query) {
  const NLayout tuple = layoutOf(query.layouts, query.call.args[0]);
  std::vector<LayoutText> layouts;
  for (const NLayout& item : tuple.items) {
    if (!item.isTensor()) return noLayout(query, "it takes a tuple of tensors");
    layouts.push_back(item.text);
  }
  if (layouts.empty()) return noLayout(query, "it takes a tuple of tensors");
  return layouts;
}

/// The layout in which tensors are joined: the first split one where all can be split so, else one that is not split.
Result<LayoutText> joinedLayout(const LayoutQuery& query, const std::vector<LayoutText>& layouts) {
  const auto packed = std::ranges::find_if(layouts, [](const LayoutText& layout) { return isPacked(layout); });
  if (packed == layouts.end()) return layouts[0];
  const auto* fields = as<relax::TupleStructInfo>(query.call.args[0]->sinfo);
  for (size_t i = 0; i < layouts.size(); ++i) {
    const Array<tir::PrimExpr>* dims = op::dimsOf(fields->items[i]);
    if (!dims) return noLayout(query, "the shape of a joined tensor is not known");
    if (fitsExactly(layouts[i], *packed, *dims)) continue;
    const auto plain = std::ranges::find_if(layouts, [](const LayoutText& layout) { return !isPacked(layout); });
    return plain == layouts.end() ? *packed : *plain;
  }
  return *packed;
}

Result<CallLayouts> concat(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layouts, fieldLayouts(query));
  RX_TRY(layout, joinedLayout(query, layouts));
  const int64_t axis = axisIn(layout, op::intOrNone(query.call, "axis").value_or(0));
  CallLayouts result = same(layout, 1, ir::withAttr(query.call.attrs, "axis", ir::intAttr(axis)));
  result.inputs = {NLayout(std::vector<NLayout>(layouts.size(), layout))};
  return result;
}

Result<CallLayouts> stack(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layouts, fieldLayouts(query));
  const LayoutText& layout = layouts[0];
  const int64_t axis = op::intOrNone(query.call, "axis").value_or(0);
  if (axis < 0 || axis > static_cast<int64_t>(layout.size())) return noLayout(query, "its axis counts from the end");
  LayoutText output = layout;
  output.insert(static_cast<size_t>(axis), "S");
  return CallLayouts{{NLayout(std::vector<NLayout>(layouts.size(), layout))},
                     output,
                     ir::withAttr(query.call.attrs, "axis", ir::intAttr(axisIn(layout, axis))),
                     {}};
}

Result<CallLayouts> expandDims(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, unpackedAt(query, 0));
  RX_TRY(initial, initialAt(query, 0));
  const std::vector<int64_t> axes = op::ints(query.call, "axis");
  const auto rank = static_cast<int64_t>(initial.size() + axes.size());
  std::string letters(static_cast<size_t>(rank), '0'), kept;
  for (int64_t axis : axes) letters[static_cast<size_t>((axis + rank) % rank)] = '1';
  for (size_t i = 0; i < letters.size(); ++i) {
    if (letters[i] == '0') kept.push_back(static_cast<char>('A' + i));
  }
  RX_TRY(moved, orRefuse(query, splitLike(kept, initial, layout)));
  LayoutText output;
  for (size_t i = 0, next = 0; i < letters.size(); ++i) {
    output.push_back(letters[i] == '1' ? static_cast<char>('A' + i) : moved[next++]);
  }
  return CallLayouts{{layout}, output, query.call.attrs, {}};
}

Result<CallLayouts> permuteDims(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, unpackedAt(query, 0));
  RX_TRY(initial, initialAt(query, 0));
  const auto rank = static_cast<int64_t>(initial.size());
  LayoutText order;
  if (const auto axes = op::intsOrNone(query.call, "axes")) {
    for (int64_t axis : *axes) order.push_back(static_cast<char>('A' + axis));
  } else {
    order.assign(initial.rbegin(), initial.rend());
  }
  RX_TRY(moved, orRefuse(query, movedLike(initial, layout, order)));
  std::vector<int64_t> axes;
  for (char c : moved) axes.push_back(c - 'A');
  if (static_cast<int64_t>(axes.size()) != rank) return noLayout(query, "its axes are no order of all");
  return CallLayouts{{layout}, initial, ir::withAttr(query.call.attrs, "axes", ir::intArrayAttr(axes)), {}};
}

Result<CallLayouts> split(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, layoutAt(query, 0));
  RX_TRY(initial, initialAt(query, 0));
  const auto* pieces = as<relax::TupleStructInfo>(query.call.sinfo);
  if (!pieces) return noLayout(query, "its pieces are not known");
  for (size_t i = 0; isPacked(layout) && i < pieces->items.size(); ++i) {
    const auto* piece = as<relax::TensorStructInfo>(pieces->items[i]);
    const auto* shape = piece ? as<relax::ShapeExpr>(piece->shape) : nullptr;
    if (!shape) return noLayout(query, "the shape of a piece is not known");
    if (!fitsExactly(initial, layout, shape->values)) layout = initial;
  }
  return CallLayouts{{layout},
                     NLayout(std::vector<NLayout>(pieces->items.size(), layout)),
                     withAxis(query, query.call.attrs, "axis", layout),
                     {}};
}

/// The letters of the axes that stay, numbered anew, and '#' for the others.
std::string keptLetters(std::string marks) {
  char next = 'A';
  for (char& c : marks) {
    if (c != '#') c = next++;
  }
  return marks;
}
std::vector<int64_t> marked(std::string_view letters) {
  std::vector<int64_t> at;
  for (size_t i = 0; i < letters.size(); ++i) {
    if (letters[i] == '#') at.push_back(static_cast<int64_t>(i));
  }
  return at;
}

Result<CallLayouts> squeeze(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, unpackedAt(query, 0));
  RX_TRY(initial, initialAt(query, 0));
  RX_TRY(shape, shapeAt(query, 0));
  std::string marks(initial.size(), '0');
  if (const auto axes = op::intsOrNone(query.call, "axis")) {
    for (int64_t axis : *axes) {
      if (axis < 0 || axis >= static_cast<int64_t>(marks.size()))
        return noLayout(query, "its axis counts from the end");
      marks[static_cast<size_t>(axis)] = '#';
    }
  } else {
    for (size_t i = 0; i < marks.size(); ++i) {
      if (tir::asInt(shape[i]) == 1) marks[i] = '#';
    }
  }
  RX_TRY(letters, orRefuse(query, splitLike(keptLetters(marks), initial, layout)));
  const std::vector<int64_t> axes = marked(letters);
  LayoutText output = letters;
  std::erase(output, '#');
  return CallLayouts{{layout}, output, ir::withAttr(query.call.attrs, "axis", ir::intArrayAttr(axes)), {}};
}

Result<CallLayouts> repeat(const LayoutQuery& query) {
  if (op::intOrNone(query.call, "axis")) return alongAxis(query);
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, unpackedAt(query, 0));
  return CallLayouts{{layout}, *initialLayout(1), query.call.attrs, {}};
}

Result<CallLayouts> tile(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, unpackedAt(query, 0));
  const std::vector<int64_t> repeats = op::ints(query.call, "repeats");
  const size_t rank = layout.size(), count = repeats.size(), added = count > rank ? count - rank : 0;
  std::vector<int64_t> moved(repeats.begin(), repeats.begin() + static_cast<std::ptrdiff_t>(added));
  for (char c : layout) {
    const auto axis = static_cast<size_t>(c - 'A');
    if (axis >= rank) return noLayout(query, "an axis is not in the first layout");
    const size_t from = axis + count;
    moved.push_back(from >= rank ? repeats[from - rank] : 1);
  }
  RX_TRY(output, orRefuse(query, broadcastTo(layout, static_cast<int64_t>(std::max(rank, count)))));
  return CallLayouts{{layout}, output, ir::withAttr(query.call.attrs, "repeats", ir::intArrayAttr(moved)), {}};
}

/// The first `count` arguments and the result in this layout, or where it is packed in the first one's own.
Result<CallLayouts> plainAlongAxis(const LayoutQuery& query, LayoutText layout, size_t count) {
  if (isPacked(layout)) {
    RX_TRY(initial, initialAt(query, 0));
    layout = initial;
  }
  return same(layout, count, withAxis(query, query.call.attrs, "axis", layout));
}

Result<CallLayouts> gatherElements(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(data, layoutAt(query, 0));
  RX_TRY(indices, layoutAt(query, 1));
  auto moved = [](const LayoutText& layout) {
    return initialLayout(static_cast<int64_t>(partCount(layout))) != std::optional<LayoutText>(layout);
  };
  LayoutText layout = !moved(data) && moved(indices) ? indices : data;
  return plainAlongAxis(query, std::move(layout), 2);
}

Result<CallLayouts> scatterElements(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(data, layoutAt(query, 0));
  RX_TRY(indices, layoutAt(query, 1));
  RX_TRY(updates, layoutAt(query, 2));
  LayoutText layout = indices == updates ? indices : data;
  return plainAlongAxis(query, std::move(layout), 3);
}

Result<CallLayouts> scatterNd(const LayoutQuery& query) {
  RX_CHECK(needNoWish(query));
  RX_TRY(layout, layoutAt(query, 0));
  RX_TRY(indices, layoutAt(query, 1));
  RX_TRY(initial, initialAt(query, 0));
  RX_TRY(updates, initialAt(query, 2));
  const bool together = !isPacked(layout) && initial.size() == updates.size();
  const LayoutText& data = together ? layout : initial;
  return CallLayouts{{data, indices, together ? layout : updates}, data, query.call.attrs, {}};
}

constexpr LayoutRow kRows[] = {
    {"relax.strided_slice", stridedSlice},
    {"relax.dynamic_strided_slice", dynamicSlice},
    {"relax.concat", concat},
    {"relax.stack", stack},
    {"relax.expand_dims", expandDims},
    {"relax.permute_dims", permuteDims},
    {"relax.split", split},
    {"relax.squeeze", squeeze},
    {"relax.repeat", repeat},
    {"relax.tile", tile},
    {"relax.flip", alongAxis},
    {"relax.gather_elements", gatherElements},
    {"relax.scatter_elements", scatterElements},
    {"relax.scatter_nd", scatterNd},
};

}  // namespace

std::span<const LayoutRow> manipulateLayoutRows() { return kRows; }

}  // namespace rx::analysis
