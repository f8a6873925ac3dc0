// Relations of operators on images, regions and boxes.
#include "core/relay/relations_shared.h"

namespace rx::relay::relation {

namespace {

constexpr DataType kIndex = DataType::Int(32);

/// The image of each region, of one size.
Outcome regionsOf(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto regions = r.tensor(1);
  if (!regions) return r.stop();
  const auto layout = layoutAttr(r, "layout", "NCHW");
  const Dims size = r.dimsAttr("pooled_size");
  if (!layout) return Outcome::Refused;
  if (data->shape.size() != layout->rank() || regions->shape.size() != 2 || size.size() != 2) {
    return r.refuse("an image, a matrix of regions and a size are needed");
  }
  const Dims plain{regions->shape[0], layout->toPlain(data->shape, "NCHW")[1], size[0], size[1]};
  return r.result(layout->fromPlain(plain, "NCHW"), data->dtype);
}

/// The first tensor, of `rank` dimensions; null where the relation has to wait or is refused.
Ref<TensorType> ofRank(Relating& r, size_t rank, Outcome& stop) {
  auto data = r.tensor(0);
  stop = r.stop();
  if (data && data->shape.size() != rank) {
    stop = r.refuse("the first argument has to have " + std::to_string(rank) + " dimensions");
    return nullptr;
  }
  return data;
}

}  // namespace

Outcome RoiAlign(Relating& r) { return regionsOf(r); }
Outcome RoiPool(Relating& r) { return regionsOf(r); }

Outcome AffineGrid(Relating& r) {
  Outcome stop = Outcome::Wait;
  const auto data = ofRank(r, 3, stop);
  const Dims size = r.dimsAttr("target_shape");
  if (!data) return stop;
  if (size.size() != 2) return r.refuse("target_shape has to have two values");
  return r.result({data->shape[0], dim(2), size[0], size[1]}, data->dtype);
}

/// Samples of an image (or a volume) at the points of a grid.
Outcome GridSample(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto grid = r.tensor(1);
  if (!grid) return r.stop();
  const size_t rank = data->shape.size();
  if ((rank != 4 && rank != 5) || grid->shape.size() != rank) return r.refuse("the grid does not fit the image");
  Dims shape{data->shape[0], data->shape[1]};
  shape.insert(shape.end(), grid->shape.begin() + 2, grid->shape.end());
  return r.result(std::move(shape), data->dtype);
}

Outcome CropAndResize(Relating& r) {
  Outcome stop = Outcome::Wait;
  const auto data = ofRank(r, 4, stop);
  if (!data) return stop;
  const auto boxes = r.tensor(1);
  if (!boxes) return r.stop();
  const auto layout = layoutAttr(r, "layout", "NCHW");
  const Dims size = r.dimsAttr("crop_size");
  if (!layout) return Outcome::Refused;
  if (size.size() != 2 || boxes->shape.empty()) return r.refuse("boxes and a crop_size of two values are needed");
  const Dims plain{boxes->shape[0], layout->toPlain(data->shape, "NCHW")[1], size[0], size[1]};
  return r.result(layout->fromPlain(plain, "NCHW"), r.dtypeAttr("out_dtype", data->dtype));
}

Outcome Dilation2D(Relating& r) {
  Outcome stop = Outcome::Wait;
  const auto data = ofRank(r, 4, stop);
  if (!data) return stop;
  const auto weight = r.tensor(1);
  if (!weight) return r.stop();
  const auto layout = layoutAttr(r, "data_layout", "NCHW"), kernel = layoutAttr(r, "kernel_layout", "IHW");
  const auto padding = layout && kernel ? paddingOf(r, 2) : std::nullopt;
  const Dims strides = r.dimsAttr("strides"), dilations = r.dimsAttr("dilations");
  if (!padding) return Outcome::Refused;
  if (weight->shape.size() != 3 || strides.size() != 2 || dilations.size() != 2)
    return r.refuse("the weight or the strides do not fit");
  const Dims shape = layout->toPlain(data->shape, "NCHW"), size = kernel->toPlain(weight->shape, "IHW");
  Dims out{shape[0], shape[1]};
  for (size_t i = 0; i < 2; ++i) {
    const Dim reach = add(mul(sub(size[i + 1], dim(1)), dilations[i]), dim(1));
    out.push_back(add(floorDiv(sub(add(shape[i + 2], (*padding)[i]), reach), strides[i]), dim(1)));
  }
  return r.result(layout->fromPlain(out, "NCHW"), r.dtypeAttr("out_dtype", data->dtype));
}

Outcome MultiboxPrior(Relating& r) {
  Outcome stop = Outcome::Wait;
  const auto data = ofRank(r, 4, stop);
  if (!data) return stop;
  const size_t boxes = r.dimsAttr("sizes").size() + r.dimsAttr("ratios").size() - 1;
  const Dim all = mul(mul(data->shape[2], data->shape[3]), dim(static_cast<int64_t>(boxes)));
  return r.result({dim(1), all, dim(4)}, data->dtype);
}

/// Boxes with class and score, and how many of each image count.
Outcome MultiBoxTransformLoc(Relating& r) {
  Outcome stop = Outcome::Wait;
  const auto scores = ofRank(r, 3, stop);
  if (!scores) return stop;
  const auto anchors = r.tensor(2);
  if (!anchors) return r.stop();
  if (anchors->shape.size() != 3) return r.refuse("anchors have to have three dimensions");
  const Dims boxes{scores->shape[0], anchors->shape[1], dim(6)};
  return r.resultTuple({tensorType(boxes, scores->dtype), tensorType(Dims{scores->shape[0]}, kIndex)});
}

Outcome GetValidCounts(Relating& r) {
  Outcome stop = Outcome::Wait;
  const auto data = ofRank(r, 3, stop);
  if (!data) return stop;
  return r.resultTuple(
      {tensorType(Dims{data->shape[0]}, kIndex), Type(data), tensorType(Dims{data->shape[0], data->shape[1]}, kIndex)});
}

Outcome NonMaximumSuppression(Relating& r) {
  Outcome stop = Outcome::Wait;
  const auto data = ofRank(r, 3, stop);
  if (!data) return stop;
  if (r.intAttr("return_indices", 1) == 0) return r.result(Type(data));
  return r.resultTuple(
      {tensorType(Dims{data->shape[0], data->shape[1]}, kIndex), tensorType(Dims{data->shape[0], dim(1)}, kIndex)});
}

/// Boxes of all classes, by image and class, and how many there are.
Outcome AllClassNonMaximumSuppression(Relating& r) {
  Outcome stop = Outcome::Wait;
  const auto boxes = ofRank(r, 3, stop);
  if (!boxes) return stop;
  const auto scores = r.tensor(1);
  if (!scores) return r.stop();
  if (scores->shape.size() != 3) return r.refuse("scores have to have three dimensions");
  const Dim classes = scores->shape[1], images = boxes->shape[0], count = boxes->shape[1];
  constexpr DataType kLong = DataType::Int(64);
  const Dim each = mul(classes, count);
  if (r.text("output_format") == "onnx") {
    return r.resultTuple({tensorType(Dims{mul(images, each), dim(3)}, kLong), tensorType(Dims{dim(1)}, kLong)});
  }
  return r.resultTuple({tensorType(Dims{images, each, dim(2)}, kLong),
                        tensorType(Dims{images, each}, DataType::Float(32)), tensorType(Dims{images}, kLong)});
}

Outcome RegularNonMaximumSuppression(Relating& r) {
  Outcome stop = Outcome::Wait;
  const auto boxes = ofRank(r, 3, stop);
  if (!boxes) return stop;
  const Dim images = boxes->shape[0], most = dim(r.intAttr("max_detections"));
  return r.resultTuple({tensorType(Dims{images, most, dim(4)}, boxes->dtype),
                        tensorType(Dims{images, most}, boxes->dtype), tensorType(Dims{images, most}, boxes->dtype),
                        tensorType(Dims{images}, boxes->dtype)});
}

Outcome Proposal(Relating& r) {
  Outcome stop = Outcome::Wait;
  const auto data = ofRank(r, 4, stop);
  if (!data) return stop;
  return r.result({mul(data->shape[0], dim(r.intAttr("rpn_post_nms_top_n"))), dim(5)}, data->dtype);
}

Outcome YoloReorg(Relating& r) {
  Outcome stop = Outcome::Wait;
  const auto data = ofRank(r, 4, stop);
  if (!data) return stop;
  const Dim stride = dim(r.intAttr("stride", 1));
  return r.result({data->shape[0], mul(data->shape[1], mul(stride, stride)), floorDiv(data->shape[2], stride),
                   floorDiv(data->shape[3], stride)},
                  data->dtype);
}

/// Real and imaginary parts, as they came.
Outcome DFT(Relating& r) {
  for (size_t i = 0; i < 2; ++i) {
    if (!r.tensor(i)) return r.stop();
  }
  return r.resultTuple({r.type(0), r.type(0)});
}

Outcome Stft(Relating& r) {
  Outcome stop = Outcome::Wait;
  const auto data = ofRank(r, 2, stop);
  if (!data) return stop;
  const Dim window = dim(r.intAttr("n_fft")), hop = dim(r.intAttr("hop_length"));
  const Dim bins = r.intAttr("onesided", 1) != 0 ? add(floorDiv(window, dim(2)), dim(1)) : window;
  const Dim frames = add(floorDiv(sub(data->shape[1], window), hop), dim(1));
  return r.result({data->shape[0], bins, frames, dim(2)}, data->dtype);
}

}  // namespace rx::relay::relation
