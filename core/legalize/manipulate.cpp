// Operators that move elements: reshape, transpose, concat, split, slices, broadcasts, repetition.
#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;
using tir::IntImm;

PrimExpr ravel(const Indices& indices, const Shape& shape) {
  PrimExpr flat = i64(0);
  for (size_t i = 0; i < indices.size(); ++i) {
    flat = i == 0 ? indices[0] : arith::add(arith::mul(flat, shape[i]), indices[i]);
  }
  return flat;
}

Indices unravel(PrimExpr flat, const Shape& shape) {
  Indices out(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    out[i] = arith::floorMod(flat, shape[i]);
    flat = arith::floorDiv(flat, shape[i]);
  }
  return out;
}

Tensor reshapeStage(Lowering& l, const Tensor& x, Shape shape, std::string name) {
  bool empty = false;
  for (const Shape& s : {shape, x.dims()}) {
    for (const PrimExpr& dim : s) empty |= arith::isZero(dim);
  }
  auto body = [&](const Indices& i) {
    return empty ? arith::constantInt(x.dtype(), 0) : x(unravel(ravel(i, shape), x.dims()));
  };
  return l.graph.compute(shape, body, {std::move(name)});
}

Tensor transposeStage(Lowering& l, const Tensor& x, std::vector<size_t> axes) {
  Shape shape;
  for (size_t axis : axes) shape.push_back(x.dim(axis));
  auto body = [&](const Indices& i) {
    Indices in(axes.size());
    for (size_t k = 0; k < axes.size(); ++k) in[axes[k]] = i[k];
    return x(in);
  };
  return l.graph.compute(shape, body, {"T_transpose"});
}

Tensor squeezeStage(Lowering& l, const Tensor& x, const std::vector<size_t>& axes) {
  Shape shape;
  auto dropped = [&](size_t i) { return std::find(axes.begin(), axes.end(), i) != axes.end(); };
  for (size_t i = 0; i < x.rank(); ++i) {
    if (!dropped(i)) shape.push_back(x.dim(i));
  }
  auto body = [&](const Indices& i) {
    Indices in;
    size_t at = 0;
    for (size_t k = 0; k < x.rank(); ++k) in.push_back(dropped(k) ? i64(0) : i[at++]);
    return x(in);
  };
  return l.graph.compute(shape, body, {"T_squeeze"});
}

