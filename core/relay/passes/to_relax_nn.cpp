// Operators of networks.
#include <algorithm>
#include <numeric>

#include "core/arith/fold.h"
#include "core/op/rules.h"
#include "core/relay/layout.h"
#include "core/relay/passes/to_relax_rules.h"
#include "core/relay/passes/to_relax_shared.h"

namespace rx::relay::translate {

using relax::Expr;

namespace {

/// Numbers from `first` up to before `end` that `skipped` is not.
std::vector<int64_t> axesBut(int64_t first, int64_t end, int64_t skipped) {
  std::vector<int64_t> out;
  for (int64_t i = first; i < end; ++i) {
    if (i != skipped) out.push_back(i);
  }
  return out;
}

/// The number of tensors is that of the arguments of the operator in Relax.
std::vector<NodeRef> given(CallTranslation& t) { return {t.args().begin(), t.args().end()}; }

}  // namespace

/// Layouts with tiles are those of plain axes for the operator of Relax.
Expr conv(CallTranslation& t) {
  const std::string data(t.text("data_layout")), kernel(t.text("kernel_layout")), out(t.text("out_layout"));
  const std::string plainData = plainLayout(data), plainKernel = plainLayout(kernel);
  const std::string result = out.empty() ? data : out;
  if (plainData == data && plainKernel == kernel && result == data) return product(t, given(t));
  const Expr made = product(t, {inLayout(t, t.arg(0), data, plainData), inLayout(t, t.arg(1), kernel, plainKernel)},
                            {{"data_layout", ir::strAttr(Str(plainData))},
                             {"kernel_layout", ir::strAttr(Str(plainKernel))},
                             {"out_layout", ir::strAttr(Str(plainData))}});
  return t.failed() ? made : inLayout(t, made, plainData, result);
}

/// Relax has none with gaps in its window: the window gets zeros there.
Expr convTranspose(CallTranslation& t) {
  const auto gaps = t.numbers("dilation").value_or(std::vector<int64_t>());
  if (std::all_of(gaps.begin(), gaps.end(), [](int64_t step) { return step == 1; })) return conv(t);
  const auto layout = Layout::parse(t.text("kernel_layout"));
  const std::string_view axes = std::string_view("DHW").substr(3 - std::min<size_t>(gaps.size(), 3));
  std::vector<int64_t> steps(layout ? layout->rank() : 0, 1);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!layout || layout->wholeAxes() != layout->rank() || !layout->has(axes[i]))
      return t.refuse("gaps in the window need its layout to have the axes " + std::string(axes));
    steps[*layout->find(axes[i])] = gaps[i];
  }
  return product(t, {t.arg(0), spreadOut(t, t.arg(1), steps, 0)},
                 {{"dilation", ir::intArrayAttr(std::vector<int64_t>(gaps.size(), 1))}});
}

/// A convolution of the data with the gradient of the result as its window: images are what it sums over, channels
/// are its images, and steps of the one are gaps of the other. Groups are further images.
Expr convBackwardWeight(CallTranslation& t) {
  if (t.text("data_layout") != "NCHW" || t.text("kernel_layout") != "OIHW")
    return t.refuse("only the layouts NCHW and OIHW are known here");
  Expr data = t.arg(1);
  const Dim groups = dim(t.integer("groups", 1));
  if (!isOne(groups)) {
    const Dims d = t.dims(data);
    const Dim channels = floorDiv(d[1], groups);
    data = t.permute(t.reshape(data, {d[0], groups, channels, d[2], d[3]}), std::vector<int64_t>{1, 0, 2, 3, 4});
    data = t.reshape(data, {mul(groups, d[0]), channels, d[2], d[3]});
  }
  Expr made = product(t, {data, t.arg(0)},
                      {{"data_layout", ir::strAttr("CNHW")},
                       {"kernel_layout", ir::strAttr("IOHW")},
                       {"out_layout", ir::strAttr("CNHW")}});
  if (t.failed()) return made;
  // Rows and columns of the data that no window reached make the result larger than the weight.
  const Dims weight = t.resultDims();
  for (size_t axis = 2; axis < 4 && !t.failed(); ++axis) {
    if (!rx::relay::same(t.dims(made)[axis], weight[axis])) made = t.slice(made, axis, dim(0), weight[axis]);
  }
  return made;
}

Expr globalPool(CallTranslation& t) {
  const auto layout = Layout::parse(t.text("layout"));
  if (!layout || !layout->has('H') || !layout->has('W')) return t.refuse("the layout has no H and W");
  std::vector<int64_t> axes;
  for (const char axis : {'H', 'W'}) axes.push_back(static_cast<int64_t>(*layout->find(axis)));
  std::sort(axes.begin(), axes.end());
  return t.makeRow({t.arg(0), ir::intArrayAttr(axes), ir::boolAttr(true)});
}

