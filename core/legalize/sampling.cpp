// Images read at places between their elements: grid_sample, roi_align, roi_pool.
#include <limits>

#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;

namespace {

PrimExpr number(DataType type, double value) { return tir::floatImm(value, type); }
PrimExpr whole(PrimExpr x) { return arith::cast(DataType::Int(64), std::move(x)); }
PrimExpr bothOf(PrimExpr a, PrimExpr b) { return arith::logicalAnd(std::move(a), std::move(b)); }
PrimExpr eitherOf(PrimExpr a, PrimExpr b) { return arith::logicalOr(std::move(a), std::move(b)); }

/// How far a place is behind the last element before it.
PrimExpr fractionOf(const PrimExpr& x) {
  PrimExpr base = arith::cast(DataType::Int(32), math("floor", x));
  return arith::sub(x, arith::cast(x->dtype, base));
}

/// Two dimensions of an image, and where they and the other two stand among its indices.
struct Picture {
  Tensor x;
  size_t batch = 0, channel = 1, row = 2, column = 3;

  PrimExpr height() const { return x.dim(row); }
  PrimExpr width() const { return x.dim(column); }
  PrimExpr at(const PrimExpr& n, const PrimExpr& c, const PrimExpr& y, const PrimExpr& x_) const {
    Indices in(4);
    in[batch] = n;
    in[channel] = c;
    in[row] = y;
    in[column] = x_;
    return x(in);
  }
};

// --- Sampling on a grid.

struct GridSample {
  Picture image;
  Tensor grid;
  std::string_view method, padding;
  bool align = false;

  /// From [-1, 1] to elements.
  PrimExpr unnormalized(const PrimExpr& at, const PrimExpr& size) const {
    const DataType type = at->dtype;
    PrimExpr shifted = arith::add(at, number(type, 1)), two = number(type, 2);
    if (align) return arith::div(arith::mul(shifted, arith::cast(type, arith::sub(size, i64(1)))), two);
    return arith::add(number(type, -0.5), arith::div(arith::mul(shifted, arith::cast(type, size)), two));
  }
  static PrimExpr clipped(const PrimExpr& at, const PrimExpr& size) {
    PrimExpr last = arith::cast(at->dtype, arith::sub(size, i64(1)));
    return arith::min(arith::max(at, arith::constantInt(at->dtype, 0)), last);
  }
  /// Mirrored at the borders until it is inside.
  PrimExpr reflected(const PrimExpr& given, const PrimExpr& size) const {
    const DataType type = grid.dtype();
    PrimExpr at = arith::cast(type, given);
    PrimExpr length = align ? arith::sub(size, i64(1)) : size, corner = number(type, align ? 0 : -0.5);
    // An image of one element has no length to mirror along.
    if (arith::isZero(length)) return arith::constantInt(type, 0);
    if (!tir::asInt(length)) length = arith::max(length, i64(1));
    PrimExpr real = arith::cast(type, length), distance = math("fabs", arith::sub(corner, at));
    PrimExpr times = arith::truncDiv(whole(distance), length);
    PrimExpr extra = arith::sub(distance, arith::cast(type, arith::mul(times, length)));
    PrimExpr even = arith::eq(arith::truncMod(times, i64(2)), i64(0));
    PrimExpr mirrored = ifThenElse(even, arith::add(extra, corner), arith::add(arith::sub(real, extra), corner));
    PrimExpr inside = bothOf(arith::ge(at, corner), arith::le(at, arith::add(real, corner)));
    return ifThenElse(inside, at, mirrored);
  }
  PrimExpr padded(PrimExpr at, const PrimExpr& size) const {
    if (padding == "reflection") at = reflected(at, size);
    return padding == "zeros" ? at : clipped(at, size);
  }
  /// The element, 0 outside of the image.
  PrimExpr pixel(const Indices& i, const PrimExpr& y, const PrimExpr& x) const {
    PrimExpr low = bothOf(arith::ge(y, i64(0)), arith::ge(x, i64(0)));
    PrimExpr inside = bothOf(bothOf(low, arith::lt(y, image.height())), arith::lt(x, image.width()));
    return ifThenElse(inside, image.at(i[0], i[1], y, x), arith::constantInt(image.x.dtype(), 0));
  }

