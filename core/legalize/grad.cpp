// Gradients of operators: nll_loss, pooling, take.
#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;

namespace {

/// The rules of these operators ask for nothing but tensors, so that what a gradient needs is asked here.
bool nllLossFits(Lowering& l, const Tensor& gradient, const Tensor& prediction, const Tensor& target,
                 const Tensor& weight) {
  const size_t batch = target.rank(), least = l.strAttr("reduction") == "none" ? batch : 0;
  const bool weightFits = !weight || (weight.rank() == 1 && weight.dtype() == prediction.dtype());
  return weightFits && prediction.rank() == batch + 1 && gradient.rank() == least && target.dtype().isIntegral() &&
         gradient.dtype() == prediction.dtype() && prediction.dtype().isFloat();
}

Outcome nllLossBackward(Lowering& l) {
  Tensor gradient = l.arg(0), prediction = l.arg(1), target = l.arg(2), weight;
  const bool weighted = l.argCount() > 3, batched = prediction.rank() > 1;
  if (weighted) weight = l.arg(3);
  if (!nllLossFits(l, gradient, prediction, target, weight))
    return refuse(l.call, "the gradient of a loss of this form can not be lowered");
  const DataType type = prediction.dtype();
  PrimExpr zero = arith::constantInt(type, 0);
  if (!weighted) {
    weight = l.graph.compute({prediction.dim(batched ? 1 : 0)},
                             [&](const Indices&) { return arith::constantInt(type, 1); }, {"T_full"});
  }
  if (int64_t ignored = l.intAttr("ignore_index", -100); ignored >= 0) {
    auto kept = [&](const Indices& i) { return arith::select(arith::eq(i[0], i64(ignored)), zero, weight(i)); };
    weight = l.graph.compute(weight.dims(), kept, {"weights_new", {"i"}});
  }
  auto own = [&](const Indices& i) { return weight({target(i)}); };
  Tensor all = l.graph.compute(target.dims(), own, {"all_weights", {"i"}});
  std::string_view reduction = l.strAttr("reduction");
  Tensor scaled = gradient;
  if (reduction != "none") {
    scaled = l.graph.compute(target.dims(), [&](const Indices&) { return gradient({}); }, {"T_broadcast_to"});
  }
  if (reduction == "mean") {
    std::vector<size_t> axes;
    for (size_t i = 0; i < all.rank(); ++i) axes.push_back(i);
    Tensor total = axes.empty() ? all : reduceStage(l, all, axes, false, sum);
    scaled = binaryStage(l, operandOf(scaled), operandOf(total), arith::div, "T_divide");
  }
  auto body = [&](const Indices& i) {
    Indices at = i;
    at.erase(at.begin() + (batched ? 1 : 0));
    PrimExpr value = arith::mul(arith::mul(all(at), arith::constantInt(type, -1)), scaled(at));
    return arith::select(arith::eq(i[batched ? 1 : 0], target(at)), value, zero);
  };
  return l.finish(weighted ? "nll_loss_backward" : "nll_loss_backward_no_weight",
                  l.graph.compute(prediction.dims(), body, {"pred_grad", {"i"}}));
}

/// The windows of a 2-dimensional pool in layout NCHW, and which of them cover an element of its input.
struct PoolGradient {
  static constexpr size_t kHeight = 2;
  std::vector<int64_t> size, strides, padding;
  std::vector<IterRef> windows;

  static std::optional<PoolGradient> read(Lowering& l, const Tensor& gradient, const Tensor& x) {
    PoolGradient p;
    if (x.rank() != 4 || gradient.rank() != 4 || gradient.dtype() != x.dtype()) return std::nullopt;
    auto size = l.ints("pool_size"), strides = l.ints("strides"), padding = l.ints("padding");
    auto dilation = l.ints("dilation");
    bool fits = size && size->size() == 2 && strides && strides->size() == 2 && padding && padding->size() == 4 &&
                l.strAttr("layout") == "NCHW" && (!dilation || *dilation == std::vector<int64_t>{1, 1});
    for (size_t s = 0; fits && s < 2; ++s) fits = (*size)[s] > 0 && (*strides)[s] > 0;
    if (!fits) return std::nullopt;
    p.size = *size, p.strides = *strides, p.padding = *padding;
    for (size_t s = 0; s < 2; ++s) {
      int64_t count = (p.size[s] + p.strides[s] - 1) / p.strides[s];
      p.windows.push_back(reduceAxis(i64(count), s == 0 ? "wh" : "ww"));
    }
    return p;
  }