Expr adaptivePool(CallTranslation& t) {
  const auto size = t.numbers("output_size");
  return !size || size->empty() ? t.arg(0) : t.makeRow({t.arg(0)});
}

namespace {

/// The largest elements of windows along an axis: as many windows as given, which overlap where they do not fit evenly.
Expr largestOfWindows(CallTranslation& t, const Expr& value, size_t axis, int64_t extent, int64_t windows) {
  const auto at = static_cast<int64_t>(axis);
  auto largest = [&](const Expr& part, int64_t along, bool keeps) {
    return t.makeRow({part, ir::intArrayAttr({&along, 1}), ir::boolAttr(keeps)});
  };
  if (extent % windows == 0) {
    Expr whole = value;
    Dims parted = t.dims(whole);
    parted[axis] = dim(windows);
    parted.insert(parted.begin() + at + 1, dim(extent / windows));
    return largest(t.reshape(whole, parted), at + 1, false);
  }
  std::vector<Expr> each;
  for (int64_t i = 0; i < windows; ++i) {
    const int64_t begin = i * extent / windows, end = ((i + 1) * extent + windows - 1) / windows;
    each.push_back(largest(t.slice(value, axis, dim(begin), dim(end)), at, true));
  }
  return t.make("concat", {t.tuple(std::move(each))}, {{"axis", ir::intAttr(at)}});
}

}  // namespace

Expr adaptiveMaxPool(CallTranslation& t) {
  Expr value = t.arg(0);
  const Dims before = t.dims(value), after = t.resultDims();
  for (size_t axis = 0; axis < before.size() && !t.failed(); ++axis) {
    if (rx::relay::same(before[axis], after[axis])) continue;
    const auto extent = known(before[axis]), windows = known(after[axis]);
    if (!extent || !windows || *windows <= 0) return t.refuse("the sizes of what is pooled have to be known");
    value = largestOfWindows(t, value, axis, *extent, *windows);
  }
  return value;
}

Expr biasAdd(CallTranslation& t) {
  Expr bias = t.arg(1);
  const size_t rank = CallTranslation::rank(t.arg(0));
  Dims shape(rank - t.axis("axis", rank), dim(1));
  shape.front() = t.dims(bias).front();
  std::vector<Expr> sides = {t.arg(0), shape.size() == 1 ? bias : t.reshape(bias, shape)};
  t.align(sides);
  return t.makeRow({sides[0], sides[1]});
}

Expr dropout(CallTranslation& t) { return t.tuple({t.arg(0), t.make("ones_like", {t.arg(0)})}); }

Expr batchNorm(CallTranslation& t) {
  return t.make("nn.batch_norm", given(t),
                {{"axis", ir::intAttr(t.integer("axis"))},
                 {"epsilon", t.attr("epsilon")},
                 {"center", t.attr("center")},
                 {"scale", t.attr("scale")},
                 {"training", ir::boolAttr(false)}});
}

Expr layerNorm(CallTranslation& t) {
  const auto axis = static_cast<int64_t>(t.axis("axis", CallTranslation::rank(t.arg(0))));
  return t.makeRow({t.arg(0), t.arg(1), t.arg(2), ir::intArrayAttr({&axis, 1})});
}

/// instance_norm too: both are over all axes but that of the batch and of the channels.
Expr groupNorm(CallTranslation& t) {
  const size_t rank = CallTranslation::rank(t.arg(0));
  const auto channel = static_cast<int64_t>(t.axis("axis", rank));
  const NodeRef axes = ir::intArrayAttr(axesBut(1, static_cast<int64_t>(rank), channel));
  const auto* row = op::findOp(t.row().relax);
  std::vector<op::Keyword> keywords = {{"channel_axis", ir::intAttr(channel)}, {"axes", axes}};
  for (const char* name : {"epsilon", "center", "scale"}) keywords.push_back({name, t.attr(name)});
  if (row->paramIndex("num_groups") >= 0) keywords.push_back({"num_groups", t.attr("num_groups")});
  return t.make(t.row().relax, given(t), keywords);
}

Expr l2Normalize(CallTranslation& t) {
  const Expr x = t.arg(0);
  const DataType type = CallTranslation::dtype(x);
  const auto axes = t.numbers("axis").value_or(std::vector<int64_t>());
  const Expr sum = t.make("sum", {t.make("multiply", {x, x}), ir::intArrayAttr(axes), ir::boolAttr(true)});
  return t.make("divide", {x, t.make("sqrt", {t.make("maximum", {sum, t.scalar(t.real("eps"), type)})})});
}

