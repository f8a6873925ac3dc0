// Operators that change shapes: one tensor in, the same elements out.
#include "core/op/families.h"
#include "core/op/layout_transform.h"
#include "core/op/rules.h"

namespace rx::op {

namespace {

Inferred inferBroadcastTo(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(target, shapeAt(call, 1));
  if (knownRank(*data) && target->ndim != kUnknownDim && target->ndim < data->ndim) {
    return refuse(call, fmt::format("can not broadcast {} dimensions to {}", data->ndim, target->ndim));
  }
  const Array<PrimExpr>* from = valuesOf(*data);
  if (from && target->known) {
    for (size_t i = 1; i <= from->size(); ++i) {
      const PrimExpr& old = (*from)[from->size() - i];
      const PrimExpr& now = target->values[target->values.size() - i];
      if (isConstInt(old, 1)) continue;
      const Match match = matchValues(old, now, context);
      if (match == Match::Different || (match == Match::Unknown && isConstInt(now, 1) && isa<tir::IntImm>(old))) {
        return refuse(call, fmt::format("can not broadcast {} to {}", shapeText(*from), shapeText(target->values)));
      }
    }
  }
  return make<TensorStructInfo>(call.args[1], data->dtype, data->vdevice);
}

Inferred inferExpandDims(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  const std::vector<int64_t> axes = ints(call, "axis");
  if (axes.empty()) return infoAt(call, 0);
  if (!knownRank(*data)) return tensorOfRank(kUnknownDim, data->dtype, data->vdevice);
  const int64_t rank = data->ndim + static_cast<int64_t>(axes.size());
  RX_TRY(normal, normalAxes(call, axes, rank));
  const Array<PrimExpr>* dims = dimsOf(*data);
  if (!dims) return tensorOfRank(rank, data->dtype, data->vdevice);
  Dims out(static_cast<size_t>(rank));
  for (int64_t axis : normal) out[static_cast<size_t>(axis)] = int64(1);
  size_t next = 0;
  for (PrimExpr& dim : out) {
    if (!dim) dim = (*dims)[next++];
  }
  return tensor(std::move(out), data->dtype, data->vdevice);
}

Inferred inferSqueeze(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  const auto axes = intsOrNone(call, "axis");
  if (axes && axes->empty()) return infoAt(call, 0);
  if (!knownRank(*data)) return tensorOfRank(kUnknownDim, data->dtype, data->vdevice);
  const Array<PrimExpr>* dims = valuesOf(*data);
  std::vector<bool> drop(static_cast<size_t>(data->ndim));
  if (axes) {
    RX_TRY(normal, normalAxes(call, *axes, data->ndim));
    if (!dims) return tensorOfRank(data->ndim - static_cast<int64_t>(normal.size()), data->dtype, data->vdevice);
    for (int64_t axis : normal) {
      // A constant length other than 1 stays without a word.
      const auto length = tir::asInt((*dims)[static_cast<size_t>(axis)]);
      drop[static_cast<size_t>(axis)] = !length || *length == 1;
    }
  } else {
    if (!dims) return tensorOfRank(kUnknownDim, data->dtype, data->vdevice);
    for (size_t i = 0; i < dims->size(); ++i) {
      const auto length = tir::asInt((*dims)[i]);
      if (!length) return tensorOfRank(kUnknownDim, data->dtype, data->vdevice);
      drop[i] = *length == 1;
    }
  }
  Dims out;
  for (size_t i = 0; i < drop.size(); ++i) {
    if (!drop[i]) out.push_back((*dims)[i]);
  }
  if (isa<relax::Var>(data->shape)) {
    // The result of a shape variable is that variable or a rank.
    if (out.size() == dims->size()) return infoAt(call, 0);
    return tensorOfRank(axes ? static_cast<int64_t>(out.size()) : kUnknownDim, data->dtype, data->vdevice);
  }
  return tensor(std::move(out), data->dtype, data->vdevice);
}

Inferred inferFlatten(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  if (data->ndim == 0) return tensor({int64(1)}, data->dtype, data->vdevice);
  if (data->ndim == 1) return infoAt(call, 0);
  const Array<PrimExpr>* dims = dimsOf(*data);
  if (!dims) return tensorOfRank(1, data->dtype, data->vdevice);
  return tensor({product(*dims)}, data->dtype, data->vdevice);
}

Inferred inferPermuteDims(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  auto axes = intsOrNone(call, "axes");
  if (axes && knownRank(*data) && static_cast<int64_t>(axes->size()) != data->ndim) {
    return refuse(call, fmt::format("{} axes are given for {} dimensions", axes->size(), data->ndim));
  }
  if (axes && !knownRank(*data)) return refuse(call, "axes are given for an unknown number of dimensions");
  const int64_t rank = data->ndim;
  if (rank == kUnknownDim) return tensorOfRank(kUnknownDim, data->dtype, data->vdevice);
  std::vector<int64_t> order;
  if (axes) {
    RX_TRY(normal, normalAxes(call, *axes, rank));
    order = normal;
  } else {
    for (int64_t i = rank; i-- > 0;) order.push_back(i);
  }
  bool identity = true;
  for (size_t i = 0; i < order.size(); ++i) identity = identity && order[i] == static_cast<int64_t>(i);
  if (identity) return infoAt(call, 0);
  const Array<PrimExpr>* dims = dimsOf(*data);
  if (!dims) return tensorOfRank(data->ndim, data->dtype, data->vdevice);
  Dims out;
  for (int64_t axis : order) out.push_back((*dims)[static_cast<size_t>(axis)]);
  return tensor(std::move(out), data->dtype, data->vdevice);
}

/// Replaces -1 (one dimension follows from the others) and 0 (the dimension of the input in the same place).
Result<Unit> makeReshape(BoundCall& bound, InferContext& context) {
  const auto* shape = as<ShapeExpr>(bound.get("shape"));
  if (!shape) return Unit{};
  auto refuse = [](std::string message) { return fail("relax.call", "relax.reshape: " + message); };
  int inferred = -1;
  bool zeros = false;
  for (size_t i = 0; i < shape->values.size(); ++i) {
    const auto value = tir::asInt(shape->values[i]);
    if (!shape->values[i]->dtype.isIntegral()) return refuse("the new shape must hold integers");
    if (!value || *value > 0) continue;
    if (*value < -1) return refuse(fmt::format("dimension {} of the new shape is {}", i, *value));
    if (*value == 0) {
      zeros = true;
    } else if (inferred >= 0) {
      return refuse("the new shape has more than one -1");
    } else {
      inferred = static_cast<int>(i);
    }
  }
  if (inferred < 0 && !zeros) return Unit{};
  const auto* expr = as<relax::ExprNode>(bound.get("x"));
  const auto* data = expr ? as<TensorStructInfo>(expr->sinfo) : nullptr;
  const Array<PrimExpr>* from = data ? valuesOf(*data) : nullptr;
  if (!from) return refuse("the new shape has -1 or 0, which needs an input of known shape");
  Dims dims = shape->values.vector();
  PrimExpr others = int64(1);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (static_cast<int>(i) == inferred) continue;
    if (isConstInt(dims[i], 0)) {
      if (i >= from->size()) return refuse(fmt::format("dimension {} is 0, but the input has no such dimension", i));
      dims[i] = (*from)[i];
    }
    others = arith::mul(others, dims[i]);
  }
  if (inferred >= 0) {
    if (isConstInt(simplify(others, context), 0))
      return refuse("-1 can not be found: the other dimensions hold 0 elements");
    dims[static_cast<size_t>(inferred)] = simplify(arith::floorDiv(product(*from), others), context);
  }
  bound.set("shape", make<ShapeExpr>(Array<PrimExpr>(std::move(dims))));
  return Unit{};
}

Inferred inferReshape(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(target, shapeAt(call, 1));
  const Array<PrimExpr>* from = valuesOf(*data);
  if (from && target->known) {
    const PrimExpr before = product(*from), after = product(target->values);
    if (matchValues(before, after, context) == Match::Different) {
      return refuse(call, fmt::format("{} elements of shape {} do not fit shape {}", primText(before), shapeText(*from),
                                      shapeText(target->values)));
    }
  }
  if (target->known && !isa<ShapeExpr>(call.args[1])) {
    return tensor(target->values.vector(), data->dtype, data->vdevice);
  }
  return make<TensorStructInfo>(call.args[1], data->dtype, data->vdevice);
}

Inferred inferCollapseTo(const Call& call, InferContext& context, const Array<PrimExpr>* target, int64_t rank,
                         const Expr& shape) {
  RX_TRY(data, tensorAt(call, 0));
  if (knownRank(*data) && target && rank > data->ndim) {
    return refuse(call, fmt::format("can not sum {} dimensions to {}", data->ndim, rank));
  }
  const Array<PrimExpr>* from = valuesOf(*data);
  if (from && target) {
    for (size_t i = 1; i <= target->size(); ++i) {
      const PrimExpr& now = (*target)[target->size() - i];
      const PrimExpr& old = (*from)[from->size() - i];
      if (isConstInt(now, 1)) continue;
      if (matchValues(old, now, context) != Match::Equal) {
        return refuse(call, fmt::format("can not sum {} to {}", shapeText(*from), shapeText(*target)));
      }
    }
  }
  if (shape) return make<TensorStructInfo>(shape, data->dtype, data->vdevice);
  return tensorOfRank(rank, data->dtype, data->vdevice);
}

Inferred inferCollapseSumTo(const Call& call, InferContext& context) {
  RX_TRY(target, shapeAt(call, 1));
  return inferCollapseTo(call, context, isa<ShapeExpr>(call.args[1]) ? &target->values : nullptr, target->ndim,
                         call.args[1]);
}

Inferred inferCollapseSumLike(const Call& call, InferContext& context) {
  RX_TRY(like, tensorAt(call, 1));
  return inferCollapseTo(call, context, valuesOf(*like), like->ndim, like->shape);
}

Inferred inferRepeat(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  const auto axis = intOrNone(call, "axis");
  const PrimExpr repeats = int64(intAttr(call, "repeats"));
  std::optional<int64_t> normal;
  if (axis && knownRank(*data)) {
    RX_TRY(one, normalAxis(call, *axis, data->ndim));
    normal = one;
  }
  const Array<PrimExpr>* dims = dimsOf(*data);
  if (!dims) return tensorOfRank(axis ? data->ndim : 1, data->dtype, data->vdevice);
  if (!axis) return tensor({simplify(arith::mul(product(*dims), repeats), context)}, data->dtype, data->vdevice);
  Dims out = dims->vector();
  PrimExpr& dim = out[static_cast<size_t>(*normal)];
  dim = simplify(arith::mul(dim, repeats), context);
  return tensor(std::move(out), data->dtype, data->vdevice);
}

Inferred inferTile(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  const Dims repeats = dimsAttr(call, "repeats");
  const int64_t count = static_cast<int64_t>(repeats.size());
  if (!knownRank(*data)) return tensorOfRank(kUnknownDim, data->dtype, data->vdevice);
  const int64_t rank = std::max(data->ndim, count);
  const Array<PrimExpr>* dims = dimsOf(*data);
  if (!dims) return tensorOfRank(rank, data->dtype, data->vdevice);
  Dims out;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t d = i - (rank - data->ndim), r = i - (rank - count);
    if (d < 0) {
      out.push_back(repeats[static_cast<size_t>(r)]);
    } else if (r < 0) {
      out.push_back((*dims)[static_cast<size_t>(d)]);
    } else {
      out.push_back(simplify(arith::mul((*dims)[static_cast<size_t>(d)], repeats[static_cast<size_t>(r)]), context));
    }
  }
  return tensor(std::move(out), data->dtype, data->vdevice);
}

