// The median: the place of the middle element in the order of a line, and what stands there.
#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;

namespace {

Tensor gatherStage(Lowering& l, const Tensor& x, const Tensor& places, size_t axis) {
  auto body = [&](const Indices& i) {
    Indices in = i;
    in[axis] = places(i);
    return x(in);
  };
  return l.graph.compute(places.dims(), body, {"T_gather"});
}

/// Along one axis the element and its place, over all elements the element alone.
Outcome median(Lowering& l) {
  const auto given = l.ints("axis");
  const bool whole = !given || given->empty(), keep = l.boolAttr("keepdims");
  if (!whole && given->size() > 1) return refuse(l.call, "not available: the median over several axes");
  Tensor x = l.tensor(l.call.args[0], false, whole ? 0 : kSortAlignment);
  const int64_t sorted = whole ? -1 : given->front();
  if (whole) x = reshapeStage(l, x, {l.analyzer.simplify(extentOf(x.shape()))});
  const auto axis = normalAxis(sorted, x.rank());
  if (!axis) return refuse(l.call, "the axis is out of range");
  if (arith::isZero(x.dim(*axis))) return refuse(l.call, "no element is in the middle of none");

  Shape one = x.dims();
  one[*axis] = i64(1);
  PrimExpr middle = l.analyzer.simplify(arith::floorDiv(arith::sub(x.dim(*axis), i64(1)), i64(2)));
  Tensor order = argsortStage(l, x, sorted, true, DataType::Int(64));
  Tensor ordered = gatherStage(l, x, order, *axis);
  Tensor places = l.graph.compute(one, [&](const Indices&) { return middle; }, {"T_full"});
  std::vector<Tensor> outputs{gatherStage(l, ordered, places, *axis)};
  if (!whole) outputs.push_back(gatherStage(l, order, places, *axis));
  if (!keep) {
    for (Tensor& output : outputs) output = squeezeStage(l, output, {*axis});
  } else if (whole && l.resultShape()) {
    outputs[0] = reshapeStage(l, outputs[0], *l.resultShape());
  }
  return l.finish("median", outputs);
}

constexpr LegalizeRow kRows[] = {
    {"relax.median", median},
};

}  // namespace

std::span<const LegalizeRow> medianRows() { return kRows; }

}  // namespace rx::legalize
