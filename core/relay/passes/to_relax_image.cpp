// Operators on images and boxes.
#include <cmath>

#include "core/arith/fold.h"
#include "core/op/rules.h"
#include "core/relay/layout.h"
#include "core/relay/passes/to_relax_rules.h"
#include "core/relay/passes/to_relax_shared.h"

namespace rx::relay::translate {

using relax::Expr;

namespace {

/// Letters of the dimensions of space, in the order in which sizes name them.
std::string_view spaceOf(CallTranslation& t) {
  return CallTranslation::rank(t.arg(0)) == 5 ? std::string_view("DHW") : std::string_view("HW");
}

/// Upsampling names what it interpolates by the number of dimensions: bilinear, trilinear, bicubic.
std::string_view plainMethod(std::string_view method) {
  for (const std::string_view prefix : {"bi", "tri"}) {
    if (method.starts_with(prefix)) return method.substr(prefix.size());
  }
  return method;
}

/// How upsampling places the corners of an image.
std::string_view upsampleMode(CallTranslation& t) {
  if (CallTranslation::rank(t.arg(0)) == 5) return t.text("coordinate_transformation_mode");
  return t.flag("align_corners") ? "align_corners" : "asymmetric";
}

}  // namespace

Expr resizedTo(CallTranslation& t, const Dims& size, std::string_view method, std::string_view mode) {
  const std::string_view given = t.text("rounding_method");
  const std::string_view rounding = !given.empty() ? given : mode == "align_corners" ? "round" : "floor";
  std::vector<op::Keyword> keywords = {{"layout", ir::strAttr(Str(t.text("layout")))},
                                       {"method", ir::strAttr(Str(method))},
                                       {"coordinate_transformation_mode", ir::strAttr(Str(mode))},
                                       {"rounding_method", ir::strAttr(Str(rounding))}};
  if (const auto roi = t.isNone("roi") ? nullptr : t.attr("roi")) keywords.push_back({"roi", roi});
  for (const char* name : {"cubic_alpha", "cubic_exclude", "extrapolation_value"}) {
    if (NodeRef value = t.attr(name)) keywords.push_back({name, std::move(value)});
  }
  const DataType type = t.resultDtype();
  if (type != CallTranslation::dtype(t.arg(0))) keywords.push_back({"out_dtype", ir::typeAttr(type)});
  return t.make(t.row().relax, {t.arg(0), CallTranslation::shape(size)}, keywords);
}

Expr resize(CallTranslation& t) {
  const auto size = t.numbers("size");
  if (!size) return t.refuse("the size has to be given");
  Dims dims;
  for (int64_t length : *size) dims.push_back(dim(length));
  return resizedTo(t, dims, t.text("method"), t.text("coordinate_transformation_mode"));
}

Expr upsample(CallTranslation& t) {
  Expr image = t.arg(0);
  const auto layout = Layout::parse(t.text("layout"));
  const Dims dims = t.dims(image);
  Dims size;
  for (const char axis : spaceOf(t)) {
    const double scale = t.real(axis == 'D' ? "scale_d" : axis == 'H' ? "scale_h" : "scale_w");
    const auto at = layout ? layout->find(axis) : std::nullopt;
    if (!at) return t.refuse("the layout has no dimensions of space");
    const auto length = known(dims[*at]);
    const bool whole = std::floor(scale) == scale;
    if (!length && !whole) return t.refuse("a scale that is no whole number needs to know the size of the image");
    size.push_back(length ? dim(std::llround(static_cast<double>(*length) * scale))
                          : mul(dims[*at], dim(static_cast<int64_t>(scale))));
  }
  return resizedTo(t, size, plainMethod(t.text("method")), upsampleMode(t));
}

/// The sizes that scales, which are tensors, give.
Expr dynUpsample(CallTranslation& t) {
  const auto layout = Layout::parse(t.text("layout"));
  std::vector<size_t> at;
  for (const char axis : spaceOf(t)) {
    const auto place = layout ? layout->find(axis) : std::nullopt;
    if (!place) return t.refuse("the layout has no dimensions of space");
    at.push_back(*place);
  }
  const Expr sizes = t.kernel("scaled_size", t.args(), [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    auto element = [&](const te::Indices& i) {
      tir::PrimExpr result = dim(0);
      for (size_t k = at.size(); k-- > 0;) {
        const te::Tensor& scale = in[k + 1];
        const te::Indices first(scale.rank(), dim(0));
        const DataType real = DataType::Float(64);
        const tir::PrimExpr length = arith::cast(real, in[0].dim(at[k]));
        const tir::PrimExpr scaled = arith::mul(length, arith::cast(real, scale(first)));
        const tir::PrimExpr rounded = arith::cast(DataType::Int(64), te::math("round", scaled));
        result = op::ifThenElse(arith::eq(i[0], dim(static_cast<int64_t>(k))), rounded, result);
      }
      return result;
    };
    return std::vector{l.graph.compute({dim(static_cast<int64_t>(at.size()))}, element, {"scaled_size"})};
  });
  return resizedTo(t, t.symbolsOf(sizes), plainMethod(t.text("method")), upsampleMode(t));
}

Expr dynResize(CallTranslation& t) {
  return resizedTo(t, t.symbolsOf(t.arg(1)), t.text("method"), t.text("coordinate_transformation_mode"));
}

Expr affineGrid(CallTranslation& t) {
  const auto size = t.numbers("target_shape");
  if (!size) return t.refuse("the size has to be given");
  Dims dims;
  for (int64_t length : *size) dims.push_back(dim(length));
  return t.makeRow({t.arg(0), CallTranslation::shape(dims)});
}

Expr validCounts(CallTranslation& t) {
  const auto threshold = t.constantReal(1);
  if (!threshold) return t.refuse("the threshold has to be a constant");
  return t.makeRow({t.arg(0), ir::floatAttr(*threshold)});
}

/// Boxes are kept in the order of their scores, so those beyond the number that is asked for are dropped at the end.
Expr nonMaxSuppression(CallTranslation& t) {
  const auto overlap = t.constantReal(4);
  if (!overlap) return t.refuse("the threshold has to be a constant");
  const auto most = t.constantNumbers(3);
  const int64_t count = most && !most->empty() ? most->front() : -1;
  Expr boxes = t.arg(0);
  const Dims dims = t.dims(boxes);
  const Expr counts = t.matched(t.arg(1), {dims[0]}), order = t.matched(t.arg(2), {dims[0], dims[1]});
  const Expr kept = t.makeRow({boxes, counts, order, ir::intAttr(count), ir::floatAttr(*overlap)});
  if (most || !t.flag("return_indices")) return kept;
  const Expr first = t.item(kept, 0), valid = t.item(kept, 1);
  const DataType type = CallTranslation::dtype(first);
  const Expr limit = t.cast(t.arg(3), type);
  const Expr unlimited = t.make("less", {limit, t.scalar(0, type)});
  Expr indices = first;
  const Expr places = t.range(t.dims(indices)[1], type);
  const Expr within = t.make("logical_or", {t.make("less", {places, limit}), unlimited});
  return t.tuple({t.make("where", {within, indices, t.scalar(-1, type)}),
                  t.make("where", {unlimited, valid, t.make("minimum", {valid, limit})})});
}

}  // namespace rx::relay::translate
