// Relations of products, normalizations and losses.
#include <algorithm>

#include "core/relay/relations_shared.h"

namespace rx::relay::relation {

Outcome matmul(Relating& r) {
  const auto a = r.tensor(0);
  if (!a) return r.stop();
  Ref<TensorType> b;
  if (r.isKnown(1) && !(b = r.tensor(1))) return r.stop();
  if (a->shape.empty()) return r.refuse("a scalar has no product");
  // nn.dense is the product with a transposed weight, and says nothing of it.
  const bool transposeA = r.intAttr("transpose_a", 0), transposeB = r.intAttr("transpose_b", 1);
  const size_t rank = a->shape.size();
  if (transposeA && rank < 2) return r.refuse("a vector can not be transposed");
  Dims shape = a->shape.vector();
  const Dim reduced = a->shape[transposeA ? rank - 2 : rank - 1];
  if (transposeA) shape[rank - 2] = a->shape[rank - 1];
  if (!r.isNone("units")) {
    const Dim units = r.dimAttr("units");
    const Dims weight = transposeB ? Dims{units, reduced} : Dims{reduced, units};
    if (!r.assign(1, tensorType(weight, b ? b->dtype : a->dtype))) return Outcome::Refused;
    shape[rank - 1] = units;
  } else {
    if (!b) return Outcome::Wait;
    if (b->shape.size() != 2) return r.refuse("the second has to have two dimensions");
    const Dim other = b->shape[transposeB ? 1 : 0];
    if (differ(reduced, other)) {
      return r.refuse("the dimensions " + std::to_string(*known(reduced)) + " and " + std::to_string(*known(other)) +
                      " that are summed over differ");
    }
    shape[rank - 1] = b->shape[transposeB ? 0 : 1];
  }
  return r.result(std::move(shape), r.dtypeAttr("out_dtype", a->dtype));
}

Outcome batchMatmul(Relating& r) {
  const auto x = r.tensor(0);
  if (!x) return r.stop();
  const auto y = r.tensor(1);
  if (!y) return r.stop();
  if (x->shape.size() != 3 || y->shape.size() != 3) return r.refuse("both have to have three dimensions");
  const bool transposeA = r.intAttr("transpose_a"), transposeB = r.intAttr("transpose_b");
  const Dim xk = x->shape[transposeA ? 1 : 2], yk = y->shape[transposeB ? 2 : 1];
  const Dim xb = x->shape[0], yb = y->shape[0];
  if (differ(xk, yk)) return r.refuse("the dimensions that are summed over differ");
  if (differ(xb, yb) && !isOne(xb) && !isOne(yb)) return r.refuse("the numbers of matrices differ");
  const Dim batch = !xb || !yb ? nullptr : isOne(xb) ? yb : xb;
  return r.result({batch, x->shape[transposeA ? 2 : 1], y->shape[transposeB ? 1 : 2]},
                  r.dtypeAttr("out_dtype", x->dtype));
}

Outcome Matmul(Relating& r) { return matmul(r); }
Outcome BatchMatmul(Relating& r) { return batchMatmul(r); }

Outcome BiasAdd(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto axis = r.axis(r.intAttr("axis"), data->shape.size());
  if (!axis || !r.assign(1, tensorType(Dims{data->shape[*axis]}, data->dtype))) return Outcome::Refused;
  return r.result(data);
}

Outcome Softmax(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  return r.axis(r.intAttr("axis", -1), data->shape.size()) ? r.result(data) : Outcome::Refused;
}

/// Data that is normalized along an axis, and `count` vectors of the axis' extent behind it.
static Outcome normalized(Relating& r, size_t count, bool withStatistics) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto axis = r.axis(r.intAttr("axis"), data->shape.size());
  if (!axis) return Outcome::Refused;
  const Type vector = tensorType(Dims{data->shape[*axis]}, data->dtype);
  for (size_t i = 1; i <= count; ++i) {
    if (!r.assign(i, vector)) return Outcome::Refused;
  }
  if (!withStatistics) return r.result(data);
  return r.resultTuple({data, vector, vector});
}

