// Matrix products and convolutions by oneDNN 2, float32.
#include <fmt/format.h>

#include "core/library/dnnl_primitive.h"
#include "core/library/library.h"
#include "core/library/product_shape.h"

namespace rx::library {

namespace {

using Dims = std::vector<int64_t>;

Result<Unit> checkFloats(std::string_view function, std::initializer_list<const HostTensor*> tensors) {
  for (const HostTensor* tensor : tensors) {
    if (!tensor || tensor->dtype() == DataType::Float(32)) continue;
    return fail("library.shape", fmt::format("{} takes float32, not {}", function, tensor->dtype().str()));
  }
  return Unit{};
}

/// A bias as a tensor of `rank` dimensions that are all one, but for one of them.
Result<dnnl_memory_desc_t> biasLayout(const Dnnl& dnnl, std::string_view function, const HostTensor& bias, size_t rank,
                                      size_t axis, int64_t size) {
  if (bias.count() != size)
    return fail("library.shape",
                fmt::format("{} takes a bias of {} elements, not {}", function, size, shapeText(bias.shape())));
  Dims dims(rank, 1);
  dims[axis] = size;
  return dnnlRows(dnnl, dims);
}

std::byte* bytesOf(const HostTensor& tensor) { return const_cast<std::byte*>(tensor.data()); }

Result<vm::Value> multiply(vm::CallContext& context, const HostTensor& a, const HostTensor& b, const HostTensor* bias,
                           bool turned, bool relu, const HostTensor& out) {
  RX_CHECK(checkFloats("dnnl.matmul", {&a, &b, bias, &out}));
  RX_TRY(shape, productShape(a, b, turned, out));
  const Result<Dnnl>& dnnl = findDnnl();
  if (!dnnl) return dnnl.failure();
  if (shape.isEmpty()) return vm::Value();
  RX_TRY(left, dnnlRows(*dnnl, Dims{shape.batch, shape.rows, shape.depth}));
  RX_TRY(right, dnnlRows(*dnnl, Dims{shape.batch, shape.depth, shape.columns}, shape.turned));
  RX_TRY(result, dnnlRows(*dnnl, Dims{shape.batch, shape.rows, shape.columns}));
  std::vector<DnnlOperand> operands = {{DNNL_ARG_SRC, dnnl_query_src_md, &left, bytesOf(a)},
                                       {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, &right, bytesOf(b)}};
  dnnl_memory_desc_t added{};
  if (bias) {
    RX_TRY(layout, biasLayout(*dnnl, "dnnl.matmul", *bias, 3, 2, shape.columns));
    added = layout;
    // Which weights a product has besides is asked for by their number, and they lie in one way only.
    operands.push_back({DNNL_ARG_BIAS, dnnl_query_undef, &added, bytesOf(*bias)});
  }
  operands.push_back({DNNL_ARG_DST, dnnl_query_dst_md, &result, out.mutableData()});
  dnnl_matmul_desc_t description;
  RX_CHECK(dnnlCheck(*dnnl, dnnl->matmul_desc_init(&description, &left, &right, bias ? &added : nullptr, &result),
                     "such a product"));
  RX_CHECK(dnnlCompute(*dnnl, &description, relu, operands, context));
  return vm::Value();
}

/// dnnl.matmul(a, b, b is turned, max(x, 0) of each, out)
Result<vm::Value> matmul(vm::CallContext& context, vm::Arguments args) {
  return multiply(context, args[0].tensor(), args[1].tensor(), nullptr, args[2].asInt() != 0, args[3].asInt() != 0,
                  args[4].tensor());
}
/// dnnl.matmul_bias(a, b, bias, b is turned, max(x, 0) of each, out)
Result<vm::Value> matmulBias(vm::CallContext& context, vm::Arguments args) {
  return multiply(context, args[0].tensor(), args[1].tensor(), &args[2].tensor(), args[3].asInt() != 0,
                  args[4].asInt() != 0, args[5].tensor());
}

/// How a convolution of (N, C, H, W) by (O, I, H, W) moves.
struct Moves {
  const Dims& strides;   ///< (down, right)
  const Dims& padding;   ///< (top, left, bottom, right)
  const Dims& dilation;  ///< (down, right), 1 where the weights touch
  int64_t groups;
};

Result<Unit> checkMoves(const HostTensor& data, const HostTensor& weight, const HostTensor& out, const Moves& moves) {
  const auto wrong = [&](std::string_view why) {
    return fail("library.shape", fmt::format("a convolution of {} by {} into {} {}", shapeText(data.shape()),
                                             shapeText(weight.shape()), shapeText(out.shape()), why));
  };
  if (data.rank() != 4 || weight.rank() != 4 || out.rank() != 4) return wrong("is none of two dimensions");
  if (moves.strides.size() != 2 || moves.padding.size() != 4 || moves.dilation.size() != 2)
    return wrong("moves in other than two dimensions");
  const Dims &x = data.shape(), &w = weight.shape(), &y = out.shape();
  const int64_t groups = moves.groups;
  if (groups < 1 || w[0] % groups != 0 || x[1] != w[1] * groups || y[0] != x[0] || y[1] != w[0])
    return wrong("does not fit");
  for (size_t d = 0; d < 2; ++d) {
    const int64_t stride = moves.strides[d], dilation = moves.dilation[d];
    const int64_t before = moves.padding[d], after = moves.padding[d + 2];
    if (stride < 1 || dilation < 1 || before < 0 || after < 0 || w[d + 2] < 1) return wrong("has no such moves");
    const int64_t room = x[d + 2] + before + after - (dilation * (w[d + 2] - 1) + 1);
    if (room < 0 || y[d + 2] != room / stride + 1) return wrong("does not fit");
  }
  return Unit{};
}

Result<vm::Value> convolve(vm::CallContext& context, const HostTensor& data, const HostTensor& weight,
                           const HostTensor* bias, const Moves& moves, bool relu, const HostTensor& out) {
  RX_CHECK(checkFloats("dnnl.conv2d", {&data, &weight, bias, &out}));
  RX_CHECK(checkMoves(data, weight, out, moves));
  const Result<Dnnl>& dnnl = findDnnl();
  if (!dnnl) return dnnl.failure();
  if (out.count() == 0) return vm::Value();
  Dims weights = weight.shape();
  if (moves.groups > 1) {
    weights[0] /= moves.groups;
    weights.insert(weights.begin(), moves.groups);
  }
  RX_TRY(dataRows, dnnlRows(*dnnl, data.shape()));
  RX_TRY(weightRows, dnnlRows(*dnnl, weights));
  RX_TRY(outRows, dnnlRows(*dnnl, out.shape()));
  RX_TRY(dataAny, dnnlAnyLayout(*dnnl, data.shape()));
  RX_TRY(weightAny, dnnlAnyLayout(*dnnl, weights));
  RX_TRY(outAny, dnnlAnyLayout(*dnnl, out.shape()));
  std::vector<DnnlOperand> operands = {{DNNL_ARG_SRC, dnnl_query_src_md, &dataRows, bytesOf(data)},
                                       {DNNL_ARG_WEIGHTS, dnnl_query_weights_md, &weightRows, bytesOf(weight)}};
  dnnl_memory_desc_t added{};
  if (bias) {
    RX_TRY(layout, biasLayout(*dnnl, "dnnl.conv2d", *bias, 1, 0, weight.shape()[0]));
    added = layout;
    operands.push_back({DNNL_ARG_BIAS, dnnl_query_undef, &added, bytesOf(*bias)});
  }
  operands.push_back({DNNL_ARG_DST, dnnl_query_dst_md, &outRows, out.mutableData()});
  const dnnl_dims_t strides = {moves.strides[0], moves.strides[1]};
  const dnnl_dims_t gaps = {moves.dilation[0] - 1, moves.dilation[1] - 1};
  const dnnl_dims_t before = {moves.padding[0], moves.padding[1]}, after = {moves.padding[2], moves.padding[3]};
  dnnl_convolution_desc_t description;
  RX_CHECK(dnnlCheck(*dnnl,
                     dnnl->dilated_convolution_forward_desc_init(
                         &description, dnnl_forward_inference, dnnl_convolution_auto, &dataAny, &weightAny,
                         bias ? &added : nullptr, &outAny, strides, gaps, before, after),
                     "such a convolution"));
  RX_CHECK(dnnlCompute(*dnnl, &description, relu, operands, context));
  return vm::Value();
}

/// The arguments behind the tensors that are read: strides, padding, dilation, groups, max(x, 0) of each, out.
Result<vm::Value> convolveWith(vm::CallContext& context, vm::Arguments args, const HostTensor* bias) {
  const size_t first = bias ? 3 : 2;
  const Moves moves{args[first].asShape(), args[first + 1].asShape(), args[first + 2].asShape(),
                    args[first + 3].asInt()};
  return convolve(context, args[0].tensor(), args[1].tensor(), bias, moves, args[first + 4].asInt() != 0,
                  args[first + 5].tensor());
}
Result<vm::Value> conv2d(vm::CallContext& context, vm::Arguments args) { return convolveWith(context, args, nullptr); }
Result<vm::Value> conv2dBias(vm::CallContext& context, vm::Arguments args) {
  return convolveWith(context, args, &args[2].tensor());
}

constexpr vm::BuiltinRow kFunctions[] = {
    {.name = "dnnl.matmul", .signature = "ttiit", .run = matmul, .writes = 1 << 4},
    {.name = "dnnl.matmul_bias", .signature = "tttiit", .run = matmulBias, .writes = 1 << 5},
    {.name = "dnnl.conv2d", .signature = "ttsssiit", .run = conv2d, .writes = 1 << 7},
    {.name = "dnnl.conv2d_bias", .signature = "tttsssiit", .run = conv2dBias, .writes = 1 << 8},
};

}  // namespace

std::span<const vm::BuiltinRow> dnnlFunctions() { return kFunctions; }

Result<Unit> openDnnl() {
  const Result<Dnnl>& found = findDnnl();
  return found ? Result<Unit>(Unit{}) : found.failure();
}

}  // namespace rx::library
