// Neural-network operators without windows: activations, softmax, normalizations, losses, padding.
#include <algorithm>
#include <cmath>

#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;

Tensor softmaxStage(Lowering& l, const Tensor& x, size_t axis, bool approximate) {
  Shape reduced = x.dims();
  reduced.erase(reduced.begin() + static_cast<std::ptrdiff_t>(axis));
  IterRef k1 = reduceAxis(x.dim(axis), "k"), k2 = reduceAxis(x.dim(axis), "k");
  auto insert = [axis](Indices i, PrimExpr e) {
    i.insert(i.begin() + static_cast<std::ptrdiff_t>(axis), std::move(e));
    return i;
  };
  auto without = [axis](Indices i) {
    i.erase(i.begin() + static_cast<std::ptrdiff_t>(axis));
    return i;
  };
  Tensor top = l.graph.compute(reduced, [&](const Indices& i) { return maximum(x(insert(i, varOf(k1))), {k1}); },
                               {"T_softmax_maxelem", {"i"}});
  const auto below = [&](const Indices& i) { return arith::sub(x(i), top(without(i))); };
  Tensor powers = approximate ? fastExpStage(l, l.graph.compute(x.dims(), below, {"T_softmax_delta", {"i"}}))
                              : l.graph.compute(x.dims(), [&](const Indices& i) { return math("exp", below(i)); },
                                                {"T_softmax_exp", {"i"}});
  Tensor total = l.graph.compute(reduced, [&](const Indices& i) { return sum(powers(insert(i, varOf(k2))), {k2}); },
                                 {"T_softmax_expsum", {"i"}});
  return l.graph.compute(
      x.dims(), [&](const Indices& i) { return arith::div(powers(i), total(without(i))); },
      {"T_softmax_norm", {"i"}, ir::withAttr(nullptr, "axis", ir::intAttr(static_cast<int64_t>(axis)))});
}

Tensor padStage(Lowering& l, const Tensor& x, const Shape& before, const Shape& after, PrimExpr value, std::string name,
                std::vector<std::string> axes) {
  Shape shape;
  for (size_t i = 0; i < x.rank(); ++i) {
    shape.push_back(l.analyzer.simplify(arith::add(arith::add(x.dim(i), before[i]), after[i])));
  }
  auto body = [&](const Indices& i) {
    Indices in;
    PrimExpr inside;
    auto require = [&](PrimExpr e) { inside = inside ? arith::logicalAnd(inside, e) : e; };
    for (size_t k = 0; k < x.rank(); ++k) {
      if (arith::isZero(before[k])) {
        in.push_back(i[k]);
      } else {
        require(arith::ge(i[k], before[k]));
        in.push_back(arith::sub(i[k], before[k]));
      }
      if (!arith::isZero(after[k])) require(arith::lt(i[k], l.analyzer.simplify(arith::add(x.dim(k), before[k]))));
    }
    return inside ? ifThenElse(inside, x(in), value) : x(in);
  };
  return l.graph.compute(shape, body, {std::move(name), std::move(axes)});
}