/// Each element by a power of the mean square of its neighbours along an axis.
Expr localNormalize(CallTranslation& t) {
  const int64_t size = t.integer("size");
  const size_t axis = t.axis("axis", CallTranslation::rank(t.arg(0)));
  const Expr squares =
      t.kernel("lrn_squares", {t.arg(0)}, [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
        const te::Tensor& x = in[0];
        const te::IterRef k = te::reduceAxis(dim(size), "k");
        auto sum = [&](const te::Indices& i) {
          te::Indices at(i);
          at[axis] = arith::add(i[axis], arith::sub(te::varOf(k), dim(size / 2)));
          const tir::PrimExpr inside = arith::logicalAnd(arith::ge(at[axis], dim(0)), arith::lt(at[axis], x.dim(axis)));
          return te::sum(op::ifThenElse(inside, arith::mul(x(at), x(at)), arith::constant(x.dtype(), 0)), {k});
        };
        return std::vector{l.graph.compute(x.dims(), sum, {"lrn_squares"})};
      });
  const DataType type = CallTranslation::dtype(t.arg(0));
  auto scalar = [&](double value) { return t.scalar(value, type); };
  const Expr scaled = t.make("multiply", {squares, scalar(t.real("alpha") / static_cast<double>(size))});
  const Expr base = t.make("add", {scaled, scalar(t.real("bias"))});
  return t.make("divide", {t.arg(0), t.make("power", {base, scalar(t.real("beta"))})});
}

Expr crossEntropy(CallTranslation& t) {
  Expr prediction = t.arg(0);
  const bool logits = t.call()->op == operatorNamed("nn.cross_entropy_with_logits");
  const Expr likelihood = logits ? prediction : t.make("log", {prediction});
  const Expr sum = t.make("sum", {t.make("multiply", {likelihood, t.arg(1)})});
  const Dim count = t.dims(prediction).front();
  const DataType type = CallTranslation::dtype(prediction);
  if (const auto known = rx::relay::known(count)) {
    return t.make("divide", {t.make("negative", {sum}), t.scalar(static_cast<double>(*known), type)});
  }
  const Expr counted = t.cast(t.make("size", {t.range(count, DataType::Int(32))}), type);
  return t.make("divide", {t.make("negative", {sum}), counted});
}

Expr nllLoss(CallTranslation& t) { return t.makeRow(given(t)); }

namespace {

/// The places of the letters of an image's layout.
struct ImageAxes {
  size_t n, c, h, w;
};

std::optional<ImageAxes> imageAxes(CallTranslation& t) {
  const auto layout = Layout::parse(t.text("layout"));
  if (!layout || !layout->isOrderOf("NCHW")) return std::nullopt;
  return ImageAxes{*layout->find('N'), *layout->find('C'), *layout->find('H'), *layout->find('W')};
}

/// Brings an image from its layout to NCHW, or back.
Expr toPlain(CallTranslation& t, const Expr& image, const ImageAxes& at, bool back) {
  std::vector<int64_t> axes;
  for (size_t i : {at.n, at.c, at.h, at.w}) axes.push_back(static_cast<int64_t>(i));
  if (!back) return t.permute(image, axes);
  std::vector<int64_t> inverse(4);
  for (size_t i = 0; i < 4; ++i) inverse[static_cast<size_t>(axes[i])] = static_cast<int64_t>(i);
  return t.permute(image, inverse);
}

}  // namespace

Expr depthToSpace(CallTranslation& t) {
  const auto at = imageAxes(t);
  if (!at) return t.refuse("the layout has to be NCHW or an order of it");
  Expr image = toPlain(t, t.arg(0), *at, false);
  const Dims d = t.dims(image);
  const Dim block = dim(t.integer("block_size"));
  const Dim rest = floorDiv(d[1], mul(block, block));
  const bool depthFirst = t.text("mode") == "DCR";
  image = t.reshape(
      image, depthFirst ? Dims{d[0], block, block, rest, d[2], d[3]} : Dims{d[0], rest, block, block, d[2], d[3]});
  image =
      t.permute(image, depthFirst ? std::vector<int64_t>{0, 3, 4, 1, 5, 2} : std::vector<int64_t>{0, 1, 4, 2, 5, 3});
  return toPlain(t, t.reshape(image, {d[0], rest, mul(d[2], block), mul(d[3], block)}), *at, true);
}

Expr spaceToDepth(CallTranslation& t) {
  const auto at = imageAxes(t);
  if (!at) return t.refuse("the layout has to be NCHW or an order of it");
  Expr image = toPlain(t, t.arg(0), *at, false);
  const Dims d = t.dims(image);
  const Dim block = dim(t.integer("block_size"));
  const Dim high = floorDiv(d[2], block), wide = floorDiv(d[3], block);
  image = t.reshape(image, {d[0], d[1], high, block, wide, block});
  image = t.permute(image, std::vector<int64_t>{0, 3, 5, 1, 2, 4});
  return toPlain(t, t.reshape(image, {d[0], mul(d[1], mul(block, block)), high, wide}), *at, true);
}

}  // namespace rx::relay::translate
