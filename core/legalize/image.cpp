// Images: resizing by the nearest element, by linear and by cubic interpolation, in two and three dimensions.
#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;

namespace {

const DataType kReal = DataType::Float(32);

PrimExpr real(double value) { return tir::floatImm(static_cast<double>(static_cast<float>(value)), kReal); }

/// How a place in the output is one in the input, along one axis.
struct AxisMap {
  size_t axis;
  PrimExpr from, to;  ///< extents of input and output
};

/// (a - less) / (b - less), computed now where both are known.
PrimExpr ratio(const PrimExpr& a, const PrimExpr& b, int64_t less) {
  const auto x = tir::asInt(a), y = tir::asInt(b);
  if (x && y) return real(static_cast<float>(*x - less) / static_cast<float>(*y - less));
  auto counted = [&](const PrimExpr& e) { return arith::cast(kReal, arith::sub(e, i64(less))); };
  return arith::div(counted(a), counted(b));
}

/// The value where an axis of the output has more than one element, else the first place.
PrimExpr ifSeveral(const PrimExpr& extent, const PrimExpr& value) {
  if (const auto known = tir::asInt(extent)) return *known > 1 ? value : real(0);
  return ifThenElse(arith::gt(extent, i64(1)), value, real(0));
}

/// The place in the input, in fractions of an element; null for a mode that is not known.
PrimExpr placeIn(const AxisMap& map, const PrimExpr& index, std::string_view mode) {
  const PrimExpr scale = ratio(map.from, map.to, 0);
  PrimExpr at = arith::cast(kReal, index);
  auto halfPixel = [&] { return arith::mul(arith::add(at, real(0.5)), scale); };
  if (mode == "half_pixel") return arith::sub(halfPixel(), real(0.5));
  if (mode == "pytorch_half_pixel") return ifSeveral(map.to, arith::sub(halfPixel(), real(0.5)));
  if (mode == "tf_half_pixel_for_nn") return halfPixel();
  if (mode == "asymmetric") return arith::mul(scale, at);
  if (mode == "align_corners") return ifSeveral(map.to, arith::mul(ratio(map.from, map.to, 1), at));
  return nullptr;
}

PrimExpr wholeNumber(std::string_view function, PrimExpr x) {
  return arith::cast(DataType::Int(64), math(function, std::move(x)));
}

PrimExpr nearest(const PrimExpr& place, std::string_view rounding) {
  // The small number keeps a place that is whole, but for rounding, on its own side.
  constexpr double kEpsilon = 1e-5;
  if (rounding == "round") return wholeNumber("round", place);
  if (rounding == "round_prefer_floor") return wholeNumber("ceil", arith::sub(place, real(0.5)));
  if (rounding == "round_prefer_ceil") return wholeNumber("floor", arith::add(place, real(0.5)));
  if (rounding == "floor") return wholeNumber("floor", arith::add(place, tir::floatImm(kEpsilon, kReal)));
  if (rounding == "ceil") return wholeNumber("ceil", arith::sub(place, tir::floatImm(kEpsilon, kReal)));
  return nullptr;
}

/// Weights of the elements around a place, and how far the first of them is from it.
struct Taps {
  int64_t first = 0;
  std::vector<PrimExpr> weights;
};

Taps linearTaps(const PrimExpr& t) { return {0, {arith::sub(real(1), t), t}}; }

Taps cubicTaps(const PrimExpr& t, double alpha) {
  PrimExpr t2 = arith::mul(t, t), t3 = arith::mul(arith::mul(t, t), t);
  auto scaled = [](double factor, const PrimExpr& x) { return arith::mul(real(factor), x); };
  return {-1,
          {scaled(alpha, arith::add(arith::sub(t3, scaled(2, t2)), t)),
           arith::add(arith::sub(scaled(alpha + 2, t3), scaled(3 + alpha, t2)), real(1)),
           arith::sub(arith::add(scaled(-(alpha + 2), t3), scaled(3 + 2 * alpha, t2)), scaled(alpha, t)),
           arith::add(scaled(-alpha, t3), scaled(alpha, t2))}};
}

/// Weights of elements outside the image are zero, and the others sum to one.
void excludeOutside(Taps& taps, const PrimExpr& base, const PrimExpr& extent) {
  PrimExpr sum;
  for (size_t k = 0; k < taps.weights.size(); ++k) {
    PrimExpr at = arith::add(base, i64(taps.first + static_cast<int64_t>(k)));
    PrimExpr outside = arith::logicalOr(arith::lt(at, i64(0)), arith::ge(at, extent));
    taps.weights[k] = ifThenElse(outside, real(0), taps.weights[k]);
    sum = sum ? arith::add(sum, taps.weights[k]) : taps.weights[k];
  }
  for (PrimExpr& weight : taps.weights) weight = arith::div(weight, sum);
}

struct Resize {
  Tensor x;
  std::vector<AxisMap> axes;
  std::string_view method, mode, rounding;
  double alpha;
  bool exclude;