namespace {

Tensor times(Lowering& l, const Operand& a, const Operand& b) { return binaryStage(l, a, b, arith::mul, "T_multiply"); }
Tensor plus(Lowering& l, const Operand& a, const Operand& b) { return binaryStage(l, a, b, arith::add, "T_add"); }
Operand number(double value, DataType type) { return operandOf(arith::constant(type, value)); }

/// gelu(x) = x * (0.5 + erf(x * sqrt(1/2)) * 0.5)
Outcome gelu(Lowering& l) {
  Tensor x = l.arg(0);
  DataType type = x.dtype();
  Tensor scaled = times(l, operandOf(x), number(std::sqrt(0.5), type));
  DataType wide = type == DataType::Float(16) || type == DataType::BFloat16() ? DataType::Float(32) : type;
  Tensor input = wide == type ? scaled : castStage(l, scaled, wide, "compute");
  Tensor erf = unaryStage(l, input, [](PrimExpr e) { return math("erf", std::move(e)); });
  if (wide != type) erf = castStage(l, erf, type, "compute");
  Tensor half = times(l, operandOf(erf), number(0.5, type));
  Tensor sum = plus(l, number(0.5, type), operandOf(half));
  return l.finish("gelu", times(l, operandOf(x), operandOf(sum)));
}

/// gelu_tanh(x) = 0.5 * x * (1 + tanh(sqrt(2/pi) * x * (1 + 0.044715 * x * x)))
Outcome geluTanh(Lowering& l) {
  Tensor x = l.arg(0);
  DataType type = x.dtype();
  Tensor half = times(l, number(0.5, type), operandOf(x));
  Tensor scaled = times(l, number(std::sqrt(2.0 / M_PI), type), operandOf(x));
  Tensor cubic = times(l, operandOf(times(l, number(0.044715, type), operandOf(x))), operandOf(x));
  Tensor inner = times(l, operandOf(scaled), operandOf(plus(l, number(1, type), operandOf(cubic))));
  Tensor tanh = unaryStage(l, inner, [](PrimExpr e) { return math("tanh", std::move(e)); });
  return l.finish("gelu_tanh", times(l, operandOf(half), operandOf(plus(l, number(1, type), operandOf(tanh)))));
}

Outcome silu(Lowering& l) {
  Tensor x = l.arg(0);
  Tensor sigmoid = unaryStage(l, x, [](PrimExpr e) { return math("sigmoid", std::move(e)); });
  return l.finish("silu", times(l, operandOf(x), operandOf(sigmoid)));
}

/// selu(x) = scale * (max(x, 0) + min(0, alpha * (exp(x) - 1)))
Outcome selu(Lowering& l) {
  constexpr double kAlpha = 1.6732632423543772848170429916717, kScale = 1.0507009873554804934193349852946;
  Tensor x = l.arg(0);
  const DataType type = x.dtype();
  if (!type.isFloat()) return refuse(l.call, "floats are needed");
  Tensor positive = binaryStage(l, operandOf(x), number(0, type), arith::max, "T_maximum");
  Tensor power = unaryStage(l, x, [](PrimExpr e) { return math("exp", std::move(e)); });
  Tensor below = binaryStage(l, operandOf(power), number(1, type), arith::sub, "T_subtract");
  Tensor scaled = times(l, number(kAlpha, type), operandOf(below));
  Tensor negative = binaryStage(l, number(0, type), operandOf(scaled), arith::min, "T_minimum");
  return l.finish("selu", times(l, number(kScale, type), operandOf(plus(l, operandOf(positive), operandOf(negative)))));
}

PrimExpr leaky(const PrimExpr& x, const PrimExpr& slope) {
  return arith::select(arith::gt(x, arith::constantInt(x->dtype, 0)), x, arith::mul(x, slope));
}
Outcome leakyRelu(Lowering& l) {
  double alpha = l.floatAttr("alpha", 0.01);
  auto body = [&](PrimExpr e) { return leaky(e, arith::constant(e->dtype, alpha)); };
  return l.finish("leaky_relu", unaryStage(l, l.arg(0), body));
}
Outcome prelu(Lowering& l) {
  Tensor x = l.arg(0), slope = l.arg(1);
  auto axis = normalAxis(l.intAttr("axis", 1), x.rank());
  if (!axis || slope.rank() != 1) return refuse(l.call, "the axis is out of range");
  if (isConstOne(slope.dim(0)) && !isConstOne(x.dim(*axis))) {
    Tensor one = slope;
    slope =
        l.graph.compute({x.dim(*axis)}, [&](const Indices&) { return one({i64(0)}); }, {"slope_broadcasted", {"c"}});
  }
  auto body = [&](const Indices& i) { return leaky(x(i), slope({i[*axis]})); };
  return l.finish("prelu", l.graph.compute(x.dims(), body, {"compute", {"i"}}));
}

Outcome softmax(Lowering& l) {
  Tensor x = l.arg(0);
  auto axis = normalAxis(l.intAttr("axis", -1), x.rank());
  if (!axis) return refuse(l.call, "the axis is out of range");
  return l.finish("softmax", softmaxStage(l, x, *axis));
}

Outcome logSoftmax(Lowering& l) {
  Tensor x = l.arg(0);
  auto axis = normalAxis(l.intAttr("axis", -1), x.rank());
  if (!axis) return refuse(l.call, "the axis is out of range");
  Shape reduced = x.dims();
  reduced.erase(reduced.begin() + static_cast<std::ptrdiff_t>(*axis));
  auto at = static_cast<std::ptrdiff_t>(*axis);
  IterRef k1 = reduceAxis(x.dim(*axis), "k"), k2 = reduceAxis(x.dim(*axis), "k");
  auto insert = [at](Indices i, PrimExpr e) {
    i.insert(i.begin() + at, std::move(e));
    return i;
  };
  auto without = [at](Indices i) {
    i.erase(i.begin() + at);
    return i;
  };
  Tensor top = l.graph.compute(reduced, [&](const Indices& i) { return maximum(x(insert(i, varOf(k1))), {k1}); },
                               {"T_softmax_maxelem", {"i"}});
  Tensor total = l.graph.compute(
      reduced, [&](const Indices& i) { return sum(math("exp", arith::sub(x(insert(i, varOf(k2))), top(i))), {k2}); },
      {"compute", {"i"}});
  ir::Attrs attrs = ir::withAttr(nullptr, "axis", ir::intAttr(static_cast<int64_t>(*axis)));
  Tensor out = l.graph.compute(
      x.dims(),
      [&](const Indices& i) { return arith::sub(arith::sub(x(i), top(without(i))), math("log", total(without(i)))); },
      {"compute", {"i"}, attrs});
  return l.finish("log_softmax", out);
}

Outcome layerNorm(Lowering& l) {
  Tensor given = l.arg(0), gamma = l.arg(1), beta = l.arg(2);
  auto axes = reduceAxes(l.ints("axes"), given.rank());
  if (!axes) return refuse(l.call, "an axis is out of range");
  DataType type = given.dtype(), wide = DataType::Float(32);
  bool half = type == DataType::Float(16);
  auto load = [&](const Indices& i) { return half ? arith::cast(wide, given(i)) : given(i); };
  Shape outer;
  std::vector<IterRef> k1, k2;
  auto reduced = [&](size_t i) { return std::find(axes->begin(), axes->end(), i) != axes->end(); };
  for (size_t i = 0; i < given.rank(); ++i) {
    if (!reduced(i)) outer.push_back(given.dim(i));
    if (reduced(i)) {
      k1.push_back(reduceAxis(given.dim(i), "k" + std::to_string(i)));
      k2.push_back(reduceAxis(given.dim(i), "k" + std::to_string(i)));
    }
  }
  auto full = [&](const Indices& i, const std::vector<IterRef>& k) {
    Indices in;
    size_t o = 0, r = 0;
    for (size_t d = 0; d < given.rank(); ++d) in.push_back(reduced(d) ? varOf(k[r++]) : i[o++]);
    return in;
  };
  DataType accumulate = half ? wide : type;
  PrimExpr count = arith::constantInt(accumulate, 1);
  for (size_t axis : *axes) count = arith::mul(count, arith::cast(accumulate, given.dim(axis)));
  std::string name = given.buffer->name.string();
  Tensor total = l.graph.compute(outer, [&](const Indices& i) { return sum(load(full(i, k1)), k1); }, {name + "_sum"});
  Tensor mean = l.graph.compute(outer, [&](const Indices& i) { return arith::div(total(i), count); }, {name + "_mean"});
  Tensor spread = l.graph.compute(outer,
                                  [&](const Indices& i) {
                                    PrimExpr d = arith::sub(load(full(i, k2)), mean(i));
                                    return sum(arith::mul(d, d), k2);
                                  },
                                  {name + "_var_sum"});
  double epsilon = l.floatAttr("epsilon", 1e-5);
  bool scale = l.boolAttr("scale", true), center = l.boolAttr("center", true);
  auto body = [&](const Indices& i) {
    Indices out, in;
    for (size_t d = 0; d < given.rank(); ++d) (reduced(d) ? in : out).push_back(i[d]);
    PrimExpr variance = arith::div(spread(out), count);
    PrimExpr value = arith::mul(arith::sub(load(i), mean(out)),
                                math("rsqrt", arith::add(variance, arith::constant(accumulate, epsilon))));
    if (half) value = arith::cast(type, value);
    if (scale) value = arith::mul(value, gamma(in));
    return center ? arith::add(value, beta(in)) : value;
  };
  return l.finish("layer_norm", l.graph.compute(given.dims(), body, {"T_layer_norm"}));
}

Outcome rmsNorm(Lowering& l) {
  Tensor given = l.arg(0), weight = l.arg(1);
  auto axes = reduceAxes(l.ints("axes"), given.rank());
  if (!axes) return refuse(l.call, "an axis is out of range");
  DataType type = given.dtype(), wide = DataType::Float(32);
  Tensor x = castStage(l, given, wide);
  Tensor square = times(l, operandOf(x), operandOf(x));
  Tensor total = reduceStage(l, square, *axes, false, sum);
  PrimExpr count = arith::constantInt(wide, 1);
  for (size_t axis : *axes) count = arith::mul(count, arith::cast(wide, given.dim(axis)));
  double epsilon = l.floatAttr("epsilon", 1e-5);
  Tensor inverse =
      l.graph.compute(total.dims(),
                      [&](const Indices& i) {
                        return math("rsqrt", arith::add(arith::div(total(i), count), arith::constant(wide, epsilon)));
                      },
                      {"rsqrt"});
  Tensor scale = castStage(l, weight, wide);
  auto reduced = [&](size_t i) { return std::find(axes->begin(), axes->end(), i) != axes->end(); };
  auto body = [&](const Indices& i) {
    Indices out, in;
    for (size_t d = 0; d < given.rank(); ++d) (reduced(d) ? in : out).push_back(i[d]);
    return arith::mul(arith::mul(inverse(out), x(i)), scale(in));
  };
  Tensor norm = l.graph.compute(given.dims(), body, {"T_rms_norm"});
  return l.finish("rms_norm", castStage(l, norm, type));
}

/// The sum and the sum of squares over some axes.
struct Moments {
  std::vector<Tensor> sums;
  std::vector<size_t> axes;
  PrimExpr count;