  PrimExpr linear(const Indices& i, const PrimExpr& y, const PrimExpr& x) const {
    PrimExpr sum;
    PrimExpr fy = fractionOf(y), fx = fractionOf(x), one = number(y->dtype, 1);
    for (int64_t down : {0, 1}) {
      for (int64_t right : {0, 1}) {
        PrimExpr value =
            pixel(i, arith::add(whole(math("floor", y)), i64(down)), arith::add(whole(math("floor", x)), i64(right)));
        value = arith::mul(arith::mul(value, down ? fy : arith::sub(one, fy)), right ? fx : arith::sub(one, fx));
        sum = sum ? arith::add(sum, value) : value;
      }
    }
    return sum;
  }
  PrimExpr nearest(const Indices& i, const PrimExpr& y, const PrimExpr& x) const {
    return pixel(i, whole(math("nearbyint", y)), whole(math("nearbyint", x)));
  }
  /// Weights of four elements around a place this far behind the second of them.
  static std::vector<PrimExpr> cubicWeights(const PrimExpr& t) {
    const DataType type = t->dtype;
    constexpr double kA = -0.75;
    auto n = [&](double value) { return number(type, value); };
    auto near = [&](const PrimExpr& f) {
      PrimExpr inner = arith::sub(arith::mul(n(kA + 2), f), n(kA + 3));
      return arith::add(arith::mul(arith::mul(inner, f), f), n(1));
    };
    auto far = [&](const PrimExpr& f) {
      PrimExpr inner = arith::add(arith::mul(arith::sub(arith::mul(n(kA), f), n(5 * kA)), f), n(8 * kA));
      return arith::sub(arith::mul(inner, f), n(4 * kA));
    };
    return {far(arith::add(t, n(1))), near(t), near(arith::sub(n(1), t)), far(arith::sub(n(2), t))};
  }
  PrimExpr cubic(const Indices& i, const PrimExpr& y, const PrimExpr& x) const {
    std::vector<PrimExpr> rows = cubicWeights(fractionOf(y)), columns = cubicWeights(fractionOf(x));
    auto tap = [&](const PrimExpr& place, size_t k, const PrimExpr& size) {
      PrimExpr at = arith::add(whole(math("floor", place)), i64(static_cast<int64_t>(k) - 1));
      return whole(padded(at, size));
    };
    PrimExpr sum;
    for (size_t r = 0; r < rows.size(); ++r) {
      PrimExpr line;
      for (size_t c = 0; c < columns.size(); ++c) {
        PrimExpr value = pixel(i, tap(y, r, image.height()), tap(x, c, image.width()));
        value = arith::mul(value, columns[c]);
        line = line ? arith::add(line, value) : value;
      }
      line = arith::mul(line, rows[r]);
      sum = sum ? arith::add(sum, line) : line;
    }
    return sum;
  }

  PrimExpr value(const Indices& i) const {
    PrimExpr y = unnormalized(grid({i[0], i64(1), i[2], i[3]}), image.height());
    PrimExpr x = unnormalized(grid({i[0], i64(0), i[2], i[3]}), image.width());
    if (method == "bicubic") return cubic(i, y, x);
    y = padded(y, image.height());
    x = padded(x, image.width());
    return method == "nearest" ? nearest(i, y, x) : linear(i, y, x);
  }
};

Outcome gridSample(Lowering& l) {
  GridSample sample{{l.arg(0)}, l.arg(1), l.strAttr("method"), l.strAttr("padding_mode"), l.boolAttr("align_corners")};
  const Tensor &x = sample.image.x, &grid = sample.grid;
  if (x.rank() != 4 || grid.rank() != 4 || l.strAttr("layout") != "NCHW")
    return refuse(l.call, "not available: an image that is not NCHW");
  if (!x.dtype().isFloat() || !grid.dtype().isFloat()) return refuse(l.call, "image and grid have to be floats");
  const std::string_view m = sample.method, p = sample.padding;
  if (m != "bilinear" && m != "nearest" && m != "bicubic") return refuse(l.call, "this method is not known");
  if (p != "zeros" && p != "border" && p != "reflection") return refuse(l.call, "this padding is not known");
  Shape shape{x.dim(0), x.dim(1), grid.dim(2), grid.dim(3)};
  auto body = [&](const Indices& i) { return arith::cast(x.dtype(), sample.value(i)); };
  return l.finish("grid_sample", l.graph.compute(shape, body, {"compute", {"n", "c", "h", "w"}}));
}

// --- Regions of interest: a row of `rois` is the number of an image and x, y, x, y of two corners.

/// One axis of the bins of a region.
struct Bins {
  PrimExpr start, size, bin;  ///< in elements of the image
  PrimExpr count;             ///< samples in a bin, int64
  PrimExpr real;              ///< the same as a float
};

struct Regions {
  Picture image;
  Tensor rois;
  std::vector<int64_t> pooled;  ///< bins by row and column
  double scale = 1;
  int64_t ratio = 0;  ///< samples in a bin along an axis; 0 or less: as many as the bin has elements
  bool aligned = false;

