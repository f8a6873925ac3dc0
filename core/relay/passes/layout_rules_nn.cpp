// Layouts of convolutions, pools, normalisations and their kin.
#include "core/relay/passes/alter_layout.h"

namespace rx::relay::layouts {

namespace {

MaybeLayout channels() { return Layout::parse("C"); }
MaybeLayout attrLayout(const Call& call, std::string_view name) { return Layout::parse(textAttrOf(call, name)); }
ir::Attrs with(const Call& call, const char* name, NodeRef value) {
  return attrsWith(call, {{name, std::move(value)}});
}

/// Where an axis of the old layout stands in the new one; nothing where it has it not.
std::optional<int64_t> movedAxis(const LayoutQuestion& q, int64_t axis) {
  const size_t at = positiveAxis(axis, q.old() ? q.old()->rank() : 0);
  if (!q.old() || !q.fresh() || at >= q.old()->rank()) return std::nullopt;
  const char name = q.old()->axes()[at].name;
  const auto found = q.fresh()->find(name);
  if (q.fresh()->isSplit(name)) return std::nullopt;  // what lies along it is in one piece
  return found ? std::optional(static_cast<int64_t>(*found)) : std::nullopt;
}

/// In the layout that comes, with an axis that follows it.
std::optional<LayoutAnswer> alongAxis(const LayoutQuestion& q, size_t inputs, size_t results) {
  LayoutAnswer out{{q.old()}, {q.old()}, q.call.attrs};
  if (q.now) {
    const auto axis = movedAxis(q, intAttrOf(q.call, "axis"));
    if (!axis) return std::nullopt;
    out = {{(*q.now)[0]}, {(*q.now)[0]}, with(q.call, "axis", ir::intAttr(*axis))};
  }
  out.in.resize(inputs, channels());
  out.out.resize(results, channels());
  return out;
}

}  // namespace

std::optional<LayoutAnswer> convolution(const LayoutQuestion& q) {
  const MaybeLayout data = attrLayout(q.call, "data_layout"), out = attrLayout(q.call, "out_layout");
  return LayoutAnswer{{data, attrLayout(q.call, "kernel_layout")}, {out ? out : data}, q.call.attrs};
}

/// Of rows of data with a matrix, which may lie in blocks of its rows.
std::optional<LayoutAnswer> product(const LayoutQuestion& q) {
  const MaybeLayout plain = Layout::parse("NC"), packed = attrLayout(q.call, "weight_layout");
  return LayoutAnswer{{plain, packed ? packed : plain}, {plain}, q.call.attrs};
}

std::optional<LayoutAnswer> deformableConvolution(const LayoutQuestion& q) {
  auto out = convolution(q);
  out->in.insert(out->in.begin(), out->in[0]);
  return out;
}

std::optional<LayoutAnswer> quantizedConvolution(const LayoutQuestion& q) {
  auto out = convolution(q);
  out->in.resize(q.before.size(), channels());
  return out;
}

std::optional<LayoutAnswer> pool(const LayoutQuestion& q) {
  ir::Attrs attrs = q.call.attrs;
  MaybeLayout layout = attrLayout(q.call, "layout");
  if (q.now && textAttrOf(q.call, "out_layout").empty() && (*q.now)[0]) {
    layout = (*q.now)[0];
    attrs = with(q.call, "layout", layoutAttr(*layout));
  }
  return LayoutAnswer{{layout}, {layout}, attrs};
}

std::optional<LayoutAnswer> quantizedPool(const LayoutQuestion& q) {
  auto out = pool(q);
  out->in.resize(q.before.size(), channels());
  return out;
}

/// Follows a layout that leaves what is enlarged where it was, in one piece.
std::optional<LayoutAnswer> upsampling(const LayoutQuestion& q) {
  MaybeLayout layout = attrLayout(q.call, "layout");
  ir::Attrs attrs = q.call.attrs;
  if (const Layout* now = layout ? q.fresh() : nullptr) {
    auto stays = [&](char axis) { return now->find(axis) == layout->find(axis) && !now->isSplit(axis); };
    if (stays('W') && stays('H') && (!now->has('D') || stays('D'))) {
      layout = *now;
      attrs = with(q.call, "layout", layoutAttr(*now));
    }
  }
  return LayoutAnswer{{layout}, {layout}, attrs};
}

std::optional<LayoutAnswer> resize(const LayoutQuestion& q) {
  MaybeLayout layout = attrLayout(q.call, "layout");
  ir::Attrs attrs = q.call.attrs;
  const Layout* now = q.fresh();
  if (now && layout && q.old() && *now != *q.old() && *layout == *q.old() && now->rank() == q.old()->rank()) {
    layout = *now;
    attrs = with(q.call, "layout", layoutAttr(*now));
  }
  return LayoutAnswer{{layout}, {layout}, attrs};
}

/// Regions are rows of numbers.
std::optional<LayoutAnswer> regions(const LayoutQuestion& q) {
  const MaybeLayout layout = attrLayout(q.call, "layout");
  return LayoutAnswer{{layout, Layout::parse("N")}, {layout}, q.call.attrs};
}

std::optional<LayoutAnswer> batchNorm(const LayoutQuestion& q) { return alongAxis(q, 5, 3); }
std::optional<LayoutAnswer> normalization(const LayoutQuestion& q) { return alongAxis(q, 3, 1); }

std::optional<LayoutAnswer> l2Normalize(const LayoutQuestion& q) {
  if (!q.now) return LayoutAnswer{{q.old()}, {q.old()}, q.call.attrs};
  auto axes = intsAttrOf(q.call, "axis");
  if (!axes) return std::nullopt;
  for (int64_t& axis : *axes) {
    const auto moved = movedAxis(q, axis);
    if (!moved) return std::nullopt;
    axis = *moved;
  }
  return LayoutAnswer{{(*q.now)[0]}, {(*q.now)[0]}, with(q.call, "axis", ir::intArrayAttr(*axes))};
}

std::optional<LayoutAnswer> prelu(const LayoutQuestion& q) {
  return LayoutAnswer{{q.old(), channels()}, {q.old()}, q.call.attrs};
}

/// Follows a layout that splits no axis that is padded.
std::optional<LayoutAnswer> pad(const LayoutQuestion& q) {
  const NodeRef given = attrOf(q.call, "pad_width");
  const auto* widths = as<ir::ArrayAttr>(given);
  const LayoutAnswer own{{q.old(), Layout()}, {q.old()}, q.call.attrs};
  const Layout* now = q.fresh();
  if (!now || !q.old() || !widths || widths->items.size() != q.old()->rank()) return own;
  std::vector<NodeRef> moved;
  for (const Layout::Axis& axis : now->axes()) {
    auto at = q.old()->find(axis.name);
    const bool splits = !at;
    if (!at) at = q.old()->find(axis.capital());
    if (!at) return std::nullopt;
    const auto width = intsOf(widths->items[*at]);
    if (splits && (!width || std::any_of(width->begin(), width->end(), [](int64_t each) { return each != 0; }))) {
      return own;
    }
    moved.push_back(widths->items[*at]);
  }
  return LayoutAnswer{{*now, Layout()}, {*now}, with(q.call, "pad_width", ir::arrayAttr(std::move(moved)))};
}

/// Follows the layout; axes that are split where scales are vectors stay whole.
std::optional<LayoutAnswer> requantize(const LayoutQuestion& q) {
  LayoutAnswer out{{q.old()}, {q.old()}, q.call.attrs};
  if (const Layout* now = q.fresh()) {
    const auto axis = movedAxis(q, intAttrOf(q.call, "axis", -1));
    const TensorType *scale = q.type(1), *zero = q.type(2);
    const bool areNumbers = scale && zero && scale->shape.empty() && zero->shape.empty();
    std::vector<Layout::Axis> axes;
    for (const Layout::Axis& each : now->axes()) {
      if (each.isWhole() || areNumbers) axes.push_back(each);
    }
    const Layout layout(std::move(axes));
    if (!axis) return std::nullopt;
    out = {{layout}, {layout}, with(q.call, "axis", ir::intAttr(*axis))};
  }
  out.in.resize(q.before.size(), channels());
  return out;
}

}  // namespace rx::relay::layouts