  /// (value - mean) / sqrt(variance + epsilon) for the value at these indices.
  PrimExpr normalized(const PrimExpr& value, const Indices& i, double epsilon) const {
    Indices out;
    for (size_t d = 0; d < i.size(); ++d) {
      if (std::find(axes.begin(), axes.end(), d) == axes.end()) out.push_back(i[d]);
    }
    PrimExpr mean = arith::div(sums[0](out), count);
    PrimExpr variance = arith::sub(arith::div(sums[1](out), count), arith::mul(mean, mean));
    PrimExpr spread = arith::add(variance, arith::constant(value->dtype, epsilon));
    return arith::mul(arith::sub(value, mean), math("rsqrt", spread));
  }
};

/// Sums are taken in float32, those of float64 in float64.
DataType wideOf(DataType type) { return type == DataType::Float(64) ? type : DataType::Float(32); }

/// `value` gives the elements of a grid of this shape, in the type in which they are summed.
Moments momentsOver(Lowering& l, const Shape& shape, std::vector<size_t> axes,
                    const std::function<PrimExpr(Indices)>& value, DataType wide, std::string name) {
  auto reduced = [&](size_t i) { return std::find(axes.begin(), axes.end(), i) != axes.end(); };
  Shape outer;
  std::vector<IterRef> k;
  PrimExpr count = arith::constantInt(wide, 1), zero = arith::constantInt(wide, 0);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!reduced(i)) outer.push_back(shape[i]);
    if (!reduced(i)) continue;
    k.push_back(reduceAxis(shape[i], "k" + std::to_string(i)));
    count = arith::mul(count, arith::cast(wide, shape[i]));
  }
  auto sums = [&](const Indices& i) {
    Indices in;
    size_t o = 0, r = 0;
    for (size_t d = 0; d < shape.size(); ++d) in.push_back(reduced(d) ? varOf(k[r++]) : i[o++]);
    PrimExpr e = value(in);
    return reduceTuple({e, arith::mul(e, e)}, {zero, zero}, k,
                       [](const std::vector<PrimExpr>& a, const std::vector<PrimExpr>& b) {
                         return std::vector<PrimExpr>{arith::add(a[0], b[0]), arith::add(a[1], b[1])};
                       });
  };
  return {l.graph.computeMany(outer, sums, {std::move(name)}), std::move(axes), count};
}