Inferred inferFlip(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  if (knownRank(*data)) RX_CHECK(normalAxis(call, intAttr(call, "axis"), data->ndim));
  return infoAt(call, 0);
}

Inferred inferReverseSequence(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(lengths, tensorAt(call, 1));
  RX_CHECK(needRank(call, 1, 1));
  if (!lengths->dtype.isVoid() && !lengths->dtype.isIntegral()) {
    return refuse(call, fmt::format("argument 'seq_lengths' must be integers, not {}", lengths->dtype.str()));
  }
  if (!knownRank(*data)) return infoAt(call, 0);
  RX_CHECK(normalAxis(call, intAttr(call, "seq_axis"), data->ndim));
  RX_TRY(batch, normalAxis(call, intAttr(call, "batch_axis"), data->ndim));
  const Array<PrimExpr>* dims = dimsOf(*data);
  const Array<PrimExpr>* count = dimsOf(*lengths);
  if (dims && count && matchValues((*dims)[static_cast<size_t>(batch)], (*count)[0], context) == Match::Different) {
    return refuse(call, fmt::format("'seq_lengths' has {} items for a batch of {}", primText((*count)[0]),
                                    primText((*dims)[static_cast<size_t>(batch)])));
  }
  return infoAt(call, 0);
}

Result<Unit> makeLayoutTransform(BoundCall& bound, InferContext&) {
  for (std::string_view param : {"axis_separators", "input_axis_separators"}) {
    if (isa<ir::NullAttr>(bound.get(param))) bound.set(param, ir::arrayAttr({}));
  }
  // A number of the text is a value of the data's type.
  const NodeRef pad = bound.get("pad_value");
  const auto* expr = as<relax::ExprNode>(bound.get("x"));
  const auto* data = expr ? as<TensorStructInfo>(expr->sinfo) : nullptr;
  if (!pad || isa<ir::NullAttr>(pad) || isa<relax::ExprNode>(pad)) return Unit{};
  Expr value = toExpr(pad);
  if (const auto* prim = as<relax::PrimValue>(value)) {
    const bool typed = isa<tir::ExprNode>(pad);
    if (!typed && data && !data->dtype.isVoid()) value = make<relax::PrimValue>(arith::cast(data->dtype, prim->value));
  }
  if (value) bound.set("pad_value", value);
  return Unit{};
}