Outcome BatchNorm(Relating& r) { return normalized(r, 4, true); }
Outcome InstanceNorm(Relating& r) { return normalized(r, 2, false); }
Outcome LayerNorm(Relating& r) { return normalized(r, 2, false); }
Outcome GroupNorm(Relating& r) { return normalized(r, 2, false); }

Outcome PRelu(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto axis = r.axis(r.intAttr("axis"), data->shape.size());
  if (!axis || !r.assign(1, tensorType(Dims{data->shape[*axis]}, data->dtype))) return Outcome::Refused;
  return r.result(data);
}

Outcome Dropout(Relating& r) {
  const auto data = r.tensor(0);
  return data ? r.resultTuple({data, data}) : r.stop();
}

Outcome BatchFlatten(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  if (data->shape.empty()) return r.refuse("a scalar can not be flattened");
  return r.result({data->shape[0], product(data->shape.span().subspan(1))}, data->dtype);
}

Outcome CrossEntropy(Relating& r) {
  const auto x = r.tensor(0);
  if (!x) return r.stop();
  const auto y = r.tensor(1);
  if (!y) return r.stop();
  if (x->shape.size() != 2 || y->shape.size() != 2) return r.refuse("both have to have two dimensions");
  return r.result(Dims{}, x->dtype);
}

Outcome NLLLoss(Relating& r) {
  const auto predictions = r.tensor(0);
  if (!predictions) return r.stop();
  const auto targets = r.tensor(1);
  if (!targets) return r.stop();
  const auto weights = r.tensor(2);
  if (!weights) return r.stop();
  if (predictions->shape.size() != targets->shape.size() + 1) {
    return r.refuse("the predictions have to have one dimension more than the targets");
  }
  if (weights->shape.size() != 1) return r.refuse("the weights have to be a vector");
  if (predictions->shape.size() > 1 && differ(predictions->shape[1], weights->shape[0])) {
    return r.refuse("there has to be a weight for each class");
  }
  return r.text("reduction") == "none" ? r.result(targets->shape.vector(), predictions->dtype)
                                       : r.result(Dims{}, predictions->dtype);
}

/// Each element of one map against a neighbourhood in the other.
Outcome Correlation(Relating& r) {
  const auto a = r.tensor(0);
  if (!a) return r.stop();
  const auto b = r.tensor(1);
  if (!b) return r.stop();
  if (a->shape.size() != 4) return r.refuse("the data has to have four dimensions");
  const auto padding = paddingOf(r, 2);
  if (!padding) return Outcome::Refused;
  const Dim farthest = dim(r.intAttr("max_displacement"));
  const Dim border = add(farthest, floorDiv(sub(dim(r.intAttr("kernel_size")), dim(1)), dim(2)));
  const Dim stride = dim(r.intAttr("stride1", 1));
  auto extent = [&](size_t axis) {
    return ceilDiv(sub(add(a->shape[axis + 2], (*padding)[axis]), mul(border, dim(2))), stride);
  };
  const Dim reach = floorDiv(farthest, dim(std::max<int64_t>(r.intAttr("stride2", 1), 1)));
  const Dim width = add(mul(reach, dim(2)), dim(1));
  return r.result({a->shape[0], mul(width, width), extent(0), extent(1)}, a->dtype);
}

Outcome Dilate(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const std::vector<int64_t> strides = r.intsAttr("strides");
  if (strides.size() != data->shape.size()) return r.refuse("strides has to have a value for each dimension");
  if (std::any_of(strides.begin(), strides.end(), [](int64_t each) { return each < 1; }))
    return r.refuse("strides have to be 1 or more");
  Dims shape;
  for (size_t i = 0; i < strides.size(); ++i) {
    shape.push_back(add(mul(sub(data->shape[i], dim(1)), dim(strides[i])), dim(1)));
  }
  return r.result(std::move(shape), data->dtype);
}

}  // namespace rx::relay::relation