namespace {

Outcome reshapeTo(Lowering& l, std::string_view name) {
  Tensor x = l.arg(0);
  auto shape = l.resultShape();
  if (!shape) return refuse(l.call, "the new shape is not known");
  // Symbols of a written shape are passed even where a dimension of the result does not bind them.
  if (l.argCount() > 1) l.shapeArg(l.call.args[1]);
  return l.finish(name, reshapeStage(l, x, *shape));
}
Outcome reshape(Lowering& l) { return reshapeTo(l, "reshape"); }
Outcome flatten(Lowering& l) { return reshapeTo(l, "reshape"); }

/// Axes as they are given, each counted from the front.
Result<std::vector<size_t>> axesOf(Lowering& l, const std::vector<int64_t>& given, size_t rank) {
  std::vector<size_t> axes;
  for (const int64_t axis : given) {
    const auto normal = normalAxis(axis, rank);
    if (!normal) return refuse(l.call, "an axis is out of range");
    axes.push_back(*normal);
  }
  return axes;
}

Outcome permuteDims(Lowering& l) {
  Tensor x = l.arg(0);
  std::vector<size_t> axes;
  if (auto given = l.ints("axes")) {
    RX_TRY(found, axesOf(l, *given, x.rank()));
    axes = found;
  } else {
    for (size_t i = x.rank(); i-- > 0;) axes.push_back(i);
  }
  return l.finish("transpose", transposeStage(l, x, axes));
}

Outcome expandDims(Lowering& l) {
  Tensor x = l.arg(0);
  auto given = l.ints("axis");
  if (!given) return refuse(l.call, "the axes are not known");
  size_t rank = x.rank() + given->size();
  std::vector<bool> added(rank, false);
  RX_TRY(axes, axesOf(l, *given, rank));
  for (const size_t axis : axes) added[axis] = true;
  Shape shape;
  size_t at = 0;
  for (bool fresh : added) shape.push_back(fresh ? i64(1) : x.dim(at++));
  auto body = [&](const Indices& i) {
    Indices in;
    for (size_t k = 0; k < rank; ++k) {
      if (!added[k]) in.push_back(i[k]);
    }
    return x(in);
  };
  return l.finish("expand_dims", l.graph.compute(shape, body, {"expand_dims", {"i"}}));
}

Outcome squeeze(Lowering& l) {
  Tensor x = l.arg(0);
  std::vector<size_t> axes;
  if (auto given = l.ints("axis")) {
    RX_TRY(found, axesOf(l, *given, x.rank()));
    axes = found;
  } else {
    for (size_t i = 0; i < x.rank(); ++i) {
      if (isConstOne(x.dim(i))) axes.push_back(i);
    }
  }
  return l.finish("squeeze", squeezeStage(l, x, axes));
}

Outcome concat(Lowering& l) {
  std::vector<Tensor> parts = l.tensors(l.call.args[0]);
  if (parts.empty()) return refuse(l.call, "there is nothing to join");
  size_t axis = 0;
  if (auto given = l.optionalInt("axis")) {
    auto normal = normalAxis(*given, parts[0].rank());
    if (!normal) return refuse(l.call, "the axis is out of range");
    axis = *normal;
  }
  Shape shape = parts[0].dims();
  for (size_t i = 1; i < parts.size(); ++i) shape[axis] = arith::add(shape[axis], parts[i].dim(axis));
  shape[axis] = l.analyzer.simplify(shape[axis]);
  auto body = [&](const Indices& i) {
    PrimExpr value = parts[0](i), at = i[axis];
    for (size_t k = 0; k + 1 < parts.size(); ++k) {
      at = arith::sub(at, parts[k].dim(axis));
      Indices in = i;
      in[axis] = at;
      value = ifThenElse(arith::ge(at, arith::constantInt(at->dtype, 0)), parts[k + 1](in), value);
    }
    return value;
  };
  return l.finish("concatenate", l.graph.compute(shape, body, {"T_concat"}));
}

Outcome stack(Lowering& l) {
  std::vector<Tensor> parts = l.tensors(l.call.args[0]);
  if (parts.empty()) return refuse(l.call, "there is nothing to stack");
  auto axis = normalAxis(l.intAttr("axis"), parts[0].rank() + 1);
  if (!axis) return refuse(l.call, "the axis is out of range");
  Shape shape = parts[0].dims();
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), i64(static_cast<int64_t>(parts.size())));
  auto body = [&](const Indices& i) {
    Indices in = i;
    in.erase(in.begin() + static_cast<std::ptrdiff_t>(*axis));
    PrimExpr value = parts[0](in);
    for (size_t k = 1; k < parts.size(); ++k) {
      value = ifThenElse(arith::eq(i[*axis], i64(static_cast<int64_t>(k))), parts[k](in), value);
    }
    return value;
  };
  return l.finish("stack", l.graph.compute(shape, body, {"T_stack"}));
}

