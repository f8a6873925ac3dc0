// Normalizations.
#include "core/op/families.h"
#include "core/op/rules.h"

namespace rx::op {

namespace {

/// Checks types and lengths of the parameters against `axes` of the data; refuses what can not fit. False where it is
/// not sure that lengths fit.
Result<bool> checkParams(const Call& call, const std::vector<const TensorStructInfo*>& infos,
                         const std::vector<int64_t>& axes, InferContext& context) {
  const TensorStructInfo& data = *infos[0];
  RX_CHECK(needFloat(call, 0));
  bool sure = true;
  const int64_t count = static_cast<int64_t>(axes.size());
  std::vector<int64_t> normal;
  if (knownRank(data)) {
    RX_TRY(found, normalAxes(call, axes, data.ndim));
    normal = found;
  }
  const Array<PrimExpr>* dims = dimsOf(data);
  for (size_t i = 1; i < infos.size(); ++i) {
    const TensorStructInfo& info = *infos[i];
    if (info.dtype != data.dtype) {
      return refuse(call, fmt::format("argument '{}' must have the type of the data, {}, but is {}", argName(call, i),
                                      dtypeText(data.dtype), dtypeText(info.dtype)));
    }
    if (info.ndim != count) {
      return refuse(
          call, fmt::format("argument '{}' must have {} dimensions, but has {}", argName(call, i), count,
                            info.ndim == kUnknownDim ? std::string("an unknown number") : std::to_string(info.ndim)));
    }
    const Array<PrimExpr>* lengths = dimsOf(info);
    if (!lengths || !dims) continue;
    for (size_t k = 0; k < lengths->size(); ++k) {
      const PrimExpr& wanted = (*dims)[static_cast<size_t>(normal[k])];
      const Match match = matchValues(wanted, (*lengths)[k], context);
      if (match == Match::Different) {
        return refuse(call, fmt::format("argument '{}' has length {}, axis {} of the data {}", argName(call, i),
                                        primText((*lengths)[k]), normal[k], primText(wanted)));
      }
      sure = sure && match == Match::Equal;
    }
  }
  // The parameters have to fit each other too, where the data is not known.
  const Array<PrimExpr>* first = nullptr;
  for (size_t i = 1; i < infos.size() && !dims; ++i) {
    const Array<PrimExpr>* next = dimsOf(*infos[i]);
    if (!next) continue;
    if (!first) first = next;
    const Match match = matchShapes(*first, *next, context);
    if (match == Match::Different) {
      return refuse(call, fmt::format("the parameters have shapes {} and {}", shapeText(*first), shapeText(*next)));
    }
    sure = sure && match == Match::Equal;
  }
  return sure;
}

/// The data's StructInfo, or its rank where it is not sure that all fits.
StructInfo likeData(const Call& call, const TensorStructInfo& data, bool sure) {
  return sure ? infoAt(call, 0) : tensorOfRank(data.ndim, data.dtype, data.vdevice);
}

Inferred inferBatchNorm(const Call& call, InferContext& context) {
  RX_TRY(infos, tensorsOf(call, 5));
  RX_TRY(sure, checkParams(call, infos, {intAttr(call, "axis")}, context));
  if (!sure) {
    const TensorStructInfo& data = *infos[0];
    StructInfo vector = tensorOfRank(1, data.dtype, data.vdevice);
    return relax::tupleSinfo({likeData(call, data, false), vector, vector});
  }
  return relax::tupleSinfo({infoAt(call, 0), infoAt(call, 3), infoAt(call, 4)});
}

Inferred inferLayerNorm(const Call& call, InferContext& context) {
  RX_TRY(infos, tensorsOf(call, 3));
  RX_TRY(sure, checkParams(call, infos, ints(call, "axes"), context));
  return likeData(call, *infos[0], sure);
}

Inferred inferRmsNorm(const Call& call, InferContext& context) {
  RX_TRY(infos, tensorsOf(call, 2));
  RX_TRY(sure, checkParams(call, infos, ints(call, "axes"), context));
  return likeData(call, *infos[0], sure);
}

Result<Unit> checkChannels(const Call& call, const std::vector<const TensorStructInfo*>& infos, int64_t groups,
                           InferContext& context) {
  const TensorStructInfo& data = *infos[0];
  RX_CHECK(needFloat(call, 0));
  const Array<PrimExpr>* dims = dimsOf(data);
  PrimExpr channels;
  if (knownRank(data)) {
    RX_TRY(axis, normalAxis(call, intAttr(call, "channel_axis"), data.ndim));
    RX_TRY(axes, normalAxes(call, ints(call, "axes"), data.ndim));
    if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
      return refuse(call, "axes must not hold the channel axis");
    }
    if (dims) channels = (*dims)[static_cast<size_t>(axis)];
  }
  if (groups <= 0) return refuse(call, fmt::format("num_groups must be positive, but is {}", groups));
  if (channels) {
    const auto count = tir::asInt(channels);
    if (count && *count % groups != 0) {
      return refuse(call, fmt::format("{} channels are not divisible by {} groups", *count, groups));
    }
  }
  for (size_t i = 1; i < infos.size(); ++i) {
    const TensorStructInfo& info = *infos[i];
    if (info.dtype != data.dtype) {
      return refuse(call, fmt::format("argument '{}' must have the type of the data, {}, but is {}", argName(call, i),
                                      dtypeText(data.dtype), dtypeText(info.dtype)));
    }
    if (info.ndim != 1) return refuse(call, fmt::format("argument '{}' must have 1 dimension", argName(call, i)));
    const Array<PrimExpr>* lengths = dimsOf(info);
    if (lengths && channels && matchValues((*lengths)[0], channels, context) == Match::Different) {
      return refuse(call, fmt::format("argument '{}' has length {}, the data has {} channels", argName(call, i),
                                      primText((*lengths)[0]), primText(channels)));
    }
  }
  return Unit{};
}

Inferred inferGroupNorm(const Call& call, InferContext& context) {
  RX_TRY(infos, tensorsOf(call, 3));
  RX_CHECK(checkChannels(call, infos, intAttr(call, "num_groups"), context));
  return infoAt(call, 0);
}

Inferred inferInstanceNorm(const Call& call, InferContext& context) {
  RX_TRY(infos, tensorsOf(call, 3));
  RX_CHECK(checkChannels(call, infos, 1, context));
  return infoAt(call, 0);
}

constexpr OpSpec kRows[] = {
    {"relax.nn.batch_norm",
     "data: expr, gamma: expr, beta: expr, moving_mean: expr, moving_var: expr, axis: int, epsilon: float = 1e-05, "
     "center: bool = True, scale: bool = True, momentum: float = 0.1, training: bool = True",
     inferBatchNorm, "Normalization over the batch, with the new moving mean and variance."},
    {"relax.nn.layer_norm",
     "data: expr, gamma: expr, beta: expr, axes: ints, epsilon: float = 1e-05, center: bool = True, "
     "scale: bool = True",
     inferLayerNorm, "Normalization over axes."},
    {"relax.nn.rms_norm", "data: expr, weight: expr, axes: ints = [-1], epsilon: float = 1e-05", inferRmsNorm,
     "Division by the root mean square over axes."},
    {"relax.nn.group_norm",
     "data: expr, gamma: expr, beta: expr, num_groups: int, channel_axis: int, axes: ints, epsilon: float = 1e-05, "
     "center: bool = True, scale: bool = True",
     inferGroupNorm, "Normalization over groups of channels."},
    {"relax.nn.instance_norm",
     "data: expr, gamma: expr, beta: expr, channel_axis: int, axes: ints, epsilon: float = 1e-05, "
     "center: bool = True, scale: bool = True",
     inferInstanceNorm, "Normalization of each sample and channel."},
};

}  // namespace

std::span<const OpSpec> normOps() { return kRows; }

}  // namespace rx::op