/// Each channel of each example by itself.
Outcome instanceNorm(Lowering& l) {
  Tensor x = l.arg(0), gamma = l.arg(1), beta = l.arg(2);
  auto channel = normalAxis(l.intAttr("channel_axis", 1), x.rank());
  auto axes = reduceAxes(l.ints("axes"), x.rank());
  if (!channel || !axes || gamma.rank() != 1 || beta.rank() != 1) return refuse(l.call, "axes or ranks do not fit");
  const DataType type = x.dtype(), wide = wideOf(type);
  auto value = [&](Indices i) { return arith::cast(wide, x(std::move(i))); };
  Moments moments = momentsOver(l, x.dims(), *axes, value, wide, x.buffer->name.string() + "_red_temp");
  const double epsilon = l.floatAttr("epsilon", 1e-5);
  const bool scale = l.boolAttr("scale", true), center = l.boolAttr("center", true);
  auto body = [&](const Indices& i) {
    PrimExpr e = arith::cast(type, moments.normalized(value(i), i, epsilon));
    if (scale) e = arith::mul(e, gamma({i[*channel]}));
    return center ? arith::add(e, beta({i[*channel]})) : e;
  };
  return l.finish("instance_norm", l.graph.compute(x.dims(), body, {"T_instance_norm"}));
}