Outcome split(Lowering& l) {
  Tensor x = l.arg(0);
  auto axis = normalAxis(l.intAttr("axis"), x.rank());
  if (!axis) return refuse(l.call, "the axis is out of range");
  NodeRef sections = ir::attrOf(l.call.attrs, "indices_or_sections");
  bool list = isa<ir::ArrayAttr>(sections);
  std::vector<PrimExpr> starts{i64(0)};
  PrimExpr size = x.dim(*axis);
  std::vector<PrimExpr> ends;
  if (auto at = list ? l.ints("indices_or_sections") : std::nullopt) {
    for (int64_t index : *at) {
      starts.push_back(i64(index));
      ends.push_back(i64(index));
    }
  } else if (auto count = l.optionalInt("indices_or_sections"); count && *count > 0) {
    PrimExpr step = arith::floorDiv(arith::sub(arith::add(size, i64(*count)), i64(1)), i64(*count));
    for (int64_t k = 1; k < *count; ++k) {
      starts.push_back(arith::mul(step, i64(k)));
      ends.push_back(starts.back());
    }
  } else {
    return refuse(l.call, "the sections are not known");
  }
  ends.push_back(size);
  std::vector<Tensor> parts;
  for (size_t k = 0; k < starts.size(); ++k) {
    Shape shape = x.dims();
    shape[*axis] = arith::sub(ends[k], starts[k]);
    auto body = [&](const Indices& i) {
      Indices in = i;
      in[*axis] = arith::add(in[*axis], starts[k]);
      return x(in);
    };
    parts.push_back(l.graph.compute(shape, body, {list ? "T_split" : "T_split_sections"}));
  }
  return l.finish("split", parts);
}

Outcome broadcastTo(Lowering& l) {
  Tensor x = l.arg(0);
  Shape shape = l.shapeArg(l.call.args[1]);
  auto fits = broadcastShape(l.analyzer, x.dims(), shape);
  if (!fits || fits->size() != shape.size()) return refuse(l.call, "the shape does not fit");
  auto body = [&](const Indices& i) { return broadcastRead(l.analyzer, x, shape, i); };
  return l.finish("broadcast_to", l.graph.compute(shape, body, {"T_broadcast_to"}));
}

/// The integers of a tuple or shape argument, where they are constants.
std::optional<std::vector<int64_t>> constantsOf(const Shape& values) {
  std::vector<int64_t> out;
  for (const PrimExpr& e : values) {
    auto v = tir::asInt(e);
    if (!v) return std::nullopt;
    out.push_back(*v);
  }
  return out;
}

Outcome stridedSlice(Lowering& l) {
  Tensor x = l.arg(0);
  auto axes = constantsOf(l.primArgs(l.call.args[1]));
  Shape begin = l.primArgs(l.call.args[2]), end = l.primArgs(l.call.args[3]);
  Shape strides;
  if (l.argCount() > 4) strides = l.primArgs(l.call.args[4]);
  auto result = l.resultShape();
  if (!axes || !result || begin.size() != axes->size()) return refuse(l.call, "the slice is not known");
  bool inbound = l.boolAttr("assume_inbound");
  Shape shape = x.dims();
  std::vector<PrimExpr> start(x.rank()), step(x.rank());
  for (size_t k = 0; k < axes->size(); ++k) {
    auto axis = normalAxis((*axes)[k], x.rank());
    if (!axis) return refuse(l.call, "an axis is out of range");
    PrimExpr size = x.dim(*axis), from = arith::cast(DataType::Int(64), begin[k]);
    PrimExpr stride = k < strides.size() && strides[k] ? arith::cast(DataType::Int(64), strides[k]) : i64(1);
    auto s = tir::asInt(stride);
    if (!inbound) {
      // Counted from the end when negative, then clamped to the dimension.
      PrimExpr zero = i64(0);
      if (auto b = tir::asInt(from)) {
        if (*b < 0) from = arith::add(from, size);
      } else if (!isa<tir::Var>(from) || !l.analyzer.canProveGreaterEqual(from, 0)) {
        from = arith::select(arith::lt(from, zero), arith::add(from, size), from);
      }
      bool backward = s && *s < 0;
      PrimExpr low = backward ? i64(-1) : zero, high = backward ? arith::sub(size, i64(1)) : size;
      from = arith::min(arith::max(from, low), high);
    }
    start[*axis] = l.analyzer.simplify(from);
    step[*axis] = stride;
    shape[*axis] = (*result)[*axis];
  }
  auto body = [&](const Indices& i) {
    Indices in;
    for (size_t k = 0; k < x.rank(); ++k) {
      in.push_back(start[k] ? arith::add(arith::mul(i[k], step[k]), start[k]) : i[k]);
    }
    return x(in);
  };
  return l.finish("strided_slice", l.graph.compute(shape, body, {"T_strided_slice_with_axes"}));
}

