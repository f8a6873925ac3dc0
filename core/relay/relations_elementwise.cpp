// Relations of operators that work element by element.
#include <algorithm>

#include "core/relay/relations.h"
#include "core/relay/relations_shared.h"

namespace rx::relay::relation {

std::optional<size_t> countOfDimensions(const TensorType& elements) {
  const auto count = elements.shape.empty() ? std::nullopt : known(elements.shape[0]);
  return count && *count >= 0 && *count <= kMostNewDimensions ? std::optional<size_t>(*count) : std::nullopt;
}

std::optional<Dims> broadcastDims(Relating& r, const Array<Dim>& a, const Array<Dim>& b) {
  const size_t rank = std::max(a.size(), b.size());
  Dims out(rank);
  for (size_t back = 1; back <= rank; ++back) {
    Dim& made = out[rank - back];
    if (back > a.size()) {
      made = b[b.size() - back];
      continue;
    }
    if (back > b.size()) {
      made = a[a.size() - back];
      continue;
    }
    const Dim &x = a[a.size() - back], &y = b[b.size() - back];
    if (isOne(x)) {
      made = y;
    } else if (isOne(y)) {
      made = x;
    } else if (!x || !y) {
      made = x ? x : y;  // any size and a size other than one: that size, or one that is spread to it
    } else if (differ(x, y)) {
      r.refuse("dimensions " + std::to_string(*known(x)) + " and " + std::to_string(*known(y)) +
               " can not be broadcast to one another");
      return std::nullopt;
    } else {
      made = known(x) ? x : y;
    }
  }
  return out;
}

/// The result is as the first argument.
Outcome Identity(Relating& r) {
  if (!r.isKnown(0)) return r.isKnown(r.inputs()) && r.assign(0, r.type(r.inputs())) ? Outcome::Done : Outcome::Wait;
  return r.result(r.type(0));
}

Outcome FixedPointPerAxis(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const std::vector<int64_t> axes = r.intsAttr("axes");
  for (const int64_t axis : axes)
    if (!r.axis(axis, data->shape.size())) return Outcome::Refused;
  for (size_t i = 1; i < r.inputs(); ++i)
    if (!r.tensor(i, axes.size())) return r.stop();
  return r.result(data);
}

Outcome IdentityComp(Relating& r) {
  const auto x = r.tensor(0);
  return x ? r.result(x->shape.vector(), DataType::Bool()) : r.stop();
}

namespace {
Outcome broadcast(Relating& r, bool compares) {
  const auto a = r.tensor(0);
  if (!a) return r.stop();
  const auto b = r.tensor(1);
  if (!b) return r.stop();
  if (a->dtype != b->dtype) {
    return r.refuse("the element types " + a->dtype.str() + " and " + b->dtype.str() + " differ");
  }
  auto dims = broadcastDims(r, a->shape, b->shape);
  if (!dims) return Outcome::Refused;
  // The type of an argument serves where it says the same: a chain of operators has one type, not one each.
  for (const Ref<TensorType>& like : {a, b})
    if (!compares && std::equal(dims->begin(), dims->end(), like->shape.begin(), like->shape.end()))
      return r.result(Type(like));
  return r.result(std::move(*dims), compares ? DataType::Bool() : a->dtype);
}
}  // namespace

Outcome Broadcast(Relating& r) { return broadcast(r, false); }
Outcome BroadcastComp(Relating& r) { return broadcast(r, true); }

}  // namespace rx::relay::relation