  PrimExpr corner(const PrimExpr& roi, int64_t column) const {
    return arith::mul(rois({roi, i64(column)}), number(rois.dtype(), scale));
  }
  /// `axis` 0: rows, 1: columns.
  Bins bins(const PrimExpr& roi, size_t axis) const {
    const DataType type = rois.dtype();
    const int64_t column = axis == 0 ? 2 : 1;
    Bins out;
    out.start = corner(roi, column);
    out.size = arith::sub(corner(roi, column + 2), out.start);
    if (!aligned) out.size = arith::max(out.size, number(type, 1));
    out.bin = arith::div(out.size, number(type, static_cast<double>(pooled[axis])));
    PrimExpr samples = math("ceil", out.bin);
    out.count = ratio > 0 ? i64(ratio) : whole(samples);
    out.real = ratio > 0 ? number(type, static_cast<double>(ratio))
                         : arith::cast(type, arith::cast(DataType::Int(32), samples));
    return out;
  }
  /// Where sample `k` of bin `p` is.
  PrimExpr sampleAt(const Bins& b, const PrimExpr& p, const PrimExpr& k) const {
    const DataType type = rois.dtype();
    PrimExpr from = arith::add(b.start, arith::mul(arith::cast(type, p), b.bin));
    PrimExpr inside = arith::mul(arith::add(arith::cast(type, k), number(type, 0.5)), b.bin);
    return arith::add(from, arith::div(inside, b.real));
  }
  PrimExpr imageOf(const PrimExpr& roi) const { return whole(rois({roi, i64(0)})); }

