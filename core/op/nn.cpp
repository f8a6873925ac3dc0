// Activations, losses, padding, attention.
#include "core/op/families.h"
#include "core/op/rules.h"

namespace rx::op {

namespace {

Inferred inferAny(const Call& call, InferContext&) {
  RX_CHECK(tensorAt(call, 0));
  return infoAt(call, 0);
}

Inferred inferFloat(const Call& call, InferContext&) {
  RX_CHECK(needFloat(call, 0));
  return infoAt(call, 0);
}

Inferred inferSoftmax(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  if (!knownRank(*data)) return infoAt(call, 0);
  RX_CHECK(needFloat(call, 0));
  RX_CHECK(normalAxis(call, intAttr(call, "axis"), data->ndim));
  return infoAt(call, 0);
}

Inferred inferPrelu(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(alpha, tensorAt(call, 1));
  RX_CHECK(needRank(call, 1, 1));
  if (!knownRank(*data)) return infoAt(call, 0);
  RX_TRY(axis, normalAxis(call, intAttr(call, "axis"), data->ndim));
  const Array<PrimExpr>* dims = dimsOf(*data);
  const Array<PrimExpr>* slopes = dimsOf(*alpha);
  if (dims && slopes && !isConstInt((*slopes)[0], 1) &&
      matchValues((*dims)[static_cast<size_t>(axis)], (*slopes)[0], context) == Match::Different) {
    return refuse(call, fmt::format("alpha has {} elements, the axis {}", primText((*slopes)[0]),
                                    primText((*dims)[static_cast<size_t>(axis)])));
  }
  return infoAt(call, 0);
}

Inferred inferDropout(const Call& call, InferContext&) {
  RX_CHECK(tensorAt(call, 0));
  return relax::tupleSinfo({infoAt(call, 0), infoAt(call, 0)});
}

Inferred inferPad(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  const Dims widths = dimsAttr(call, "pad_width");
  if (!knownRank(*data)) return refuse(call, "the number of dimensions of argument 'data' must be known");
  if (static_cast<int64_t>(widths.size()) != 2 * data->ndim) {
    return refuse(call, fmt::format("pad_width must have {} items, two for each dimension, but has {}", 2 * data->ndim,
                                    widths.size()));
  }
  const Array<PrimExpr>* from = dimsOf(*data);
  if (!from) return tensorOfRank(data->ndim, data->dtype, data->vdevice);
  Dims dims = from->vector();
  for (size_t i = 0; i < dims.size(); ++i) {
    dims[i] = simplify(arith::add(arith::add(dims[i], widths[2 * i]), widths[2 * i + 1]), context);
  }
  return tensor(std::move(dims), data->dtype, data->vdevice);
}

Inferred inferPixelShuffle(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  const int64_t factor = intAttr(call, "upscale_factor");
  if (factor <= 0) return refuse(call, fmt::format("upscale_factor must be positive, but is {}", factor));
  if (!knownRank(*data)) return tensorOfRank(kUnknownDim, data->dtype, data->vdevice);
  if (data->ndim < 3)
    return refuse(call, fmt::format("argument 'data' must have at least 3 dimensions, but has {}", data->ndim));
  const Array<PrimExpr>* from = dimsOf(*data);
  if (!from) return tensorOfRank(data->ndim, data->dtype, data->vdevice);
  Dims dims = from->vector();
  const size_t c = dims.size() - 3;
  const auto channels = tir::asInt(dims[c]);
  if (channels && *channels % (factor * factor) != 0) {
    return refuse(call, fmt::format("{} channels are not divisible by {}", *channels, factor * factor));
  }
  dims[c] = simplify(arith::floorDiv(dims[c], int64(factor * factor)), context);
  for (size_t i : {c + 1, c + 2}) dims[i] = simplify(arith::mul(dims[i], int64(factor)), context);
  return tensor(std::move(dims), data->dtype, data->vdevice);
}

Inferred inferBatchFlatten(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  if (!knownRank(*data)) return tensorOfRank(2, data->dtype, data->vdevice);
  if (data->ndim < 2)
    return refuse(call, fmt::format("argument 'x' must have at least 2 dimensions, but has {}", data->ndim));
  if (data->ndim == 2) return infoAt(call, 0);
  const Array<PrimExpr>* from = dimsOf(*data);
  if (!from) return tensorOfRank(2, data->dtype, data->vdevice);
  return tensor({(*from)[0], product(from->span().subspan(1))}, data->dtype, data->vdevice);
}

Inferred inferCrossEntropy(const Call& call, InferContext& context) {
  RX_TRY(pred, tensorAt(call, 0));
  RX_TRY(labels, tensorAt(call, 1));
  RX_TRY(type, commonType(call, pred->dtype, labels->dtype));
  const Device device = commonDevice(pred->vdevice, labels->vdevice);
  if (knownRank(*pred) && knownRank(*labels) && pred->ndim != labels->ndim) {
    return refuse(call, fmt::format("predictions have {} dimensions, labels {}", pred->ndim, labels->ndim));
  }
  const Array<PrimExpr>* x = dimsOf(*pred);
  const Array<PrimExpr>* y = dimsOf(*labels);
  if (x && y && matchShapes(*x, *y, context) == Match::Different) {
    return refuse(call, fmt::format("predictions have shape {}, labels {}", shapeText(*x), shapeText(*y)));
  }
  return tensor({}, type, device);
}

/// Refuses where two dimensions differ for sure.
Result<Unit> needEqual(const Call& call, const PrimExpr& a, const PrimExpr& b, std::string_view what,
                       InferContext& context) {
  if (matchValues(a, b, context) != Match::Different) return Unit{};
  return refuse(call, fmt::format("{} must agree, but they are {} and {}", what, primText(a), primText(b)));
}

Inferred inferNllLoss(const Call& call, InferContext& context) {
  RX_TRY(pred, tensorAt(call, 0));
  RX_TRY(target, tensorAt(call, 1));
  const TensorStructInfo* weights = nullptr;
  DataType type = pred->dtype;
  Device device;
  const Device both = commonDevice(pred->vdevice, target->vdevice);
  device = both;
  if (call.args.size() > 2) {
    RX_TRY(info, tensorAt(call, 2));
    weights = info;
    RX_CHECK(needRank(call, 2, 1));
    RX_TRY(common, commonType(call, pred->dtype, weights->dtype));
    type = common;
    const Device all = commonDevice(device, weights->vdevice);
    device = all;
  }
  if (!target->dtype.isVoid() && !target->dtype.isInt() && !target->dtype.isUInt()) {
    return refuse(call, fmt::format("argument 'targets' must have an integer type, but is {}", target->dtype.str()));
  }
  if (knownRank(*pred) && pred->ndim < 1) return refuse(call, "argument 'predictions' must have at least 1 dimension");
  if (knownRank(*pred) && knownRank(*target) && pred->ndim != std::max<int64_t>(target->ndim + 1, 1)) {
    return refuse(call, fmt::format("predictions must have one dimension more than targets, but they have {} and {}",
                                    pred->ndim, target->ndim));
  }
  const Array<PrimExpr>* p = dimsOf(*pred);
  const Array<PrimExpr>* t = dimsOf(*target);
  const Array<PrimExpr>* w = weights ? dimsOf(*weights) : nullptr;
  if (p && t) {
    for (size_t i = 0; i < t->size(); ++i) {
      RX_CHECK(needEqual(call, (*t)[i], (*p)[i == 0 ? 0 : i + 1], "dimensions of predictions and targets", context));
    }
  }
  if (p && w) {
    RX_CHECK(needEqual(call, (*p)[p->size() == 1 ? 0 : 1], (*w)[0], "the classes of predictions and weights", context));
  }
  const std::string_view reduction = strAttr(call, "reduction");
  if (reduction == "mean" || reduction == "sum") return tensor({}, type, device);
  if (reduction != "none")
    return refuse(call, fmt::format("reduction must be none, mean or sum, but is '{}'", reduction));
  // The result is said by the predictions, without the classes: the targets are only checked.
  if (!knownRank(*pred)) return tensorOfRank(kUnknownDim, type, device);
  if (!p) return tensorOfRank(pred->ndim - 1, type, device);
  Dims dims;
  for (size_t i = 0; i < p->size(); ++i) {
    if (i != (p->size() == 1 ? 0u : 1u)) dims.push_back((*p)[i]);
  }
  return tensor(std::move(dims), type, device);
}

Result<Unit> makeAttention(BoundCall& bound, InferContext&) {
  // With a bias it is another operator; both texts are read.
  const bool biased = bound.get("bias") != nullptr;
  const OpRow* row = findOp(biased ? "relax.nn.attention_bias" : "relax.nn.attention");
  bound.row = row;
  if (const auto* scale = as<ir::FloatAttr>(bound.get("scale"))) bound.set("scale", tir::floatImm(scale->value));
  return Unit{};
}

Inferred inferAttention(const Call& call, InferContext& context) {
  std::vector<const Array<PrimExpr>*> dims;
  RX_TRY(q, tensorAt(call, 0));
  for (size_t i = 0; i < 3; ++i) {
    RX_TRY(info, tensorAt(call, i));
    RX_CHECK(needRank(call, i, 4));
    dims.push_back(dimsOf(*info));
  }
  if (!dims[0] || !dims[1] || !dims[2]) return tensorOfRank(4, q->dtype, q->vdevice);
  const auto &Q = *dims[0], &K = *dims[1], &V = *dims[2];
  RX_CHECK(needEqual(call, Q[0], K[0], "batch sizes of query and key", context));
  RX_CHECK(needEqual(call, Q[0], V[0], "batch sizes of query and value", context));
  RX_CHECK(needEqual(call, K[1], V[1], "lengths of key and value", context));
  RX_CHECK(needEqual(call, K[2], V[2], "heads of key and value", context));
  RX_CHECK(needEqual(call, Q[3], K[3], "sizes of query and key", context));
  const auto heads = tir::asInt(Q[2]), groups = tir::asInt(K[2]);
  if (heads && groups && (*groups <= 0 || *heads % *groups != 0)) {
    return refuse(call, fmt::format("{} query heads are not divisible by {} key heads", *heads, *groups));
  }
  // Seven arguments are those of sequences of different lengths.
  if (call.args.size() == 4) {
    RX_TRY(bias, tensorAt(call, 3));
    RX_CHECK(needRank(call, 3, 4));
    if (const Array<PrimExpr>* B = dimsOf(*bias)) {
      const PrimExpr wanted[] = {Q[0], Q[2], Q[1], K[1]};
      for (size_t i = 0; i < 4; ++i) {
        if (!isConstInt((*B)[i], 1)) RX_CHECK(needEqual(call, wanted[i], (*B)[i], "the bias and the scores", context));
      }
    }
  }
  return tensor({Q[0], Q[1], Q[2], V[3]}, q->dtype, q->vdevice);
}

constexpr OpSpec kRows[] = {
    {"relax.nn.relu", "data: expr", inferAny, "max(x, 0)."},
    {"relax.nn.gelu", "data: expr", inferFloat, "Gaussian error linear unit."},
    {"relax.nn.gelu_tanh", "data: expr", inferFloat, "Gaussian error linear unit, by tanh."},
    {"relax.nn.selu", "data: expr", inferFloat, "Scaled exponential linear unit."},
    {"relax.nn.silu", "data: expr", inferFloat, "x * sigmoid(x)."},
    {"relax.nn.leakyrelu", "data: expr, alpha: float = 0.01", inferFloat, "x, or alpha * x where negative."},
    {"relax.nn.softplus", "data: expr, beta: float = 1.0, threshold: float = 20.0", inferFloat,
     "log(1 + exp(beta x)) / beta."},
    {"relax.nn.prelu", "data: expr, alpha: expr, axis: int = 1", inferPrelu,
     "x, or alpha * x where negative, with a slope for each channel."},
    {"relax.nn.softmax", "data: expr, axis: int = -1", inferSoftmax, "exp(x) normalized along an axis."},
    {"relax.nn.log_softmax", "data: expr, axis: int = -1", inferSoftmax, "Logarithm of softmax."},
    {"relax.nn.dropout", "data: expr, rate: float = 0.5", inferDropout, "Random zeros in training, with the mask."},
    {"relax.nn.pad", "data: expr, pad_width: prims_attr, pad_mode: str = 'constant', pad_value: float = 0.0", inferPad,
     "Elements around the borders.", nullptr, kPure, "pad_width pad_value pad_mode"},
    {"relax.nn.pixel_shuffle", "data: expr, upscale_factor: int", inferPixelShuffle, "Channels spread over space."},
    {"relax.nn.batch_flatten", "data: expr", inferBatchFlatten, "All but the first dimension in one."},
    {"relax.nn.cross_entropy_with_logits", "predictions: expr, labels: expr", inferCrossEntropy,
     "Cross entropy of logits and labels."},
    {"relax.nn.nll_loss",
     "predictions: expr, targets: expr, weights: expr?, reduction: str = 'mean', ignore_index: int = -100",
     inferNllLoss, "Negative log likelihood."},
    {"relax.nn.attention",
     "query: expr, key: expr, value: expr, bias: expr?, scale: attr? = None, causal_mask: str? = None, "
     "window_size: int? = None",
     inferAttention, "Scaled dot-product attention.", makeAttention},
    {"relax.nn.attention_bias",
     "query: expr, key: expr, value: expr, bias: expr?, scale: attr? = None, causal_mask: str? = None, "
     "window_size: int? = None",
     inferAttention, "Scaled dot-product attention with a bias on the scores.", makeAttention},
    {"relax.nn.attention_var_len",
     "queries: expr, keys: expr, values: expr, seqstart_q: expr, max_seqlen_q: expr, seqstart_k: expr?, "
     "max_seqlen_k: expr?, scale: attr? = None, causal_mask: str? = None, window_size: int? = None",
     inferAttention, "Attention over sequences of different lengths."},
};

}  // namespace

std::span<const OpSpec> nnOps() { return kRows; }

}  // namespace rx::op
