// Detection operators.
#include "core/op/families.h"
#include "core/op/rules.h"

namespace rx::op {

namespace {

const DataType kInt32 = DataType::Int(32);
const DataType kInt64 = DataType::Int(64);

Result<Unit> needType(const Call& call, size_t index, DataType type) {
  RX_TRY(info, tensorAt(call, index));
  if (info->dtype.isVoid() || info->dtype == type) return Unit{};
  return refuse(
      call, fmt::format("argument '{}' must be {}, but is {}", argName(call, index), type.str(), info->dtype.str()));
}

Result<Unit> needLength(const Call& call, size_t index, size_t axis, const PrimExpr& length, InferContext& context) {
  RX_TRY(info, tensorAt(call, index));
  const Array<PrimExpr>* dims = dimsOf(*info);
  if (!dims || matchValues((*dims)[axis], length, context) != Match::Different) return Unit{};
  return refuse(call, fmt::format("dimension {} of argument '{}' must be {}, but is {}", axis, argName(call, index),
                                  primText(length), primText((*dims)[axis])));
}

/// The same, and refuses what is not proved equal.
Result<Unit> needSameLength(const Call& call, size_t index, size_t axis, const PrimExpr& length,
                            InferContext& context) {
  RX_TRY(info, tensorAt(call, index));
  const Array<PrimExpr>* dims = dimsOf(*info);
  if (!dims || equalValues((*dims)[axis], length, context)) return Unit{};
  return refuse(call, fmt::format("dimension {} of argument '{}' must be {}, but is {}", axis, argName(call, index),
                                  primText(length), primText((*dims)[axis])));
}

/// Which of the `length` numbers of a box hold its score and its class; -1: no class.
Result<Unit> checkColumns(const Call& call, int64_t length) {
  const int64_t score = intAttr(call, "score_index"), id = intAttr(call, "id_index");
  if (score < 0 || score >= length) {
    return refuse(call, fmt::format("score_index must be in [0, {}), but is {}", length, score));
  }
  if (id < -1 || id >= length) return refuse(call, fmt::format("id_index must be in [-1, {}), but is {}", length, id));
  return Unit{};
}

Inferred inferAllClassNms(const Call& call, InferContext& context) {
  RX_TRY(boxes, tensorAt(call, 0));
  RX_TRY(scores, tensorAt(call, 1));
  RX_CHECK(needRank(call, 0, 3));
  RX_CHECK(needRank(call, 1, 3));
  RX_CHECK(needLength(call, 0, 2, int64(4), context));
  const Device& device = boxes->vdevice;
  const Array<PrimExpr>* b = dimsOf(*boxes);
  const Array<PrimExpr>* s = dimsOf(*scores);
  const bool known = b && s;
  if (strAttr(call, "output_format") == "onnx") {
    StructInfo count = tensor({int64(1)}, kInt64, device);
    if (!known) return relax::tupleSinfo({tensorOfRank(2, kInt64, device), count});
    PrimExpr rows = arith::mul(arith::mul((*b)[0], (*s)[1]), (*b)[1]);
    return relax::tupleSinfo({tensor({simplify(rows, context), int64(3)}, kInt64, device), count});
  }
  if (!known) {
    return relax::tupleSinfo({tensorOfRank(3, kInt64, device), tensorOfRank(2, DataType::Float(32), device),
                              tensorOfRank(1, kInt64, device)});
  }
  const PrimExpr rows = simplify(arith::mul((*s)[1], (*b)[1]), context);
  return relax::tupleSinfo({tensor({(*b)[0], rows, int64(2)}, kInt64, device),
                            tensor({(*b)[0], rows}, DataType::Float(32), device), tensor({(*b)[0]}, kInt64, device)});
}

Inferred inferValidCounts(const Call& call, InferContext&) {
  RX_TRY(data, tensorAt(call, 0));
  RX_CHECK(needRank(call, 0, 3));
  const Array<PrimExpr>* dims = dimsOf(*data);
  if (!dims) {
    return relax::tupleSinfo({tensorOfRank(1, kInt32, data->vdevice), tensorOfRank(3, data->dtype, data->vdevice),
                              tensorOfRank(2, kInt32, data->vdevice)});
  }
  if (const auto length = tir::asInt((*dims)[2])) RX_CHECK(checkColumns(call, *length));
  return relax::tupleSinfo({tensor({(*dims)[0]}, kInt32, data->vdevice), infoAt(call, 0),
                            tensor({(*dims)[0], (*dims)[1]}, kInt32, data->vdevice)});
}

Inferred inferNms(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(valid, tensorAt(call, 1));
  RX_TRY(indices, tensorAt(call, 2));
  RX_CHECK(needRank(call, 0, 3));
  RX_CHECK(needRank(call, 1, 1));
  RX_CHECK(needRank(call, 2, 2));
  RX_CHECK(needType(call, 1, kInt32));
  RX_CHECK(needType(call, 2, kInt32));
  (void)valid;
  (void)indices;
  const Array<PrimExpr>* dims = dimsOf(*data);
  if (dims) {
    RX_CHECK(needSameLength(call, 1, 0, (*dims)[0], context));
    RX_CHECK(needSameLength(call, 2, 0, (*dims)[0], context));
    RX_CHECK(needSameLength(call, 2, 1, (*dims)[1], context));
    if (const auto length = tir::asInt((*dims)[2])) {
      RX_CHECK(checkColumns(call, *length));
      const int64_t coord = intAttr(call, "coord_start");
      if (coord < 0 || coord + 3 >= *length) {
        return refuse(call, fmt::format("coord_start {} leaves no 4 coordinates in {} elements", coord, *length));
      }
    }
  }
  if (!boolAttr(call, "return_indices")) return infoAt(call, 0);
  StructInfo at =
      dims ? tensor({(*dims)[0], (*dims)[1]}, kInt32, data->vdevice) : tensorOfRank(2, kInt32, data->vdevice);
  StructInfo count =
      dims ? tensor({(*dims)[0], int64(1)}, kInt32, data->vdevice) : tensorOfRank(2, kInt32, data->vdevice);
  if (floatAttr(call, "soft_nms_sigma") > 0) return relax::tupleSinfo({infoAt(call, 0), at, count});
  return relax::tupleSinfo({at, count});
}

Inferred inferMultibox(const Call& call, InferContext& context) {
  RX_TRY(infos, tensorsOf(call, 3));
  const TensorStructInfo &scores = *infos[0], &boxes = *infos[1], &anchors = *infos[2];
  RX_CHECK(needRank(call, 0, 3));
  RX_CHECK(needRank(call, 1, 2));
  RX_CHECK(needRank(call, 2, 3));
  for (const TensorStructInfo* info : {&boxes, &anchors}) {
    if (!scores.dtype.isVoid() && !info->dtype.isVoid() && scores.dtype != info->dtype) {
      return refuse(call, fmt::format("all tensors must have one type, but they are {} and {}", scores.dtype.str(),
                                      info->dtype.str()));
    }
  }
  if (!scores.dtype.isVoid() && !scores.dtype.isFloat()) RX_CHECK(needFloat(call, 0));
  const std::vector<int64_t> none;
  RX_CHECK(needLength(call, 2, 0, int64(1), context));
  RX_CHECK(needLength(call, 2, 2, int64(4), context));
  const Array<PrimExpr>* c = dimsOf(scores);
  const Array<PrimExpr>* l = dimsOf(boxes);
  if (l) {
    const auto length = tir::asInt((*l)[1]);
    if (length && *length % 4 != 0)
      return refuse(call, fmt::format("dimension 1 of argument 'loc_pred' must be divisible by 4, but is {}", *length));
  }
  if (!c) {
    return relax::tupleSinfo(
        {tensorOfRank(3, boxes.dtype, scores.vdevice), tensorOfRank(3, scores.dtype, scores.vdevice)});
  }
  RX_CHECK(needLength(call, 1, 0, (*c)[0], context));
  RX_CHECK(needLength(call, 1, 1, arith::mul((*c)[2], int64(4)), context));
  RX_CHECK(needLength(call, 2, 1, (*c)[2], context));
  return relax::tupleSinfo({tensor({(*c)[0], (*c)[2], int64(4)}, boxes.dtype, scores.vdevice), infoAt(call, 0)});
}

Inferred inferRoi(const Call& call, InferContext& context, bool channelsLast) {
  RX_TRY(data, tensorAt(call, 0));
  RX_TRY(rois, tensorAt(call, 1));
  RX_CHECK(needRank(call, 0, 4));
  RX_CHECK(needRank(call, 1, 2));
  const std::string_view layout = strAttr(call, "layout");
  if (layout != "NCHW" && !(channelsLast && layout == "NHWC")) {
    return refuse(call, fmt::format("layout must be NCHW{}, but is '{}'", channelsLast ? " or NHWC" : "", layout));
  }
  RX_CHECK(needLength(call, 1, 1, int64(5), context));
  const Dims size = dimsAttr(call, "pooled_size");
  if (size.size() != 2) return refuse(call, "pooled_size must have 2 items");
  const Array<PrimExpr>* dims = dimsOf(*data);
  const Array<PrimExpr>* boxes = dimsOf(*rois);
  if (!dims || !boxes) return tensorOfRank(4, data->dtype, data->vdevice);
  if (layout == "NHWC") return tensor({(*boxes)[0], size[0], size[1], (*dims)[3]}, data->dtype, data->vdevice);
  return tensor({(*boxes)[0], (*dims)[1], size[0], size[1]}, data->dtype, data->vdevice);
}

Inferred inferRoiAlign(const Call& call, InferContext& context) { return inferRoi(call, context, true); }
Inferred inferRoiPool(const Call& call, InferContext& context) { return inferRoi(call, context, false); }

/// One length is height and width.
Result<Unit> makeRoi(BoundCall& bound, InferContext&) {
  const auto* list = as<ir::ArrayAttr>(bound.get("pooled_size"));
  if (list && list->items.size() == 1) bound.set("pooled_size", ir::arrayAttr({list->items[0], list->items[0]}));
  return Unit{};
}

constexpr OpSpec kRows[] = {
    {"relax.vision.all_class_non_max_suppression",
     "boxes: expr, scores: expr, max_output_boxes_per_class: expr, iou_threshold: expr, score_threshold: expr, "
     "output_format: str = 'onnx'",
     inferAllClassNms, "Suppression of overlapping boxes, class by class."},
    {"relax.vision.get_valid_counts",
     "data: expr, score_threshold: float = 0.0, id_index: int = 0, score_index: int = 1", inferValidCounts,
     "Boxes above a score, with their number."},
    {"relax.vision.non_max_suppression",
     "data: expr, valid_count: expr, indices: expr, max_output_size: int = -1, iou_threshold: float = 0.5, "
     "force_suppress: bool = False, top_k: int = -1, coord_start: int = 2, score_index: int = 1, id_index: int = 0, "
     "return_indices: bool = True, invalid_to_bottom: bool = False, soft_nms_sigma: float = 0.0, "
     "score_threshold: float = 0.0",
     inferNms, "Suppression of overlapping boxes."},
    {"relax.vision.multibox_transform_loc",
     "cls_pred: expr, loc_pred: expr, anchor: expr, clip: bool = False, threshold: float = 0.0, "
     "variances: floats = [1.0, 1.0, 1.0, 1.0], keep_background: bool = True, apply_softmax: bool = True",
     inferMultibox, "Boxes from predictions and anchors."},
    {"relax.vision.roi_align",
     "data: expr, rois: expr, pooled_size: ints, spatial_scale: float, sample_ratio: int = -1, aligned: bool = False, "
     "layout: str = 'NCHW', mode: str = 'avg'",
     inferRoiAlign, "Regions sampled to one size.", makeRoi},
    {"relax.vision.roi_pool", "data: expr, rois: expr, pooled_size: ints, spatial_scale: float, layout: str = 'NCHW'",
     inferRoiPool, "Regions pooled to one size.", makeRoi},
};

}  // namespace

std::span<const OpSpec> visionOps() { return kRows; }

}  // namespace rx::op