Outcome groupNorm(Lowering& l) {
  Tensor x = l.arg(0), gamma = l.arg(1), beta = l.arg(2);
  int64_t groups = l.intAttr("num_groups", 1);
  auto channel = normalAxis(l.intAttr("channel_axis", 1), x.rank());
  auto given = l.ints("axes");
  if (!channel || !given || groups <= 0) return refuse(l.call, "groups or axes are not known");
  DataType type = x.dtype(), wide = wideOf(type);
  PrimExpr count = i64(groups), part = arith::floorDiv(x.dim(*channel), count);
  Shape split = x.dims();
  split[*channel] = count;
  split.insert(split.begin() + static_cast<std::ptrdiff_t>(*channel) + 1, part);
  Tensor grouped = reshapeStage(l, x, split);
  Tensor value = type == wide ? grouped : castStage(l, grouped, wide);
  std::vector<size_t> axes{*channel + 1};
  for (int64_t axis : *given) {
    auto normal = normalAxis(axis, x.rank());
    if (!normal) return refuse(l.call, "an axis is out of range");
    axes.push_back(*normal < *channel ? *normal : *normal + 1);
  }
  std::sort(axes.begin(), axes.end());
  Moments moments = momentsOver(l, split, axes, value, wide, x.buffer->name.string() + "_red_temp");
  Tensor g = reshapeStage(l, gamma, {count, part}), b = reshapeStage(l, beta, {count, part});
  double epsilon = l.floatAttr("epsilon", 1e-5);
  bool scale = l.boolAttr("scale", true), center = l.boolAttr("center", true);
  auto body = [&](const Indices& i) {
    PrimExpr e = moments.normalized(value(i), i, epsilon);
    if (type != wide) e = arith::cast(type, e);
    Indices in{i[*channel], i[*channel + 1]};
    if (scale) e = arith::mul(e, g(in));
    return center ? arith::add(e, b(in)) : e;
  };
  Tensor norm = l.graph.compute(split, body, {"T_group_norm"});
  return l.finish("group_norm", reshapeStage(l, norm, x.dims()));
}

