// Detection: the anchors of an image, and boxes from what was predicted for them.
#include <cmath>

#include "core/ir/constant.h"
#include "core/relay/passes/to_relax_rules.h"

namespace rx::relay::translate {

using relax::Expr;

namespace {

std::vector<double> realsOf(const CallTranslation& t, std::string_view name) {
  std::vector<double> out;
  const NodeRef value = t.attr(name);
  const auto* list = as<ir::ArrayAttr>(value);
  for (size_t i = 0; list && i < list->items.size(); ++i) {
    const auto* real = as<ir::FloatAttr>(list->items[i]);
    const auto whole = wholeOf(list->items[i]);
    out.push_back(real ? real->value : static_cast<double>(whole.value_or(0)));
  }
  return out;
}

Expr constantOf(CallTranslation& t, std::vector<int64_t> shape, DataType type, const std::vector<double>& values) {
  const auto data = HostTensor::fromDoubles(std::move(shape), type, values);
  return data ? Expr(relax::constantOf(*data)) : t.refuse(data.diagnostics().front().message);
}

/// Width and height of the boxes at each place, in parts of the image.
std::vector<std::pair<double, double>> boxSizes(const std::vector<double>& sizes, const std::vector<double>& ratios,
                                                double proportion) {
  std::vector<std::pair<double, double>> out;
  for (const double size : sizes) out.emplace_back(size * proportion, size);
  for (size_t i = 1; i < ratios.size(); ++i) {
    const double root = std::sqrt(ratios[i]);
    out.emplace_back(sizes[0] * proportion * root, sizes[0] / root);
  }
  return out;
}

}  // namespace

/// The anchors depend on nothing but the size of the image: they are a constant.
Expr multiboxPrior(CallTranslation& t) {
  const Dims image = t.dims(0);
  const std::vector<double> sizes = realsOf(t, "sizes"), steps = realsOf(t, "steps"), offsets = realsOf(t, "offsets");
  const auto height = image.size() == 4 ? known(image[2]) : std::nullopt;
  const auto width = height ? known(image[3]) : std::nullopt;
  if (!width) return t.refuse("height and width of the image have to be known");
  if (sizes.empty() || steps.size() != 2 || offsets.size() != 2) return t.refuse("sizes, steps or offsets are missing");
  const auto rows = static_cast<double>(*height), columns = static_cast<double>(*width);
  const double down = steps[0] > 0 ? steps[0] : 1 / rows, across = steps[1] > 0 ? steps[1] : 1 / columns;
  const auto boxes = boxSizes(sizes, realsOf(t, "ratios"), rows / columns);
  std::vector<double> anchors;
  for (double row = 0; row < rows; ++row) {
    for (double column = 0; column < columns; ++column) {
      const double x = (column + offsets[1]) * across, y = (row + offsets[0]) * down;
      for (const auto& [w, h] : boxes) anchors.insert(anchors.end(), {x - w / 2, y - h / 2, x + w / 2, y + h / 2});
    }
  }
  if (t.flag("clip")) {
    for (double& side : anchors) side = std::min(std::max(side, 0.0), 1.0);
  }
  const auto count = static_cast<int64_t>(anchors.size() / 4);
  return constantOf(t, {1, count, 4}, t.resultDtype(), anchors);
}

namespace {

/// The anchors moved and scaled as predicted: left, top, right, bottom of each.
Expr movedBoxes(CallTranslation& t, const Expr& anchors, const Expr& moves, const std::vector<double>& variances) {
  auto half = [&](const Expr& of, int64_t begin) { return t.slice(of, 2, dim(begin), dim(begin + 2)); };
  const DataType type = CallTranslation::dtype(anchors);
  auto scaled = [&](int64_t begin) {
    const auto at = static_cast<size_t>(begin);
    return t.make("multiply", {half(moves, begin), constantOf(t, {2}, type, {variances[at], variances[at + 1]})});
  };
  const Expr two = t.scalar(2, type);
  const Expr low = half(anchors, 0), high = half(anchors, 2), size = t.make("subtract", {high, low});
  const Expr middle = t.make("divide", {t.make("add", {low, high}), two});
  const Expr centre = t.make("add", {t.make("multiply", {scaled(0), size}), middle});
  const Expr reach = t.make("divide", {t.make("multiply", {t.make("exp", {scaled(2)}), size}), two});
  const Expr boxes = t.make(
      "concat", {t.tuple({t.make("subtract", {centre, reach}), t.make("add", {centre, reach})}), ir::intAttr(2)});
  auto bound = [](double value) { return make<relax::PrimValue>(tir::floatImm(value, DataType::Float(32))); };
  return t.flag("clip") ? t.make("clip", {boxes, bound(0), bound(1)}) : boxes;
}

}  // namespace

/// The likeliest class of each anchor, its score and its box; what is background, or below the threshold, goes unless
/// it is to be kept.
Expr multiboxTransform(CallTranslation& t) {
  const std::vector<double> variances = realsOf(t, "variances");
  if (variances.size() != 4) return t.refuse("there have to be four variances");
  Expr scores = t.arg(0);
  const Dims dims = t.dims(scores);
  const DataType type = CallTranslation::dtype(scores);
  const bool keeps = t.flag("keep_background");
  const Expr foreground = keeps ? scores : t.slice(scores, 1, dim(1), dims[1]);
  const NodeRef classes = ir::intAttr(1);
  const Expr score = t.make("max", {foreground, ir::arrayAttr({classes})});
  const Expr likeliest = t.cast(t.make("argmax", {foreground, classes}), type);
  const Expr isLikely = t.make("greater_equal", {score, t.scalar(t.real("threshold"), type)});
  const Expr id = t.make("where", {isLikely, likeliest, t.scalar(keeps ? 0 : -1, type)});
  const Expr boxes = movedBoxes(t, t.arg(2), t.reshape(t.arg(1), {dims[0], dims[2], dim(4)}), variances);
  auto column = [&](const Expr& value) { return t.reshape(value, {dims[0], dims[2], dim(1)}); };
  const Expr rows = t.make("concat", {t.tuple({column(id), column(score), boxes}), ir::intAttr(2)});
  if (keeps) {
    const DataType counted = DataType::Int(32);
    const auto count = known(dims[2]);
    if (!count) return t.refuse("the number of anchors has to be known");
    return t.tuple({rows, t.full({dims[0]}, t.scalar(static_cast<double>(*count), counted))});
  }
  const Expr valid = t.make("vision.get_valid_counts", {rows, ir::floatAttr(-1), ir::intAttr(0), ir::intAttr(1)});
  return t.tuple({t.item(valid, 1), t.item(valid, 0)});
}

}  // namespace rx::relay::translate
