// Detection: boxes from predictions and anchors, the boxes above a score.
#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;

namespace {

/// What a place without a box holds; a conversion from float32 as TVM has it, also where it is one already.
PrimExpr noBox(DataType type) { return make<tir::Cast>(type, tir::floatImm(-1, DataType::Float(32))); }

/// Boxes as (top, left, bottom, right) from anchors (left, top, right, bottom) and predictions of the centre and the
/// logarithm of the size, in the order x, y, w, h; scores by softmax over the classes.
Outcome multibox(Lowering& l) {
  Tensor logits = l.arg(0), moves = l.arg(1), anchor = l.arg(2);
  const DataType type = logits.dtype();
  std::vector<double> variances;
  if (const auto* list = as<ir::ArrayAttr>(ir::attrOf(l.call.attrs, "variances"))) {
    for (const NodeRef& item : list->items) {
      const auto* real = as<ir::FloatAttr>(item);
      const auto* integer = as<ir::IntAttr>(item);
      if (real || integer) variances.push_back(real ? real->value : static_cast<double>(integer->value));
    }
  }
  if (logits.rank() != 3 || moves.rank() != 2 || anchor.rank() != 3 || variances.size() != 4)
    return refuse(l.call, "ranks or variances do not fit");
  const bool clip = l.boolAttr("clip");
  auto number = [&](double value) { return tir::floatImm(value, type); };
  Tensor move = reshapeStage(l, moves, {logits.dim(0), logits.dim(2), i64(4)});
  auto corner = [&](const Indices& i) {
    auto side = [&](int64_t k) { return anchor({i64(0), i[1], i64(k)}); };
    auto moved = [&](int64_t k) {
      return arith::mul(move({i[0], i[1], i64(k)}), number(variances[static_cast<size_t>(k)]));
    };
    // 0: along x, 1: along y.
    auto bounds = [&](int64_t axis) {
      PrimExpr centre = arith::mul(arith::add(side(axis), side(axis + 2)), number(0.5));
      PrimExpr length = arith::sub(side(axis + 2), side(axis));
      centre = arith::add(arith::mul(moved(axis), length), centre);
      PrimExpr half = arith::mul(arith::mul(number(0.5), math("exp", moved(axis + 2))), length);
      PrimExpr low = arith::sub(centre, half), high = arith::add(centre, half);
      if (clip) {
        low = arith::max(number(0), arith::min(number(1), low));
        high = arith::max(number(0), arith::min(number(1), high));
      }
      return std::pair(low, high);
    };
    auto [top, bottom] = bounds(1);
    auto [left, right] = bounds(0);
    PrimExpr last = arith::select(arith::eq(i[2], i64(2)), bottom, right);
    return arith::select(arith::eq(i[2], i64(0)), top, arith::select(arith::eq(i[2], i64(1)), left, last));
  };
  Tensor boxes = l.graph.compute({logits.dim(0), logits.dim(2), i64(4)}, corner, {"multibox_boxes", {"b", "a", "k"}});
  Tensor scores = softmaxStage(l, logits, 1);
  Operand threshold = operandOf(number(l.floatAttr("threshold")));
  Tensor above =
      castStage(l, binaryStage(l, operandOf(scores), threshold, arith::ge, "T_greater_equal"), type, "compute");
  scores = binaryStage(l, operandOf(scores), operandOf(above), arith::mul, "T_multiply");
  if (!l.boolAttr("keep_background", true)) {
    Tensor all = scores;
    auto body = [&](const Indices& i) { return ifThenElse(arith::eq(i[1], i64(0)), number(0), all(i)); };
    scores = l.graph.compute(all.dims(), body, {"multibox_scores_bg", {"b", "c", "n"}});
  }
  return l.finish("multibox_transform_loc", {boxes, scores});
}

/// The boxes above a score (and of a class, where one is named) come first; their number, and where they were.
Outcome validCounts(Lowering& l) {
  Tensor data = l.arg(0);
  const int64_t id = l.intAttr("id_index"), score = l.intAttr("score_index", 1);
  if (data.rank() != 3 || !data.dtype().isFloat()) return refuse(l.call, "boxes of floats are needed");
  const DataType type = data.dtype();
  PrimExpr threshold = tir::floatImm(l.floatAttr("score_threshold"), type);
  auto body = [&](const std::vector<Tensor>& out) {
    const Tensor &count = out[0], &boxes = out[1], &places = out[2];
    auto eachNumber = [&](const std::function<tir::Stmt(PrimExpr)>& f) {
      return loopOver(data.dim(2), tir::ForKind::Serial, f);
    };
    auto image = [&](PrimExpr i) -> tir::Stmt {
      auto candidate = [&](PrimExpr j) -> tir::Stmt {
        PrimExpr valid = make<tir::GT>(data({i, j, i64(score)}), threshold);
        if (id >= 0) valid = arith::logicalAnd(valid, make<tir::GE>(data({i, j, i64(id)}), tir::floatImm(0, type)));
        PrimExpr next = count({i});
        tir::Stmt take = steps({eachNumber([&](PrimExpr k) { return store(boxes, {i, next, k}, data({i, j, k})); }),
                                store(places, {i, next}, arith::cast(DataType::Int(32), j)),
                                store(count, {i}, arith::add(next, i32(1)))});
        return when(valid, take);
      };
      auto rest = [&](PrimExpr j) -> tir::Stmt {
        tir::Stmt fill = steps({eachNumber([&](PrimExpr k) { return store(boxes, {i, j, k}, noBox(type)); }),
                                store(places, {i, j}, i32(-1))});
        return when(make<tir::GE>(j, wide(count({i}))), fill);
      };
      return steps({store(count, {i}, i32(0)), loopOver(data.dim(1), tir::ForKind::Serial, candidate),
                    loopOver(data.dim(1), tir::ForKind::Serial, rest)});
    };
    return loopOver(data.dim(0), tir::ForKind::Parallel, image);
  };
  std::vector<std::pair<Shape, DataType>> outputs{
      {{data.dim(0)}, DataType::Int(32)}, {data.dims(), type}, {{data.dim(0), data.dim(1)}, DataType::Int(32)}};
  Form form{"get_valid_counts", {"valid_count", "out_tensor", "out_indices"}};
  return l.finish("get_valid_counts", l.graph.external(outputs, {data}, body, form));
}

constexpr LegalizeRow kRows[] = {
    {"relax.vision.multibox_transform_loc", multibox},
    {"relax.vision.get_valid_counts", validCounts},
};

}  // namespace

std::span<const LegalizeRow> detectionRows() { return kRows; }

}  // namespace rx::legalize