Outcome flip(Lowering& l) {
  Tensor x = l.arg(0);
  auto axis = normalAxis(l.intAttr("axis"), x.rank());
  if (!axis) return refuse(l.call, "the axis is out of range");
  auto body = [&](const Indices& i) {
    Indices in = i;
    in[*axis] = arith::sub(arith::sub(x.dim(*axis), i[*axis]), i64(1));
    return x(in);
  };
  return l.finish("flip", l.graph.compute(x.dims(), body, {"T_reverse_sequence"}));
}

Outcome reverseSequence(Lowering& l) {
  Tensor x = l.arg(0), lengths = l.arg(1);
  auto axis = normalAxis(l.intAttr("seq_axis"), x.rank());
  auto batch = normalAxis(l.intAttr("batch_axis"), x.rank());
  if (!axis || !batch) return refuse(l.call, "an axis is out of range");
  auto body = [&](const Indices& i) {
    // Elements behind the length of their sequence stay where they are.
    PrimExpr length = arith::cast(i[*axis]->dtype, lengths({i[*batch]}));
    Indices in = i;
    in[*axis] = ifThenElse(arith::lt(i[*axis], length), arith::sub(arith::sub(length, i64(1)), i[*axis]), i[*axis]);
    return x(in);
  };
  return l.finish("reverse_sequence", l.graph.compute(x.dims(), body, {"T_reverse_sequence"}));
}

Outcome tile(Lowering& l) {
  Tensor x = l.arg(0);
  auto repeats = l.ints("repeats");
  if (!repeats) return refuse(l.call, "the repeats are not known");
  size_t rank = std::max(x.rank(), repeats->size());
  Shape shape;
  for (size_t k = 0; k < rank; ++k) {
    size_t missing = rank - x.rank(), short_ = rank - repeats->size();
    PrimExpr size = k >= missing ? x.dim(k - missing) : i64(1);
    int64_t times = k >= short_ ? (*repeats)[k - short_] : 1;
    shape.push_back(arith::mul(size, i64(times)));
  }
  auto body = [&](const Indices& i) {
    Indices in;
    for (size_t k = 0; k < x.rank(); ++k) in.push_back(arith::floorMod(i[rank - x.rank() + k], x.dim(k)));
    return x(in);
  };
  return l.finish("tile", l.graph.compute(shape, body, {"T_tile"}));
}

Outcome repeat(Lowering& l) {
  Tensor x = l.arg(0);
  int64_t times = l.intAttr("repeats", 1);
  size_t axis = 0;
  if (auto given = l.optionalInt("axis")) {
    auto normal = normalAxis(*given, x.rank());
    if (!normal) return refuse(l.call, "the axis is out of range");
    axis = *normal;
  } else {
    PrimExpr count = i64(1);
    for (const PrimExpr& dim : x.shape()) count = arith::mul(count, dim);
    x = reshapeStage(l, x, {count});
  }
  Shape shape = x.dims();
  shape[axis] = arith::mul(i64(times), shape[axis]);
  auto body = [&](const Indices& i) {
    Indices in = i;
    in[axis] = arith::floorDiv(in[axis], i64(times));
    return x(in);
  };
  return l.finish("repeat", l.graph.compute(shape, body, {"T_repeat"}));
}

constexpr LegalizeRow kRows[] = {
    {"relax.reshape", reshape},
    {"relax.flatten", flatten},
    {"relax.permute_dims", permuteDims},
    {"relax.expand_dims", expandDims},
    {"relax.squeeze", squeeze},
    {"relax.concat", concat},
    {"relax.stack", stack},
    {"relax.split", split},
    {"relax.broadcast_to", broadcastTo},
    {"relax.strided_slice", stridedSlice},
    {"relax.flip", flip},
    {"relax.reverse_sequence", reverseSequence},
    {"relax.tile", tile},
    {"relax.repeat", repeat},
};

}  // namespace

std::span<const LegalizeRow> manipulateRows() { return kRows; }

}  // namespace rx::legalize