constexpr OpSpec kRows[] = {
    {"relax.broadcast_to", "x: expr, shape: shape", inferBroadcastTo, "The tensor broadcast to a shape."},
    {"relax.expand_dims", "x: expr, axis: ints", inferExpandDims, "New dimensions of length 1."},
    {"relax.squeeze", "x: expr, axis: ints? = None", inferSqueeze, "Dimensions of length 1 removed."},
    {"relax.flatten", "x: expr", inferFlatten, "All elements in one dimension."},
    {"relax.permute_dims", "x: expr, axes: ints? = None", inferPermuteDims, "Dimensions in another order."},
    {"relax.reshape", "x: expr, shape: shape", inferReshape, "The same elements under another shape.", makeReshape},
    {"relax.collapse_sum_like", "data: expr, collapse_target: expr", inferCollapseSumLike,
     "Sums down to the shape of another tensor."},
    {"relax.collapse_sum_to", "data: expr, shape: shape", inferCollapseSumTo, "Sums down to a shape."},
    {"relax.repeat", "data: expr, repeats: int, axis: int? = None", inferRepeat, "Each element several times."},
    {"relax.tile", "data: expr, repeats: prims_attr", inferTile, "The whole tensor several times."},
    {"relax.layout_transform",
     "x: expr, index_map: attr, pad_value: attr? = None, axis_separators: attr = [], input_axis_separators: attr = []",
     inferLayoutTransform, "Elements moved by an index map.", makeLayoutTransform},
    {"relax.flip", "data: expr, axis: int", inferFlip, "One dimension reversed."},
    {"relax.reverse_sequence", "data: expr, seq_lengths: expr, seq_axis: int = 1, batch_axis: int = 0",
     inferReverseSequence, "The first elements of each sequence of a batch reversed."},
};

}  // namespace

std::span<const OpSpec> manipulateOps() { return kRows; }

}  // namespace rx::op
