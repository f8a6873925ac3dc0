// Convolutions and their transposes, one to three spatial dimensions.
#include "core/op/families.h"
#include "core/op/layout.h"

namespace rx::op {

namespace {

constexpr std::string_view kData[] = {"", "NCW", "NCHW", "NCDHW"};
constexpr std::string_view kKernel[] = {"", "OIW", "OIHW", "OIDHW"};
constexpr std::string_view kTransposed[] = {"", "IOW", "IOHW", "IODHW"};

template <size_t N>
Result<Unit> makeConv(BoundCall& bound, InferContext&) {
  RX_CHECK(spreadList(bound, "strides", N));
  RX_CHECK(spreadPadding(bound, "padding", N));
  RX_CHECK(spreadList(bound, "dilation", N));
  defaultLayout(bound, "out_layout", "data_layout");
  return Unit{};
}

template <size_t N>
Result<Unit> makeTranspose(BoundCall& bound, InferContext& context) {
  RX_CHECK(makeConv<N>(bound, context));
  return spreadList(bound, "output_padding", N);
}

struct Conv {
  std::optional<Dims> data, kernel;
  Layout out;
  DataType type;
  Device device;
  std::vector<int64_t> strides, padding, dilation;
  PrimExpr groups;
};

template <size_t N>
Result<Conv> readConv(const Call& call, std::string_view kernelPlain) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(weight, tensorAt(call, 1));
  RX_TRY(dataLayout, layoutAttr(call, "data_layout", kData[N]));
  RX_TRY(kernelLayout, layoutAttr(call, "kernel_layout", kernelPlain));
  RX_TRY(outLayout, layoutAttr(call, "out_layout", kData[N]));
  RX_TRY(dataDims, plainDims(call, 0, dataLayout, kData[N]));
  RX_TRY(kernelDims, plainDims(call, 1, kernelLayout, kernelPlain));
  DataType type = typeAttr(call, "out_dtype");
  if (type.isVoid()) {
    RX_TRY(common, commonType(call, data->dtype, weight->dtype));
    type = common;
  }
  RX_TRY(device, oneDevice(call, data->vdevice, weight->vdevice));
  Conv conv{std::move(dataDims),
            std::move(kernelDims),
            outLayout,
            type,
            device,
            ints(call, "strides"),
            ints(call, "padding"),
            ints(call, "dilation"),
            int64(intAttr(call, "groups"))};
  if (conv.strides.size() != N || conv.padding.size() != 2 * N || conv.dilation.size() != N) {
    return refuse(call, fmt::format("strides, padding and dilation must have {}, {} and {} items", N, 2 * N, N));
  }
  for (int64_t stride : conv.strides) {
    if (stride <= 0) return refuse(call, "strides must be positive");
  }
  if (intAttr(call, "groups") <= 0) return refuse(call, "groups must be positive");
  return conv;
}

Result<Unit> needDivisible(const Call& call, const PrimExpr& channels, const PrimExpr& groups, std::string_view which,
                           InferContext& context) {
  const auto rest = tir::asInt(simplify(arith::floorMod(channels, groups), context));
  if (!rest || *rest == 0) return Unit{};
  return refuse(
      call, fmt::format("{} {} channels can not be split in {} groups", primText(channels), which, primText(groups)));
}

template <size_t N>
Inferred inferConv(const Call& call, InferContext& context) {
  RX_TRY(conv, readConv<N>(call, kKernel[N]));
  if (!conv.data || !conv.kernel) return tensorOfRank(conv.out.rank(), conv.type, conv.device);
  const Dims &in = *conv.data, &kernel = *conv.kernel;
  if (matchValues(in[1], arith::mul(kernel[1], conv.groups), context) == Match::Different) {
    return refuse(call, fmt::format("data has {} channels, but the kernel takes {} in {} groups", primText(in[1]),
                                    primText(kernel[1]), primText(conv.groups)));
  }
  RX_CHECK(needDivisible(call, kernel[0], conv.groups, "output", context));
  Dims out{in[0], kernel[0]};
  for (size_t i = 0; i < N; ++i) {
    const PrimExpr window =
        arith::add(arith::mul(int64(conv.dilation[i]), arith::sub(kernel[2 + i], int64(1))), int64(1));
    const PrimExpr room = arith::sub(arith::add(in[2 + i], int64(conv.padding[i] + conv.padding[N + i])), window);
    out.push_back(simplify(arith::add(arith::floorDiv(room, int64(conv.strides[i])), int64(1)), context));
  }
  return tensor(conv.out.fromPlain(kData[N], out), conv.type, conv.device);
}

template <size_t N>
Inferred inferTranspose(const Call& call, InferContext& context) {
  RX_TRY(conv, readConv<N>(call, kTransposed[N]));
  const std::vector<int64_t> extra = ints(call, "output_padding");
  if (extra.size() != N) return refuse(call, fmt::format("output_padding must have {} items", N));
  if (!conv.data || !conv.kernel) return tensorOfRank(conv.out.rank(), conv.type, conv.device);
  const Dims &in = *conv.data, &kernel = *conv.kernel;
  if (matchValues(in[1], kernel[0], context) == Match::Different) {
    return refuse(call,
                  fmt::format("data has {} channels, but the kernel takes {}", primText(in[1]), primText(kernel[0])));
  }
  RX_CHECK(needDivisible(call, kernel[0], conv.groups, "input", context));
  for (size_t i = 0; i < N; ++i) {
    if (conv.strides[i] <= extra[i]) {
      return refuse(call, fmt::format("output_padding {} must be less than the stride {}", extra[i], conv.strides[i]));
    }
  }
  Dims out{in[0], arith::mul(kernel[1], conv.groups)};
  for (size_t i = 0; i < N; ++i) {
    PrimExpr length = arith::mul(arith::sub(in[2 + i], int64(1)), int64(conv.strides[i]));
    length = arith::sub(length, int64(conv.padding[i] + conv.padding[N + i]));
    length = arith::add(length, arith::mul(int64(conv.dilation[i]), arith::sub(kernel[2 + i], int64(1))));
    out.push_back(simplify(arith::add(length, int64(extra[i] + 1)), context));
  }
  return tensor(conv.out.fromPlain(kData[N], out), conv.type, conv.device);
}

constexpr OpSpec kRows[] = {
    {"relax.nn.conv1d",
     "data: expr, weight: expr, strides: ints = [1], padding: ints = [0, 0], dilation: ints = [1], groups: int = 1, "
     "data_layout: str = 'NCW', kernel_layout: str = 'OIW', out_layout: str? = None, out_dtype: dtype = 'void'",
     inferConv<1>, "Convolution over one dimension.", makeConv<1>},
    {"relax.nn.conv2d",
     "data: expr, weight: expr, strides: ints = [1, 1], padding: ints = [0, 0, 0, 0], dilation: ints = [1, 1], "
     "groups: int = 1, data_layout: str = 'NCHW', kernel_layout: str = 'OIHW', out_layout: str? = None, "
     "out_dtype: dtype = 'void'",
     inferConv<2>, "Convolution over two dimensions.", makeConv<2>},
    {"relax.nn.conv3d",
     "data: expr, weight: expr, strides: ints = [1, 1, 1], padding: ints = [0, 0, 0, 0, 0, 0], "
     "dilation: ints = [1, 1, 1], groups: int = 1, data_layout: str = 'NCDHW', kernel_layout: str = 'OIDHW', "
     "out_layout: str? = None, out_dtype: dtype = 'void'",
     inferConv<3>, "Convolution over three dimensions.", makeConv<3>},
    {"relax.nn.conv1d_transpose",
     "data: expr, weight: expr, strides: ints = [1], padding: ints = [0, 0], output_padding: ints = [0], "
     "dilation: ints = [1], groups: int = 1, data_layout: str = 'NCW', kernel_layout: str = 'IOW', "
     "out_layout: str? = None, out_dtype: dtype = 'void'",
     inferTranspose<1>, "Transposed convolution over one dimension.", makeTranspose<1>},
    {"relax.nn.conv2d_transpose",
     "data: expr, weight: expr, strides: ints = [1, 1], padding: ints = [0, 0, 0, 0], output_padding: ints = [0, 0], "
     "dilation: ints = [1, 1], groups: int = 1, data_layout: str = 'NCHW', kernel_layout: str = 'IOHW', "
     "out_layout: str? = None, out_dtype: dtype = 'void'",
     inferTranspose<2>, "Transposed convolution over two dimensions.", makeTranspose<2>},
    {"relax.nn.conv3d_transpose",
     "data: expr, weight: expr, strides: ints = [1, 1, 1], padding: ints = [0, 0, 0, 0, 0, 0], "
     "output_padding: ints = [0, 0, 0], dilation: ints = [1, 1, 1], groups: int = 1, data_layout: str = 'NCDHW', "
     "kernel_layout: str = 'IODHW', out_layout: str? = None, out_dtype: dtype = 'void'",
     inferTranspose<3>, "Transposed convolution over three dimensions.", makeTranspose<3>},
};

}  // namespace

std::span<const OpSpec> convOps() { return kRows; }

}  // namespace rx::op