Outcome batchNorm(Lowering& l) {
  Tensor x = l.arg(0), gamma = l.arg(1), beta = l.arg(2), mean = l.arg(3), variance = l.arg(4);
  auto axis = normalAxis(l.intAttr("axis", 1), x.rank());
  if (!axis) return refuse(l.call, "the axis is out of range");
  DataType type = x.dtype();
  double epsilon = l.floatAttr("epsilon", 1e-5), momentum = l.floatAttr("momentum", 0.1);
  bool training = l.boolAttr("training", true);
  Shape spread(x.rank(), i64(1));
  spread[*axis] = x.dim(*axis);
  Tensor batchMean = mean, batchVariance = variance;
  auto divide = [&](const Tensor& a, const Operand& b) {
    return binaryStage(l, operandOf(a), b, arith::div, "T_divide");
  };
  auto subtract = [&](const Tensor& a, const Tensor& b) {
    return binaryStage(l, operandOf(a), operandOf(b), arith::sub, "T_subtract");
  };
  Tensor meanWide, varianceWide;
  if (training) {
    std::vector<size_t> axes;
    for (size_t i = 0; i < x.rank(); ++i) {
      if (i != *axis) axes.push_back(i);
    }
    Operand count = operandOf(elementsOver(x, axes, type));
    batchMean = divide(reduceStage(l, x, axes, false, sum), count);
    meanWide = reshapeStage(l, batchMean, spread);
    Tensor square = times(l, operandOf(subtract(x, meanWide)), operandOf(subtract(x, meanWide)));
    batchVariance = divide(reduceStage(l, square, axes, false, sum), count);
    varianceWide = reshapeStage(l, batchVariance, spread);
  } else {
    meanWide = reshapeStage(l, mean, spread);
    varianceWide = reshapeStage(l, variance, spread);
  }
  Tensor root = unaryStage(l, plus(l, operandOf(varianceWide), number(epsilon, type)),
                           [](PrimExpr e) { return math("sqrt", std::move(e)); });
  Tensor out = divide(subtract(x, meanWide), operandOf(root));
  if (l.boolAttr("scale", true)) out = times(l, operandOf(out), operandOf(reshapeStage(l, gamma, spread)));
  if (l.boolAttr("center", true)) out = plus(l, operandOf(out), operandOf(reshapeStage(l, beta, spread)));
  auto moving = [&](const Tensor& old, const Tensor& fresh) {
    if (!training) return times(l, operandOf(old), number(1, old.dtype()));
    Tensor kept = times(l, number(1 - momentum, old.dtype()), operandOf(old));
    return plus(l, operandOf(kept), operandOf(times(l, number(momentum, fresh.dtype()), operandOf(fresh))));
  };
  return l.finish("batch_norm", {out, moving(mean, batchMean), moving(variance, batchVariance)});
}

PrimExpr chosenSide(const PrimExpr& at, const PrimExpr& size, PrimExpr below, PrimExpr above) {
  return ifThenElse(arith::lt(at, i64(0)), std::move(below), ifThenElse(arith::ge(at, size), std::move(above), at));
}
/// Where an element outside of a dimension comes from.
PrimExpr reflected(PrimExpr at, PrimExpr size) {
  PrimExpr last = arith::sub(arith::mul(i64(2), size), i64(2));
  return chosenSide(at, size, arith::mul(at, i64(-1)), arith::sub(last, at));
}
PrimExpr replicated(PrimExpr at, PrimExpr size) { return chosenSide(at, size, i64(0), arith::sub(size, i64(1))); }
PrimExpr wrapped(PrimExpr at, PrimExpr size) { return arith::floorMod(arith::add(at, size), size); }

struct PadMode {
  std::string_view name, function, stage;
  Binary source;
};
constexpr PadMode kPadModes[] = {
    {"reflect", "reflect_pad", "ReflectPadInput", reflected},
    {"replicate", "replicate_pad", "ReplicatePadInput", replicated},
    {"circular", "circular_pad", "CircularPadInput", wrapped},
};

/// Padding with elements of the tensor itself.
Outcome padFromItself(Lowering& l, const Tensor& x, std::span<const int64_t> widths, const PadMode& mode) {
  Shape shape;
  for (size_t i = 0; i < x.rank(); ++i) {
    shape.push_back(l.analyzer.simplify(arith::add(x.dim(i), i64(widths[2 * i] + widths[2 * i + 1]))));
  }
  auto body = [&](const Indices& i) {
    Indices in;
    for (size_t k = 0; k < x.rank(); ++k) in.push_back(mode.source(arith::sub(i[k], i64(widths[2 * k])), x.dim(k)));
    return x(in);
  };
  return l.finish(mode.function, l.graph.compute(shape, body, {std::string(mode.stage)}));
}

