// Layouts of operators that work element by element, and of those that spread their operands.
#include <array>

#include "core/relay/passes/alter_layout.h"

namespace rx::relay::layouts {

namespace {

/// The layout, parts of axes where the tensor has one element (or no such axis at all) of one element too.
Layout withFactors(const Layout& layout, const Layout& before, const Array<Dim>& shape) {
  std::vector<Layout::Axis> axes = layout.axes();
  for (Layout::Axis& axis : axes) {
    if (axis.isWhole()) continue;
    const auto at = before.find(axis.capital());
    const bool isOneElement = !at || (*at < shape.size() && isOne(shape[*at]) && !before.has(axis.name));
    axis.factor = isOneElement ? 1 : layout.factorOf(axis.capital()).value_or(1);
  }
  return Layout(std::move(axes));
}

/// Whether two layouts of one rank differ in the names of their axes alone.
bool isomorphic(const Layout& a, const Layout& b) {
  std::array<int, 128> there{}, back{};
  for (size_t i = 0; i < a.rank(); ++i) {
    const Layout::Axis &x = a.axes()[i], &y = b.axes()[i];
    int &to = there[static_cast<size_t>(x.name)], &from = back[static_cast<size_t>(y.name)];
    if (x.isWhole() != y.isWhole() || (to != 0 && to != y.name) || (from != 0 && from != x.name)) return false;
    if (!x.isWhole() && x.factor != y.factor) return false;
    to = y.name;
    from = x.name;
  }
  return true;
}

/// What becomes of a layout when another one, whose last axes are like its own, becomes `now`; nothing where they are
/// not alike.
MaybeLayout changedLike(const Layout& layout, const Layout& before, const Layout& now) {
  const Layout& large = before.rank() > layout.rank() ? before : layout;
  const Layout& small = &large == &before ? layout : before;
  const Layout tail = large.last(small.rank());
  for (size_t i = 0; i + small.rank() < large.rank(); ++i) {
    const char name = large.axes()[i].capital();
    if (tail.has(name) || tail.isSplit(name)) return std::nullopt;
  }
  if (!isomorphic(tail, small)) return std::nullopt;
  if (layout.rank() == 0) return layout;
  std::array<char, 26> names{};
  std::array<bool, 26> used{};
  auto slot = [](char capital) { return static_cast<size_t>(capital - 'A'); };
  for (size_t back = 1; back <= layout.rank() && back <= before.rank(); ++back) {
    const char from = before.axes()[before.rank() - back].capital();
    const char to = layout.axes()[layout.rank() - back].capital();
    names[slot(from)] = to;
    used[slot(to)] = true;
  }
  for (size_t back = 1; back <= before.rank(); ++back) {
    const char from = before.axes()[before.rank() - back].capital();
    if (names[slot(from)] != 0) continue;
    char free = from;
    for (char c = 'A'; used[slot(free)] && c <= 'Z'; ++c) {
      if (!used[slot(c)]) free = c;
    }
    names[slot(from)] = free;
    used[slot(free)] = true;
  }
  std::vector<Layout::Axis> axes = now.axes();
  for (Layout::Axis& axis : axes) {
    const char to = names[slot(axis.capital())];
    if (to == 0) return std::nullopt;
    axis.name = static_cast<char>(axis.isWhole() ? to : to - 'A' + 'a');
  }
  return Layout(std::move(axes));
}

/// The layouts of two operands and of the result of spreading them.
std::optional<LayoutAnswer> spread(const LayoutQuestion& q) {
  Layouts own(q.before.begin(), q.before.begin() + 2);
  const TensorType *lhs = q.type(0), *rhs = q.type(1);
  if (!lhs || !rhs || (!own[0] && !own[1])) return std::nullopt;
  const std::array<size_t, 2> ranks = {lhs->shape.size(), rhs->shape.size()};
  const size_t longer = ranks[0] >= ranks[1] ? 0 : 1;
  MaybeLayout result = own[longer];
  if (!own[0] || !own[1]) {
    const size_t has = own[0] ? 0 : 1;
    if (ranks[has] < ranks[1 - has] || own[has]->rank() < ranks[1 - has]) return std::nullopt;
    own[1 - has] = own[has]->last(ranks[1 - has]);
    result = own[has];
  }
  if (!q.now) return LayoutAnswer{own, {result}, q.call.attrs};
  const Layouts& now = *q.now;
  if (!now[0] || !now[1]) return std::nullopt;
  const size_t large = now[0]->wholeAxes() >= now[1]->wholeAxes() ? 0 : 1, small = 1 - large;
  const MaybeLayout like = changedLike(*own[small], *own[large], *now[large]);
  if (!like) return std::nullopt;
  Layouts in(2);
  in[large] = now[large];
  in[small] = withFactors(*like, *own[small], (small == 0 ? lhs : rhs)->shape);
  return LayoutAnswer{in, {now[longer]}, q.call.attrs};
}

MaybeLayout firstKnown(const Layouts& all) {
  for (const MaybeLayout& each : all) {
    if (each) return each;
  }
  return std::nullopt;
}

}  // namespace

std::optional<LayoutAnswer> elementwise(const LayoutQuestion& q) {
  const MaybeLayout layout = q.now ? (*q.now)[0] : firstKnown(q.before);
  return LayoutAnswer{Layouts(q.before.size(), layout), {layout}, q.call.attrs};
}

std::optional<LayoutAnswer> elementwiseTwo(const LayoutQuestion& q) { return elementwise(q); }

/// As it comes, and so is what it was multiplied with.
std::optional<LayoutAnswer> dropout(const LayoutQuestion& q) {
  auto out = elementwise(q);
  out->out.push_back(out->out[0]);
  return out;
}

std::optional<LayoutAnswer> broadcast(const LayoutQuestion& q) { return spread(q); }

std::optional<LayoutAnswer> quantizedBroadcast(const LayoutQuestion& q) {
  auto out = spread(q);
  if (out) out->in.resize(q.before.size(), Layout::parse("C"));
  return out;
}

}  // namespace rx::relay::layouts
