// Pooling, one to three spatial dimensions.
#include "core/op/nn_pool.h"

#include "core/op/families.h"
#include "core/op/layout.h"

namespace rx::op {

namespace {

constexpr std::string_view kPlain[] = {"", "NCW", "NCHW", "NCDHW"};

template <size_t N>
Result<Unit> makeAdaptive(BoundCall& bound, InferContext&) {
  RX_CHECK(spreadList(bound, "output_size", N));
  defaultLayout(bound, "out_layout", "layout");
  return Unit{};
}

template <size_t N>
Inferred inferPool(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(layout, layoutAttr(call, "layout", kPlain[N]));
  RX_TRY(outLayout, layoutAttr(call, "out_layout", kPlain[N]));
  RX_TRY(dims, plainDims(call, 0, layout, kPlain[N]));
  const auto size = ints(call, "pool_size"), strides = ints(call, "strides");
  const auto dilation = ints(call, "dilation"), padding = ints(call, "padding");
  if (size.size() != N || strides.size() != N || dilation.size() != N || padding.size() != 2 * N) {
    return refuse(call, fmt::format("pool_size, strides and dilation must have {} items, padding {}", N, 2 * N));
  }
  if (!dims) return tensorOfRank(outLayout.rank(), data->dtype, data->vdevice);
  const bool ceilMode = boolAttr(call, "ceil_mode");
  Dims out{(*dims)[0], (*dims)[1]};
  for (size_t i = 0; i < N; ++i) {
    if (strides[i] <= 0) return refuse(call, "strides must be positive");
    const PrimExpr& in = (*dims)[2 + i];
    const int64_t window = dilation[i] * (size[i] - 1) + 1;
    const int64_t slack = padding[i] + padding[N + i] - window + (ceilMode ? strides[i] - 1 : 0);
    PrimExpr count = arith::add(arith::floorDiv(arith::add(in, int64(slack)), int64(strides[i])), int64(1));
    if (ceilMode) {
      // A window that would start in the padding at the end does not count.
      const PrimExpr start = arith::mul(arith::sub(count, int64(1)), int64(strides[i]));
      const PrimExpr outside = arith::ge(start, arith::add(in, int64(padding[i])));
      count = ifThenElse(simplify(outside, context), arith::sub(count, int64(1)), count);
    }
    out.push_back(simplify(count, context));
  }
  return tensor(outLayout.fromPlain(kPlain[N], out), data->dtype, data->vdevice);
}

template <size_t N>
Inferred inferAdaptive(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(layout, layoutAttr(call, "layout", kPlain[N]));
  RX_TRY(outLayout, layoutAttr(call, "out_layout", kPlain[N]));
  RX_TRY(dims, plainDims(call, 0, layout, kPlain[N]));
  const auto size = intsOrNone(call, "output_size");
  if (size && size->size() != N) return refuse(call, fmt::format("output_size must have {} items", N));
  if (!dims) {
    if (data->shape && !size && strAttr(call, "layout") == strAttr(call, "out_layout")) return infoAt(call, 0);
    return tensorOfRank(outLayout.rank(), data->dtype, data->vdevice);
  }
  Dims out = *dims;
  for (size_t i = 0; size && i < N; ++i) out[2 + i] = int64((*size)[i]);
  return tensor(outLayout.fromPlain(kPlain[N], out), data->dtype, data->vdevice);
}

constexpr OpSpec kRows[] = {
    {"relax.nn.max_pool1d",
     "data: expr, pool_size: ints = [1], strides: ints = [1], padding: ints = [0, 0], dilation: ints = [1], "
     "ceil_mode: bool = False, count_include_pad: bool = False, layout: str = 'NCW', out_layout: str? = None",
     inferPool<1>, "Largest element of each window.", makePool<1>, kPure, kPoolOrder},
    {"relax.nn.max_pool2d",
     "data: expr, pool_size: ints = [1, 1], strides: ints = [1, 1], padding: ints = [0, 0, 0, 0], "
     "dilation: ints = [1, 1], ceil_mode: bool = False, count_include_pad: bool = False, layout: str = 'NCHW', "
     "out_layout: str? = None",
     inferPool<2>, "Largest element of each window.", makePool<2>, kPure, kPoolOrder},
    {"relax.nn.max_pool3d",
     "data: expr, pool_size: ints = [1, 1, 1], strides: ints = [1, 1, 1], padding: ints = [0, 0, 0, 0, 0, 0], "
     "dilation: ints = [1, 1, 1], ceil_mode: bool = False, count_include_pad: bool = False, layout: str = 'NCDHW', "
     "out_layout: str? = None",
     inferPool<3>, "Largest element of each window.", makePool<3>, kPure, kPoolOrder},
    {"relax.nn.avg_pool1d",
     "data: expr, pool_size: ints = [1], strides: ints = [1], padding: ints = [0, 0], dilation: ints = [1], "
     "ceil_mode: bool = False, count_include_pad: bool = True, layout: str = 'NCW', out_layout: str? = None",
     inferPool<1>, "Mean of each window.", makePool<1>, kPure, kPoolOrder},
    {"relax.nn.avg_pool2d",
     "data: expr, pool_size: ints = [1, 1], strides: ints = [1, 1], padding: ints = [0, 0, 0, 0], "
     "dilation: ints = [1, 1], ceil_mode: bool = False, count_include_pad: bool = False, layout: str = 'NCHW', "
     "out_layout: str? = None",
     inferPool<2>, "Mean of each window.", makePool<2>, kPure, kPoolOrder},
    {"relax.nn.avg_pool3d",
     "data: expr, pool_size: ints = [1, 1, 1], strides: ints = [1, 1, 1], padding: ints = [0, 0, 0, 0, 0, 0], "
     "dilation: ints = [1, 1, 1], ceil_mode: bool = False, count_include_pad: bool = True, layout: str = 'NCDHW', "
     "out_layout: str? = None",
     inferPool<3>, "Mean of each window.", makePool<3>, kPure, kPoolOrder},
    {"relax.nn.adaptive_avg_pool1d",
     "data: expr, output_size: ints? = None, layout: str = 'NCW', out_layout: str? = None", inferAdaptive<1>,
     "Means of windows that give an output of a chosen size.", makeAdaptive<1>},
    {"relax.nn.adaptive_avg_pool2d",
     "data: expr, output_size: ints? = None, layout: str = 'NCHW', out_layout: str? = None", inferAdaptive<2>,
     "Means of windows that give an output of a chosen size.", makeAdaptive<2>},
    {"relax.nn.adaptive_avg_pool3d",
     "data: expr, output_size: ints? = None, layout: str = 'NCDHW', out_layout: str? = None", inferAdaptive<3>,
     "Means of windows that give an output of a chosen size.", makeAdaptive<3>},
};

}  // namespace

std::span<const OpSpec> poolOps() { return kRows; }

}  // namespace rx::op
