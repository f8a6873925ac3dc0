// Layouts of operators that name axes: reductions, parts and joints of tensors.
#include "core/relay/passes/alter_layout.h"

namespace rx::relay::layouts {

namespace {

ir::Attrs with(const Call& call, const char* name, NodeRef value) {
  return attrsWith(call, {{name, std::move(value)}});
}

std::optional<LayoutAnswer> as(const MaybeLayout& layout, const ir::Attrs& attrs) {
  return LayoutAnswer{{layout}, {layout}, attrs};
}

/// Where each of some axes of the old layout stands in the new one; nothing where one is not there.
std::optional<std::vector<int64_t>> movedAxes(const LayoutQuestion& q, const std::vector<int64_t>& axes) {
  std::vector<int64_t> out;
  for (int64_t axis : axes) {
    const size_t at = positiveAxis(axis, q.old()->rank());
    const auto found = at < q.old()->rank() ? q.fresh()->find(q.old()->axes()[at].name) : std::nullopt;
    if (!found) return std::nullopt;
    out.push_back(static_cast<int64_t>(*found));
  }
  return out;
}

std::optional<LayoutAnswer> joined(const LayoutQuestion& q, size_t count) {
  const Layouts before(q.before.begin(), q.before.begin() + static_cast<ptrdiff_t>(count));
  const int64_t axis = intAttrOf(q.call, "axis");
  if (q.now && q.old()) {
    const bool same = std::all_of(q.now->begin(), q.now->begin() + static_cast<ptrdiff_t>(count),
                                  [&](const MaybeLayout& each) { return each == (*q.now)[0]; });
    const auto moved = same && q.fresh() ? movedAxes(q, {axis}) : std::nullopt;
    if (moved) {
      return LayoutAnswer{Layouts(count, *q.fresh()), {*q.fresh()}, with(q.call, "axis", ir::intAttr((*moved)[0]))};
    }
  }
  for (const MaybeLayout& layout : before) {
    if (!layout) continue;
    const size_t at = positiveAxis(axis, layout->rank());
    if (at >= layout->rank() || !layout->axes()[at].isWhole()) return std::nullopt;
    return LayoutAnswer{Layouts(count, layout), {layout}, q.call.attrs};
  }
  return std::nullopt;
}

/// What a reduction over some axes (by name) reads and leaves of a layout.
struct Reduced {
  Layout out;
  std::vector<int64_t> axes;
};
Reduced reducedFrom(const Layout& layout, const Layout& old, const std::vector<int64_t>& axes, bool exclude,
                    bool keeps) {
  auto isReduced = [&](char name) {
    return std::any_of(axes.begin(), axes.end(),
                       [&](int64_t axis) { return old.axes()[static_cast<size_t>(axis)].name == name; });
  };
  Reduced reduced;
  std::vector<Layout::Axis> left;
  for (size_t i = 0; i < layout.rank(); ++i) {
    const Layout::Axis& axis = layout.axes()[i];
    const bool gone = isReduced(axis.capital());
    if (gone != exclude) reduced.axes.push_back(static_cast<int64_t>(i));
    if (axis.isWhole()) {
      if (!gone || keeps) left.push_back(axis);
    } else if (!gone || exclude) {
      left.push_back(axis);
    } else if (keeps) {
      left.push_back({axis.name, 1});
    }
  }
  reduced.out = Layout(std::move(left));
  return reduced;
}

}  // namespace

std::optional<LayoutAnswer> concatenate(const LayoutQuestion& q) { return joined(q, q.before.size()); }

std::optional<LayoutAnswer> quantizedConcatenate(const LayoutQuestion& q) {
  const auto* types = rx::as<TupleType>(q.args[0]->sinfo);
  auto out = types ? joined(q, types->items.size()) : std::nullopt;
  if (out) out->in.resize(q.before.size(), Layout::parse("C"));
  return out;
}

std::optional<LayoutAnswer> reduce(const LayoutQuestion& q) {
  const TensorType* type = q.type(0);
  if (!type || !q.old() || q.old()->rank() != type->shape.size()) return std::nullopt;
  const size_t rank = type->shape.size();
  const bool exclude = intAttrOf(q.call, "exclude") != 0, keeps = intAttrOf(q.call, "keepdims") != 0;
  const auto stated = intsAttrOf(q.call, "axis");
  std::vector<int64_t> axes;  // those that are gone
  for (size_t i = 0; i < rank; ++i) {
    const bool named = stated && std::any_of(stated->begin(), stated->end(),
                                             [&](int64_t axis) { return positiveAxis(axis, rank) == i; });
    if (!stated || stated->empty() || named != exclude) axes.push_back(static_cast<int64_t>(i));
  }
  const Layout& layout = q.fresh() && !axes.empty() ? *q.fresh() : *q.old();
  const Reduced reduced = reducedFrom(layout, *q.old(), axes, exclude, keeps);
  const bool moves = q.fresh() && !axes.empty();
  return LayoutAnswer{Layouts(q.before.size(), layout),
                      {reduced.out},
                      moves ? with(q.call, "axis", ir::intArrayAttr(reduced.axes)) : q.call.attrs};
}

std::optional<LayoutAnswer> transpose(const LayoutQuestion& q) {
  if (!q.old()) return std::nullopt;
  const size_t rank = q.old()->rank();
  auto axes = intsAttrOf(q.call, "axes");
  if (!axes || axes->empty()) {
    axes.emplace();
    for (size_t i = rank; i > 0; --i) axes->push_back(static_cast<int64_t>(i) - 1);
  }
  for (int64_t& axis : *axes) axis = static_cast<int64_t>(positiveAxis(axis, rank));
  const auto moved = q.fresh() ? movedAxes(q, *axes) : std::nullopt;
  const bool follows = moved && moved->size() == q.fresh()->rank();
  const Layout& in = follows ? *q.fresh() : *q.old();
  if (follows) axes = moved;
  std::vector<Layout::Axis> out;
  for (int64_t axis : *axes) out.push_back(in.axes()[static_cast<size_t>(axis)]);
  return LayoutAnswer{{in}, {Layout(std::move(out))}, with(q.call, "axes", ir::intArrayAttr(*axes))};
}

std::optional<LayoutAnswer> squeeze(const LayoutQuestion& q) {
  const TensorType* type = q.type(0);
  const MaybeLayout in = q.now ? (*q.now)[0] : q.old();
  if (!in || !type) return std::nullopt;
  auto axes = intsAttrOf(q.call, "axis");
  if (!axes) {
    axes.emplace();
    for (size_t i = 0; i < type->shape.size(); ++i) {
      if (isOne(type->shape[i])) axes->push_back(static_cast<int64_t>(i));
    }
  }
  ir::Attrs attrs = q.call.attrs;
  if (q.now && q.old()) {
    axes = movedAxes(q, *axes);
    if (!axes) return std::nullopt;
    attrs = with(q.call, "axis", ir::intArrayAttr(*axes));
  }
  std::vector<Layout::Axis> left;
  for (size_t i = 0; i < in->rank(); ++i) {
    const bool gone =
        std::any_of(axes->begin(), axes->end(), [&](int64_t axis) { return positiveAxis(axis, in->rank()) == i; });
    if (!gone) left.push_back(in->axes()[i]);
  }
  return LayoutAnswer{{in}, {Layout(std::move(left))}, attrs};
}

std::optional<LayoutAnswer> split(const LayoutQuestion& q) {
  const auto* sections = rx::as<ir::ArrayAttr>(attrOf(q.call, "indices_or_sections"));
  const auto indices = sections ? intsAttrOf(q.call, "indices_or_sections") : std::nullopt;
  const size_t count =
      sections ? sections->items.size() + 1 : static_cast<size_t>(intAttrOf(q.call, "indices_or_sections", 1));
  if (!q.now || !q.old() || !q.fresh()) return LayoutAnswer{{q.old()}, Layouts(count, q.old()), q.call.attrs};
  const int64_t axis = intAttrOf(q.call, "axis");
  const auto moved = movedAxes(q, {axis});
  if (!moved) return std::nullopt;
  ir::Attrs attrs = with(q.call, "axis", ir::intAttr((*moved)[0]));
  const char name = q.old()->axes()[positiveAxis(axis, q.old()->rank())].name;
  const int64_t factor = q.fresh()->factorOf(name).value_or(1);
  if (factor > 1 && indices) {
    std::vector<int64_t> parts;
    for (int64_t index : *indices) {
      if (index % factor != 0) return LayoutAnswer{{q.old()}, Layouts(count, q.old()), q.call.attrs};
      parts.push_back(index / factor);
    }
    attrs = ir::withAttr(attrs, "indices_or_sections", ir::intArrayAttr(parts));
  }
  return LayoutAnswer{{*q.fresh()}, Layouts(count, *q.fresh()), attrs};
}

std::optional<LayoutAnswer> sliceLike(const LayoutQuestion& q) {
  const auto axes = intsAttrOf(q.call, "axes");
  const auto moved = axes && !axes->empty() && q.old() && q.fresh() ? movedAxes(q, *axes) : std::nullopt;
  if (moved) {
    return LayoutAnswer{{*q.fresh(), *q.fresh()}, {*q.fresh()}, with(q.call, "axes", ir::intArrayAttr(*moved))};
  }
  return LayoutAnswer{{q.before[0], q.before[1]}, {q.before[1]}, q.call.attrs};
}

/// A slice follows a layout that orders the axes anew, or splits them where the slice falls on whole parts.
std::optional<LayoutAnswer> stridedSlice(const LayoutQuestion& q) {
  const TensorType* type = q.type(0);
  if (!q.old() || !q.fresh() || !type) return as(q.old(), q.call.attrs);
  auto begin = intsAttrOf(q.call, "begin"), end = intsAttrOf(q.call, "end"), strides = intsAttrOf(q.call, "strides");
  const auto named = intsAttrOf(q.call, "axes");
  if (!begin || !end || !strides) return std::nullopt;
  const std::string from = q.old()->name(), to = q.fresh()->name();
  const bool isSize = textAttrOf(q.call, "slice_mode") == "size";
  if (isSize) strides->assign(strides->size(), 1);
  const bool extends = to.starts_with(from), shrinks = from.starts_with(to);
  if (!extends && !shrinks) {
    if (from.size() != to.size()) return std::nullopt;
    if (named) {
      const auto moved = movedAxes(q, *named);
      return moved ? as(*q.fresh(), with(q.call, "axes", ir::intArrayAttr(*moved))) : std::nullopt;
    }
    std::vector<int64_t> begins, ends, steps;
    for (const Layout::Axis& axis : q.fresh()->axes()) {
      const auto at = q.old()->find(axis.name);
      if (!at) return std::nullopt;
      begins.push_back(*at < begin->size() ? (*begin)[*at] : 0);
      ends.push_back(*at < end->size() ? (*end)[*at] : known(type->shape[*at]).value_or(-1));
      steps.push_back(*at < strides->size() ? (*strides)[*at] : 1);
    }
    return as(*q.fresh(), attrsWith(q.call, {{"begin", ir::intArrayAttr(begins)},
                                             {"end", ir::intArrayAttr(ends)},
                                             {"strides", ir::intArrayAttr(steps)}}));
  }
  if (from.size() >= to.size()) return as(*q.old(), q.call.attrs);
  for (size_t i = 0; i < begin->size(); ++i) {
    const size_t axis = named ? positiveAxis((*named)[i], q.old()->rank()) : i;
    const auto factor = q.fresh()->factorOf(q.old()->axes()[axis].name);
    if (!factor) continue;
    if (i < strides->size() && (*strides)[i] != 1) return std::nullopt;
    int64_t last = i < end->size() ? (*end)[i] : known(type->shape[axis]).value_or(-1);
    if (isSize) last = last < 0 ? known(type->shape[axis]).value_or(-1) : (*begin)[i] + last;
    if ((*begin)[i] % *factor != 0 || last % *factor != 0) return std::nullopt;
    (*begin)[i] /= *factor;
    (*end)[i] = last / *factor;
  }
  return as(*q.fresh(), attrsWith(q.call, {{"begin", ir::intArrayAttr(*begin)}, {"end", ir::intArrayAttr(*end)}}));
}

}  // namespace rx::relay::layouts