Outcome pad(Lowering& l) {
  Tensor x = l.arg(0);
  auto widths = l.ints("pad_width");
  if (!widths || widths->size() != 2 * x.rank()) return refuse(l.call, "the widths do not fit the rank");
  std::string_view mode = l.strAttr("pad_mode");
  for (const PadMode& row : kPadModes) {
    if (row.name == mode) return padFromItself(l, x, *widths, row);
  }
  if (!mode.empty() && mode != "constant") return refuse(l.call, "the mode of padding is not known");
  Shape before, after;
  for (size_t i = 0; i < x.rank(); ++i) {
    before.push_back(i64((*widths)[2 * i]));
    after.push_back(i64((*widths)[2 * i + 1]));
  }
  PrimExpr value = arith::constant(x.dtype(), l.floatAttr("pad_value"));
  return l.finish("pad", padStage(l, x, before, after, value, "PadInput"));
}

Outcome batchFlatten(Lowering& l) {
  Tensor x = l.arg(0);
  auto shape = l.resultShape();
  if (!shape) return refuse(l.call, "the new shape is not known");
  return l.finish("reshape", reshapeStage(l, x, *shape));
}

/// Channels in groups of factor x factor become the pixels of squares of that size.
Outcome pixelShuffle(Lowering& l) {
  Tensor x = l.arg(0);
  auto shape = l.resultShape();
  const int64_t factor = l.intAttr("upscale_factor", 1);
  if (!shape || x.rank() < 3 || factor < 1) return refuse(l.call, "shape or factor are not known");
  const size_t c = x.rank() - 3;
  PrimExpr f = i64(factor);
  auto body = [&](const Indices& i) {
    Indices in = i;
    PrimExpr row = arith::mul(arith::floorMod(i[c + 1], f), f);
    PrimExpr group = arith::mul(arith::mul(i[c], f), f);
    in[c] = arith::add(arith::add(group, row), arith::floorMod(i[c + 2], f));
    for (size_t d : {c + 1, c + 2}) in[d] = arith::floorDiv(i[d], f);
    return x(in);
  };
  return l.finish("pixel_shuffle", l.graph.compute(*shape, body, {"pixel_shuffle"}));
}

Outcome crossEntropy(Lowering& l) {
  Tensor prediction = l.arg(0), label = l.arg(1);
  Tensor product = times(l, operandOf(prediction), operandOf(label));
  std::vector<size_t> axes;
  for (size_t i = 0; i < product.rank(); ++i) axes.push_back(i);
  Tensor total = reduceStage(l, product, axes, false, sum);
  Tensor negative = times(l, operandOf(total), number(-1, total.dtype()));
  if (prediction.rank() > 1) {
    PrimExpr batch = arith::cast(total.dtype(), prediction.dim(0));
    negative = binaryStage(l, operandOf(negative), operandOf(batch), arith::div, "T_divide");
  }
  return l.finish("cross_entropy_with_logits", negative);
}

constexpr LegalizeRow kRows[] = {
    {"relax.nn.gelu", gelu},
    {"relax.nn.gelu_tanh", geluTanh},
    {"relax.nn.silu", silu},
    {"relax.nn.selu", selu},
    {"relax.nn.leakyrelu", leakyRelu},
    {"relax.nn.prelu", prelu},
    {"relax.nn.softmax", softmax},
    {"relax.nn.log_softmax", logSoftmax},
    {"relax.nn.layer_norm", layerNorm},
    {"relax.nn.rms_norm", rmsNorm},
    {"relax.nn.group_norm", groupNorm},
    {"relax.nn.instance_norm", instanceNorm},
    {"relax.nn.batch_norm", batchNorm},
    {"relax.nn.pad", pad},
    {"relax.nn.batch_flatten", batchFlatten},
    {"relax.nn.pixel_shuffle", pixelShuffle},
    {"relax.nn.cross_entropy_with_logits", crossEntropy},
};

}  // namespace

std::span<const LegalizeRow> nnRows() { return kRows; }

}  // namespace rx::legalize