  static PrimExpr inImage(const PrimExpr& at, const PrimExpr& extent) {
    return arith::max(arith::min(at, arith::sub(extent, i64(1))), i64(0));
  }

  /// The value at a place of the output, from axis `k` on; `in` holds what is decided.
  PrimExpr value(const Indices& out, Indices in, size_t k) const {
    if (k == axes.size()) return x(in);
    const AxisMap& map = axes[k];
    PrimExpr place = placeIn(map, out[map.axis], mode);
    if (method == "nearest_neighbor") {
      in[map.axis] = inImage(nearest(place, rounding), map.from);
      return value(out, in, k + 1);
    }
    PrimExpr base = wholeNumber("floor", place);
    const PrimExpr floor = math("floor", place);
    // Between two elements the whole number is an int32, as TVM has it.
    Taps taps = method == "linear"
                    ? linearTaps(arith::sub(place, arith::cast(kReal, arith::cast(DataType::Int(32), floor))))
                    : cubicTaps(arith::sub(place, floor), alpha);
    if (exclude && method == "cubic") excludeOutside(taps, base, map.from);
    PrimExpr sum;
    for (size_t t = 0; t < taps.weights.size(); ++t) {
      in[map.axis] = inImage(arith::add(base, i64(taps.first + static_cast<int64_t>(t))), map.from);
      PrimExpr part = arith::mul(value(out, in, k + 1), taps.weights[t]);
      sum = sum ? arith::add(sum, part) : part;
    }
    return sum;
  }
};

Outcome resize(Lowering& l, std::string_view letters, const char* name) {
  std::string_view layout = l.strAttr("layout");
  auto shape = l.resultShape();
  Resize resize{l.arg(0),
                {},
                l.strAttr("method"),
                l.strAttr("coordinate_transformation_mode"),
                l.strAttr("rounding_method"),
                l.floatAttr("cubic_alpha", -0.75),
                l.intAttr("cubic_exclude") != 0};
  const Tensor& x = resize.x;
  if (!shape || shape->size() != x.rank() || layout.size() != x.rank())
    return refuse(l.call, "the layout does not fit the image");
  for (char letter : letters) {
    const size_t axis = layout.find(letter);
    if (axis == std::string_view::npos) return refuse(l.call, "the layout lacks a dimension");
    const PrimExpr from = x.dim(axis), to = (*shape)[axis];
    if (arith::isZero(from) || arith::isZero(to)) return refuse(l.call, "an image of no size can not be resized");
    resize.axes.push_back({axis, from, to});
  }
  const bool known = resize.method == "nearest_neighbor" || resize.method == "linear" || resize.method == "cubic";
  if (!known || !placeIn(resize.axes[0], i64(0), resize.mode))
    return refuse(l.call, "this way of resizing can not be lowered");
  if (resize.method == "nearest_neighbor" && !nearest(real(0), resize.rounding))
    return refuse(l.call, "this way of rounding can not be lowered");
  DataType type = l.dtypeAttr("out_dtype");
  if (type.isVoid()) type = x.dtype();
  auto body = [&](const Indices& i) { return arith::cast(type, resize.value(i, i, 0)); };
  return l.finish(name, l.graph.compute(*shape, body, {"resize", {"i"}}));
}

Outcome resize2d(Lowering& l) { return resize(l, "HW", "resize2d"); }
Outcome resize3d(Lowering& l) { return resize(l, "DHW", "resize3d"); }

constexpr LegalizeRow kRows[] = {
    {"relax.image.resize2d", resize2d},
    {"relax.image.resize3d", resize3d},
};

}  // namespace

std::span<const LegalizeRow> imageRows() { return kRows; }

}  // namespace rx::legalize