  /// The image between its elements; 0 more than one element outside.
  PrimExpr bilinear(const PrimExpr& roi, const PrimExpr& channel, const PrimExpr& y, const PrimExpr& x) const {
    const DataType type = rois.dtype();
    PrimExpr height = image.height(), width = image.width(), zero = arith::constantInt(image.x.dtype(), 0);
    PrimExpr outside = eitherOf(arith::lt(y, number(type, -1)), arith::lt(x, number(type, -1)));
    outside = eitherOf(outside, arith::lt(arith::cast(type, height), y));
    outside = eitherOf(outside, arith::lt(arith::cast(type, width), x));
    PrimExpr lastRow = arith::sub(height, i64(1)), lastColumn = arith::sub(width, i64(1));
    PrimExpr row = arith::min(arith::max(y, number(type, 0)), arith::cast(type, lastRow));
    PrimExpr column = arith::min(arith::max(x, number(type, 0)), arith::cast(type, lastColumn));
    PrimExpr fy = fractionOf(row), fx = fractionOf(column), one = number(type, 1), sum;
    for (int64_t right : {0, 1}) {
      for (int64_t down : {0, 1}) {
        PrimExpr r = arith::add(whole(math("floor", row)), i64(down));
        PrimExpr c = arith::add(whole(math("floor", column)), i64(right));
        PrimExpr inside = bothOf(arith::le(i64(0), r), arith::le(r, lastRow));
        inside = bothOf(bothOf(inside, arith::le(i64(0), c)), arith::le(c, lastColumn));
        PrimExpr weight = arith::mul(right ? fx : arith::sub(one, fx), down ? fy : arith::sub(one, fy));
        PrimExpr value = arith::mul(weight, image.at(imageOf(roi), channel, r, c));
        value = ifThenElse(inside, value, arith::constantInt(value->dtype, 0));
        sum = sum ? arith::add(sum, value) : value;
      }
    }
    return ifThenElse(outside, zero, arith::cast(image.x.dtype(), sum));
  }
};

/// Reads what the two operators have in common; false where it does not fit.
bool readRegions(Lowering& l, Regions& r) {
  r.image.x = l.arg(0);
  r.rois = l.arg(1);
  auto pooled = l.ints("pooled_size");
  r.scale = l.floatAttr("spatial_scale", 1);
  if (l.strAttr("layout") == "NHWC") r.image = {r.image.x, 0, 3, 1, 2};
  const bool fits = pooled && pooled->size() == 2 && (*pooled)[0] > 0 && (*pooled)[1] > 0 && r.image.x.rank() == 4 &&
                    r.rois.rank() == 2 && r.image.x.dtype().isFloat() && r.rois.dtype().isFloat();
  if (fits) r.pooled = *pooled;
  return fits;
}

/// Loops over bins whose number of samples only a run knows.
tir::Stmt sampledInOrder(const Regions& r, const Tensor& out, bool average) {
  auto bin = [&](const Indices& i) -> tir::Stmt {
    const PrimExpr &roi = i[0], &channel = i[r.image.channel];
    Bins rows = r.bins(roi, 0), columns = r.bins(roi, 1);
    PrimExpr first = average ? arith::constantInt(out.dtype(), 0) : arith::minValue(out.dtype());
    PrimExpr count = arith::cast(out.dtype(), arith::mul(rows.real, columns.real));
    auto sample = [&](const PrimExpr& y, const PrimExpr& x) -> tir::Stmt {
      PrimExpr value =
          r.bilinear(roi, channel, r.sampleAt(rows, i[r.image.row], y), r.sampleAt(columns, i[r.image.column], x));
      value = average ? arith::add(out(i), arith::div(value, count)) : arith::max(out(i), value);
      return store(out, i, value);
    };
    tir::Stmt loops = loopOver(rows.count, tir::ForKind::Serial, [&](PrimExpr y) {
      return loopOver(columns.count, tir::ForKind::Serial, [&](PrimExpr x) { return sample(y, x); });
    });
    return steps({store(out, i, first), loops});
  };
  std::function<tir::Stmt(Indices)> nest = [&](Indices i) -> tir::Stmt {
    if (i.size() == out.rank()) return bin(i);
    return loopOver(out.dim(i.size()), tir::ForKind::Serial, [&](PrimExpr v) {
      Indices next = i;
      next.push_back(std::move(v));
      return nest(std::move(next));
    });
  };
  return nest({});
}

Outcome roiAlign(Lowering& l) {
  Regions r;
  if (!readRegions(l, r)) return refuse(l.call, "image, regions or bins do not fit");
  r.ratio = l.intAttr("sample_ratio", -1);
  r.aligned = l.boolAttr("aligned");
  const std::string_view mode = l.strAttr("mode");
  if (mode != "avg" && mode != "max") return refuse(l.call, "the mode is neither avg nor max");
  const bool average = mode == "avg", last = r.image.channel == 3;
  PrimExpr bins[] = {i64(r.pooled[0]), i64(r.pooled[1])};
  Shape shape{r.rois.dim(0), r.image.x.dim(1), bins[0], bins[1]};
  if (last) shape = {r.rois.dim(0), bins[0], bins[1], r.image.x.dim(3)};
  if (r.ratio <= 0) {
    auto body = [&](const std::vector<Tensor>& out) { return sampledInOrder(r, out[0], average); };
    return l.finish("roi_align",
                    l.graph.external({{shape, r.image.x.dtype()}}, {r.image.x, r.rois}, body, {"roi_align"}));
  }
  IterRef rh = reduceAxis(i64(r.ratio), "rh"), rw = reduceAxis(i64(r.ratio), "rw");
  auto body = [&](const Indices& i) {
    Bins rows = r.bins(i[0], 0), columns = r.bins(i[0], 1);
    PrimExpr y = r.sampleAt(rows, i[r.image.row], varOf(rh)), x = r.sampleAt(columns, i[r.image.column], varOf(rw));
    PrimExpr value = r.bilinear(i[0], i[r.image.channel], y, x);
    PrimExpr count = number(value->dtype, static_cast<double>(r.ratio * r.ratio));
    return average ? sum(arith::div(value, count), {rh, rw}) : maximum(value, {rh, rw});
  };
  std::vector<std::string> axes{"i", "c", "ph", "pw"};
  if (last) axes = {"i", "ph", "pw", "c"};
  return l.finish("roi_align", l.graph.compute(shape, body, {"compute", axes}));
}

/// The elements of a bin along an axis: [first, end).
std::pair<PrimExpr, PrimExpr> binBounds(const Regions& r, const PrimExpr& roi, size_t axis, const PrimExpr& p) {
  const DataType type = r.rois.dtype();
  const int64_t column = axis == 0 ? 2 : 1;
  auto rounded = [&](int64_t c) { return whole(math("floor", arith::add(r.corner(roi, c), number(type, 0.5)))); };
  PrimExpr start = rounded(column);
  PrimExpr length = arith::max(arith::add(arith::sub(rounded(column + 2), start), i64(1)), i64(1));
  PrimExpr bin = arith::div(arith::cast(type, length), number(type, static_cast<double>(r.pooled[axis])));
  PrimExpr extent = axis == 0 ? r.image.height() : r.image.width();
  auto inImage = [&](const PrimExpr& at) { return arith::min(arith::max(arith::add(at, start), i64(0)), extent); };
  PrimExpr first = whole(math("floor", arith::mul(arith::cast(type, p), bin)));
  PrimExpr end = whole(math("ceil", arith::mul(arith::cast(type, arith::add(p, i64(1))), bin)));
  return {inImage(first), inImage(end)};
}

Outcome roiPool(Lowering& l) {
  Regions r;
  if (!readRegions(l, r) || r.image.channel != 1) return refuse(l.call, "image, regions or bins do not fit");
  const DataType type = r.image.x.dtype();
  Shape shape{r.rois.dim(0), r.image.x.dim(1), i64(r.pooled[0]), i64(r.pooled[1])};
  IterRef rh = reduceAxis(r.image.height(), "rh"), rw = reduceAxis(r.image.width(), "rw");
  auto largest = [&](const Indices& i) {
    auto [top, bottom] = binBounds(r, i[0], 0, i[2]);
    auto [left, right] = binBounds(r, i[0], 1, i[3]);
    PrimExpr y = varOf(rh), x = varOf(rw);
    PrimExpr inside = bothOf(arith::le(top, y), arith::lt(y, bottom));
    inside = bothOf(bothOf(inside, arith::le(left, x)), arith::lt(x, right));
    PrimExpr low = number(type, -std::numeric_limits<double>::infinity());
    return maximum(ifThenElse(inside, r.image.at(r.imageOf(i[0]), i[1], y, x), low), {rh, rw});
  };
  std::vector<std::string> axes{"i", "c", "ph", "pw"};
  Tensor pooled = l.graph.compute(shape, largest, {"compute", axes});
  auto orZero = [&](const Indices& i) {
    auto [top, bottom] = binBounds(r, i[0], 0, i[2]);
    auto [left, right] = binBounds(r, i[0], 1, i[3]);
    PrimExpr empty = eitherOf(arith::le(bottom, top), arith::le(right, left));
    return ifThenElse(empty, arith::constantInt(type, 0), pooled(i));
  };
  return l.finish("roi_pool", l.graph.compute(shape, orZero, {"compute", axes}));
}

constexpr LegalizeRow kRows[] = {
    {"relax.image.grid_sample", gridSample},
    {"relax.vision.roi_align", roiAlign},
    {"relax.vision.roi_pool", roiPool},
};

}  // namespace

std::span<const LegalizeRow> samplingRows() { return kRows; }

}  // namespace rx::legalize