  PrimExpr padded(const Indices& i, size_t s) const { return arith::add(i[kHeight + s], i64(padding[s])); }
  /// The windows that are looked at for an element, the last that covers it first.
  Indices outputs(const Indices& i) const {
    Indices out = i;
    for (size_t s = 0; s < 2; ++s) {
      out[kHeight + s] = arith::sub(arith::truncDiv(padded(i, s), i64(strides[s])), varOf(windows[s]));
    }
    return out;
  }
  /// The first window that covers the element.
  PrimExpr first(const Indices& i, size_t s) const {
    PrimExpr at = padded(i, s), extent = i64(size[s]);
    PrimExpr later = arith::add(arith::truncDiv(arith::sub(at, extent), i64(strides[s])), i64(1));
    return arith::select(arith::lt(at, extent), i64(0), later);
  }
};

Outcome avgPool2dBackward(Lowering& l) {
  Tensor gradient = l.arg(0), x = l.arg(1);
  auto pool = PoolGradient::read(l, gradient, x);
  if (!pool) return refuse(l.call, "the gradient of a pool of this form can not be lowered");
  const bool includePad = l.boolAttr("count_include_pad", true);
  PrimExpr zero = arith::constantInt(x.dtype(), 0);
  auto body = [&](const Indices& i) {
    Indices out = pool->outputs(i);
    PrimExpr covered, count = i64(1);
    for (size_t s = 0; s < 2; ++s) {
      const PrimExpr& at = out[PoolGradient::kHeight + s];
      PrimExpr behind = arith::le(pool->first(i, s), at);
      covered = covered ? arith::logicalAnd(covered, behind) : behind;
      covered = arith::logicalAnd(covered, arith::lt(at, gradient.dim(PoolGradient::kHeight + s)));
      if (includePad) {
        count = arith::mul(count, i64(pool->size[s]));
        continue;
      }
      PrimExpr start = arith::sub(arith::mul(at, i64(pool->strides[s])), i64(pool->padding[s]));
      PrimExpr end = arith::min(arith::add(start, i64(pool->size[s])), x.dim(PoolGradient::kHeight + s));
      count = arith::mul(count, arith::sub(end, arith::max(start, i64(0))));
    }
    if (!includePad) count = arith::max(count, i64(1));
    PrimExpr share = arith::div(gradient(out), arith::cast(x.dtype(), count));
    return sum(ifThenElse(covered, share, zero), pool->windows);
  };
  return l.finish("avg_pool2d_backward", l.graph.compute(x.dims(), body, {"T_pool_grad"}));
}

Outcome maxPool2dBackward(Lowering& l) {
  Tensor gradient = l.arg(0), x = l.arg(1);
  auto pool = PoolGradient::read(l, gradient, x);
  if (!pool) return refuse(l.call, "the gradient of a pool of this form can not be lowered");
  Shape before(4, i64(0)), after(4, i64(0));
  bool pads = false;
  for (size_t s = 0; s < 2; ++s) {
    int64_t tail = pool->padding[2 + s] + (l.boolAttr("ceil_mode") ? pool->strides[s] - 1 : 0);
    before[2 + s] = i64(pool->padding[s]);
    after[2 + s] = i64(tail);
    pads |= pool->padding[s] != 0 || tail != 0;
  }
  Tensor source = pads ? padStage(l, x, before, after, arith::minValue(x.dtype()), "pad_temp", {}) : x;
  std::vector<IterRef> taps{reduceAxis(i64(pool->size[0]), "dh"), reduceAxis(i64(pool->size[1]), "dw")};
  // Which element of a window is the largest, by its position in the padded input; ties to the later position.
  auto combine = [](const std::vector<PrimExpr>& a, const std::vector<PrimExpr>& b) {
    PrimExpr greater = arith::gt(a[1], b[1]);
    PrimExpr tie = arith::logicalAnd(arith::eq(a[1], b[1]), arith::lt(a[0], b[0]));
    return std::vector<PrimExpr>{arith::select(arith::logicalOr(greater, tie), a[0], b[0]),
                                 arith::select(greater, a[1], b[1])};
  };
  auto largest = [&](const Indices& i) {
    Indices in = i;
    for (size_t s = 0; s < 2; ++s) in[2 + s] = arith::add(arith::mul(i[2 + s], i64(pool->strides[s])), varOf(taps[s]));
    std::vector<PrimExpr> start{arith::constantInt(DataType::Int(64), -1), arith::minValue(x.dtype())};
    return reduceTuple({ravel(in, source.dims()), source(in)}, start, taps, combine);
  };
  std::vector<Tensor> chosen = l.graph.computeMany(gradient.dims(), largest, {"maxpool_grad_argmax"});
  PrimExpr zero = arith::constantInt(x.dtype(), 0);
  auto body = [&](const Indices& i) {
    Indices out = pool->outputs(i), here = i;
    for (size_t s = 0; s < 2; ++s) here[2 + s] = pool->padded(i, s);
    PrimExpr covered = arith::logicalAnd(arith::le(pool->first(i, 0), out[2]), arith::le(pool->first(i, 1), out[3]));
    for (size_t s = 0; s < 2; ++s) covered = arith::logicalAnd(covered, arith::lt(out[2 + s], gradient.dim(2 + s)));
    covered = arith::logicalAnd(covered, arith::eq(chosen[0](out), ravel(here, source.dims())));
    return sum(ifThenElse(covered, gradient(out), zero), pool->windows);
  };
  return l.finish("max_pool2d_backward", l.graph.compute(x.dims(), body, {"T_pool_grad"}));
}

/// Every element of the gradient is added to where it was taken from; one place may be taken several times.
Outcome takeBackward(Lowering& l) {
  Tensor gradient = l.tensor(l.call.args[0], true), x = l.tensor(l.call.args[1], true);
  Tensor indices = l.tensor(l.call.args[2], true);
  auto given = l.optionalInt("axis");
  auto axis = normalAxis(given.value_or(0), x.rank());
  const bool fits = indices.rank() == 1 && indices.dtype().isIntegral() && gradient.rank() == x.rank() &&
                    gradient.dtype() == x.dtype();
  if (!fits || !axis || (!given && x.rank() != 1)) {
    return refuse(l.call, "the gradient of a take of this form can not be lowered");
  }
  PrimExpr inner = extentOf(x.shape().span().subspan(*axis + 1));
  PrimExpr outer = extentOf(x.shape().span().first(*axis));
  PrimExpr count = indices.dim(0);
  auto body = [&](const std::vector<Tensor>& out) {
    auto store = [&](const PrimExpr& at, const PrimExpr& value) -> tir::Stmt {
      return make<tir::BufferStore>(out[0].buffer, value, placeOf(at, out[0]));
    };
    tir::Stmt clear = loopOver(extentOf(x.shape()), tir::ForKind::Serial,
                               [&](PrimExpr v) { return store(v, arith::constantInt(x.dtype(), 0)); });
    auto rows = [&](PrimExpr fused) {
      PrimExpr i = arith::floorDiv(fused, inner), j = arith::floorMod(fused, inner);
      return loopOver(count, tir::ForKind::Serial, [&](PrimExpr k) {
        PrimExpr to = arith::add(arith::mul(arith::mul(i, inner), x.dim(*axis)), arith::mul(indices({k}), inner));
        PrimExpr from = arith::add(arith::mul(arith::mul(i, inner), count), arith::mul(k, inner));
        to = arith::add(to, j);
        from = arith::add(from, j);
        PrimExpr old = make<tir::BufferLoad>(out[0].buffer, placeOf(to, out[0]), x.dtype());
        PrimExpr add = make<tir::BufferLoad>(gradient.buffer, placeOf(from, gradient), x.dtype());
        return store(to, arith::add(old, add));
      });
    };
    return inOrder({clear, loopOver(arith::mul(outer, inner), tir::ForKind::Serial, rows)});
  };
  return l.finish("take_backward",
                  l.graph.external({{x.dims(), x.dtype()}}, {gradient, x, indices}, body, {"take_backward"}));
}

constexpr LegalizeRow kRows[] = {
    {"relax.grad.nll_loss_backward", nllLossBackward},
    {"relax.grad.avg_pool2d_backward", avgPool2dBackward},
    {"relax.grad.max_pool2d_backward", maxPool2dBackward},
    {"relax.grad.take_backward", takeBackward},
};

}  // namespace

std::span<const LegalizeRow> gradRows() { return kRows; }

}  // namespace rx::legalize
