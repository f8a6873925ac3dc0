// Relations of convolutions and products whose operands were rearranged for a processor, and of sparse ones.
#include "core/relay/relations_shared.h"

namespace rx::relay::relation {

namespace {

/// A convolution whose weight may be in any form: its size is stated.
Outcome packedConvolution(Relating& r, std::string_view plain) {
  const auto input = r.tensor(0);
  if (!input) return r.stop();
  const auto data = layoutAttr(r, "data_layout", plain);
  const auto out = !data ? std::nullopt : r.text("out_layout").empty() ? data : layoutAttr(r, "out_layout", plain);
  const size_t spatial = plain.size() - 2;
  const auto padding = out ? paddingOf(r, spatial) : std::nullopt;
  if (!padding) return Outcome::Refused;
  const Dims kernel = r.dimsAttr("kernel_size"), strides = r.dimsAttr("strides"), dilation = r.dimsAttr("dilation");
  if (r.isNone("channels") || kernel.size() != spatial || strides.size() != spatial || dilation.size() != spatial) {
    return r.refuse("channels, kernel_size, strides and dilation have to be stated");
  }
  if (input->shape.size() != data->rank()) return r.refuse("the data does not fit its layout");
  const Dims shape = data->toPlain(input->shape, plain);
  Dims result{shape[0], r.dimAttr("channels")};
  for (size_t i = 0; i < spatial; ++i) {
    const Dim reach = add(mul(sub(kernel[i], dim(1)), dilation[i]), dim(1));
    result.push_back(add(floorDiv(sub(add(shape[i + 2], (*padding)[i]), reach), strides[i]), dim(1)));
  }
  return r.result(out->fromPlain(result, plain), r.dtypeAttr("out_dtype", input->dtype));
}

/// Transformed weights of Winograd's method: tiles of kernels in `count` axes, then the channels.
Outcome winogradWeight(Relating& r, size_t count) {
  const auto weight = r.tensor(0);
  if (!weight) return r.stop();
  if (weight->shape.size() != count + 2)
    return r.refuse("the weight has to have channels and " + std::to_string(count) + " axes");
  const Dim tile = dim(r.intAttr("tile_size"));
  Dims shape;
  for (size_t i = 0; i < count; ++i) shape.push_back(sub(add(tile, weight->shape[i + 2]), dim(1)));
  shape.push_back(weight->shape[0]);
  shape.push_back(weight->shape[1]);
  return r.result(std::move(shape), weight->dtype);
}

}  // namespace

Outcome PackedConv2D(Relating& r) { return packedConvolution(r, "NCHW"); }
Outcome PackedConv3D(Relating& r) { return packedConvolution(r, "NCDHW"); }
Outcome Conv2DWinogradWeight(Relating& r) { return winogradWeight(r, 2); }
Outcome Conv3DWinogradWeight(Relating& r) { return winogradWeight(r, 3); }

/// The offsets of the kernel's points come as an image of their own.
Outcome DeformableConv2D(Relating& r) {
  const auto input = r.tensor(0);
  if (!input) return r.stop();
  const auto data = layoutAttr(r, "data_layout", "NCHW");
  const auto kernel = data ? layoutAttr(r, "kernel_layout", "OIHW") : std::nullopt;
  const auto out = !kernel ? std::nullopt : r.text("out_layout").empty() ? data : layoutAttr(r, "out_layout", "NCHW");
  const auto padding = out ? paddingOf(r, 2) : std::nullopt;
  const Dims strides = r.dimsAttr("strides"), dilation = r.dimsAttr("dilation");
  if (!padding || input->shape.size() != data->rank() || strides.size() != 2 || dilation.size() != 2) {
    return padding ? r.refuse("the data or its strides do not fit the layout") : Outcome::Refused;
  }
  const Dims shape = data->toPlain(input->shape, "NCHW");
  Dims size = r.dimsAttr("kernel_size");
  Dim channels;
  if (!r.isNone("kernel_size") && !r.isNone("channels")) {
    channels = r.dimAttr("channels");
    const Dims weight{channels, floorDiv(shape[1], dim(r.intAttr("groups", 1))), size[0], size[1]};
    const auto given = r.isKnown(2) ? r.tensor(2) : nullptr;
    const DataType dtype = given ? given->dtype : input->dtype;
    if (!r.assign(2, tensorType(kernel->fromPlain(weight, "OIHW"), dtype))) return Outcome::Refused;
  } else {
    const auto given = r.tensor(2);
    if (!given) return r.stop();
    const Dims weight = kernel->toPlain(given->shape, "OIHW");
    channels = weight[0];
    size = {weight[2], weight[3]};
  }
  Dims result{shape[0], channels};
  for (size_t i = 0; i < 2; ++i) {
    const Dim reach = add(mul(sub(size[i], dim(1)), dilation[i]), dim(1));
    result.push_back(add(floorDiv(sub(add(shape[i + 2], (*padding)[i]), reach), strides[i]), dim(1)));
  }
  const Dim points = mul(mul(dim(2), mul(size[0], size[1])), dim(r.intAttr("deformable_groups", 1)));
  const Dims offsets{shape[0], points, result[2], result[3]};
  if (!r.assign(1, tensorType(data->fromPlain(offsets, "NCHW"), input->dtype))) return Outcome::Refused;
  return r.result(out->fromPlain(result, "NCHW"), r.dtypeAttr("out_dtype", input->dtype));
}

/// The weight in blocks of rows: (rows / block, columns, block).
Outcome DensePack(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto weight = r.tensor(1);
  if (!weight) return r.stop();
  if (weight->shape.size() != 3 || data->shape.empty()) return r.refuse("the weight has to have three dimensions");
  Dims shape(data->shape.begin(), data->shape.end());
  shape.back() = mul(weight->shape[0], weight->shape[2]);
  return r.result(std::move(shape), r.dtypeAttr("out_dtype", data->dtype));
}

/// A product with a matrix in compressed rows, or blocks of them: data, its columns, where rows begin.
Outcome SparseDense(Relating& r) {
  const bool onLeft = r.intAttr("sparse_lhs") != 0;
  const auto dense = r.tensor(onLeft ? 3 : 0);
  if (!dense) return r.stop();
  const auto values = r.tensor(onLeft ? 0 : 1);
  if (!values) return r.stop();
  const auto starts = r.tensor(onLeft ? 2 : 3);
  if (!starts) return r.stop();
  if (dense->shape.size() != 2 || starts->shape.size() != 1 || values->shape.empty()) {
    return r.refuse("a matrix, values and a vector of row starts are needed");
  }
  const Dim block = values->shape.size() == 3 ? values->shape[1] : dim(1);
  const Dim rows = mul(sub(starts->shape[0], dim(1)), block);
  return onLeft ? r.result({rows, dense->shape[1]}, dense->dtype) : r.result({dense->shape[0], rows}, dense->dtype);
}

/// Channels of the result are the rows of blocks; the image keeps its size.
Outcome SparseConv2d(Relating& r) {
  const auto data = r.tensor(0), values = r.tensor(1), starts = r.tensor(3);
  if (!data || !values || !starts) return r.stop();
  const bool isFirst = r.text("layout") == "NCHW";
  if (!isFirst && r.text("layout") != "NHWC") return r.refuse("the layout has to be NHWC or NCHW");
  const bool isBlocks = values->shape.size() == 2 || values->shape.size() == 3;
  if (data->shape.size() != 4 || starts->shape.size() != 1 || !isBlocks) {
    return r.refuse("an image, blocks of values and a vector of row starts are needed");
  }
  Dims shape = data->shape.vector();
  shape[isFirst ? 1 : 3] = mul(sub(starts->shape[0], dim(1)), values->shape[1]);
  return r.result(std::move(shape), data->dtype);
}

/// Values, columns and row starts, of the types that they had.
Outcome SparseTranspose(Relating& r) {
  std::vector<Type> items;
  for (size_t i = 0; i < 3; ++i) {
    if (!r.tensor(i)) return r.stop();
    items.push_back(r.type(i));
  }
  return r.resultTuple(std::move(items));
}

/// The dense operand is the first.
Outcome SparseAdd(Relating& r) { return r.isKnown(0) ? r.result(r.type(0)) : Outcome::Wait; }

/// The same shape for the numbers behind the rows: their indices and the new dense shape.
Outcome SparseReshape(Relating& r) {
  const auto indices = r.tensor(0);
  if (!indices) return r.stop();
  const auto shape = r.tensor(2);
  if (!shape) return r.stop();
  if (indices->shape.size() != 2 || shape->shape.size() != 1)
    return r.refuse("indices have to be a matrix, the shape a vector");
  return r.resultTuple({tensorType(Dims{indices->shape[0], shape->shape[0]}, indices->dtype),
                        tensorType(Dims{shape->shape[0]}, shape->dtype)});
}

}  // namespace rx::relay::relation
