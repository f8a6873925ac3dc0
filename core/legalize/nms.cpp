// Non-maximum suppression: boxes in the order of their scores, of which those go that overlap a better one too much.
#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;

namespace {

const DataType kInt32 = DataType::Int(32);

/// A conversion from float32 as TVM writes it, also where the type is the same.
PrimExpr converted(DataType type, double value) {
  return make<tir::Cast>(type, tir::floatImm(value, DataType::Float(32)));
}

/// One value of the block's own.
struct Cell {
  Tensor t;
  explicit Cell(DataType type) {
    tir::Buffer buffer;
    buffer.name = Str("buffer");
    buffer.data = make<tir::Var>(buffer.name, DataType::Handle(),
                                 make<tir::PointerType>(make<tir::PrimType>(type), Str("local")));
    buffer.dtype = type;
    buffer.shape = Array<PrimExpr>{i64(1)};
    t.buffer = make<tir::Buffer>(buffer);
  }
  tir::Stmt declare() const { return make<tir::AllocBuffer>(t.buffer); }
  PrimExpr get() const { return t({i64(0)}); }
  tir::Stmt set(PrimExpr value) const { return store(t, {i64(0)}, std::move(value)); }
  tir::Stmt increment() const { return set(arith::add(get(), i32(1))); }
};

struct Nms {
  Tensor data, count, indices, order;
  int64_t maxOutput, topK, coordinate, score, id;
  double overlap, sigma, threshold;
  bool force, returnIndices;

  // Of one image.
  Tensor boxes, places, kept;
  PrimExpr image;

  DataType type() const { return data.dtype(); }
  PrimExpr zero() const { return converted(type(), 0); }
  /// Scores above it count.
  PrimExpr least() const { return converted(type(), sigma > 0 ? threshold : 0); }
  PrimExpr box(const PrimExpr& j, int64_t column) const { return boxes({image, j, i64(column)}); }
  PrimExpr place(const PrimExpr& j) const { return places({image, j}); }
  tir::Stmt setPlace(const PrimExpr& j, PrimExpr value) const { return store(places, {image, j}, std::move(value)); }
  tir::Stmt setScore(const PrimExpr& j, PrimExpr value) const {
    return store(boxes, {image, j, i64(score)}, std::move(value));
  }
  tir::Stmt eachNumber(const std::function<tir::Stmt(PrimExpr)>& body) const { return serial(data.dim(2), body); }
  tir::Stmt eachBox(const std::function<tir::Stmt(PrimExpr)>& body) const { return serial(data.dim(1), body); }
  tir::Stmt clearBox(const PrimExpr& j) const {
    return eachNumber([&](PrimExpr k) { return store(boxes, {image, j, k}, converted(type(), -1)); });
  }
  tir::Stmt clear(const PrimExpr& j) const { return steps({clearBox(j), setPlace(j, i32(-1))}); }

  /// Intersection over union of two boxes, whichever corners they are given by.
  PrimExpr overlapOf(const PrimExpr& a, const PrimExpr& b) const {
    auto low = [&](const PrimExpr& j, int64_t d) {
      return arith::min(box(j, coordinate + d), box(j, coordinate + d + 2));
    };
    auto high = [&](const PrimExpr& j, int64_t d) {
      return arith::max(box(j, coordinate + d), box(j, coordinate + d + 2));
    };
    auto common = [&](int64_t d) {
      return arith::max(zero(), arith::sub(arith::min(high(a, d), high(b, d)), arith::max(low(a, d), low(b, d))));
    };
    auto area = [&](const PrimExpr& j) {
      return arith::mul(arith::sub(high(j, 0), low(j, 0)), arith::sub(high(j, 1), low(j, 1)));
    };
    PrimExpr both = arith::mul(common(1), common(0));
    PrimExpr all = arith::sub(arith::add(area(a), area(b)), both);
    return make<tir::Select>(make<tir::LE>(all, zero()), zero(), arith::div(both, all));
  }
  PrimExpr mayOverlap(const PrimExpr& a, const PrimExpr& b) const {
    if (force || id < 0) return tir::boolImm(true);
    return make<tir::EQ>(box(a, id), box(b, id));
  }
  PrimExpr more(const Cell& found) const {
    PrimExpr below = make<tir::LT>(wide(found.get()), i64(maxOutput));
    return make<tir::Select>(tir::boolImm(maxOutput > 0), below, tir::boolImm(true));
  }
  PrimExpr above(const PrimExpr& j, PrimExpr limit) const { return make<tir::GT>(box(j, score), std::move(limit)); }
  static PrimExpr isPlace(PrimExpr e) { return make<tir::GE>(wide(std::move(e)), i64(0)); }

  tir::Stmt reorder(const Cell& keep) const {
    PrimExpr more = topK > 0 ? PrimExpr(make<tir::GT>(wide(keep.get()), i64(topK))) : tir::boolImm(false);
    auto move = [&](PrimExpr j) -> tir::Stmt {
      PrimExpr from = order({image, j});
      tir::Stmt copy =
          steps({eachNumber([&](PrimExpr k) { return store(boxes, {image, j, k}, data({image, from, k})); }),
                 setPlace(j, from)});
      return when(make<tir::LT>(j, wide(keep.get())), copy, clear(j));
    };
    return steps({keep.declare(), keep.set(count({image})), when(more, keep.set(i32(topK))), eachBox(move)});
  }

  /// A box that stays takes those behind it that overlap it.
  tir::Stmt suppress(const Cell& keep, const Cell& found) const {
    auto candidate = [&](PrimExpr j) -> tir::Stmt {
      auto other = [&](PrimExpr k) -> tir::Stmt {
        tir::Stmt drop = steps({setScore(k, converted(type(), -1)), setPlace(k, i32(-1))});
        drop = when(make<tir::GE>(overlapOf(j, k), tir::floatImm(overlap, type())), drop);
        return when(make<tir::And>(make<tir::GT>(k, j), above(k, least())), when(mayOverlap(j, k), drop));
      };
      tir::Stmt stays = steps({found.increment(), serial(wide(keep.get()), other)});
      return when(make<tir::And>(above(j, least()), more(found)), stays, clear(j));
    };
    return serial(wide(keep.get()), candidate);
  }
  tir::Stmt compactPlaces() const {
    Cell next(kInt32);
    auto take = [&](PrimExpr j) -> tir::Stmt {
      tir::Stmt put = setPlace(next.get(), indices({image, place(j)}));
      return when(isPlace(place(j)), steps({put, next.increment()}));
    };
    auto rest = [&](PrimExpr j) { return when(make<tir::GE>(j, wide(next.get())), setPlace(j, i32(-1))); };
    return steps(
        {next.declare(), next.set(i32(0)), eachBox(take), store(kept, {image, i64(0)}, next.get()), eachBox(rest)});
  }

  /// The soft way: the best box that is left stays, and lowers the scores of those that overlap it.
  tir::Stmt soften(const Cell& keep, const Cell& found, const Cell (&own)[4]) const {
    const Cell &best = own[0], &bestScore = own[1], &oldPlace = own[2], &oldValue = own[3];
    auto consider = [&](PrimExpr j) -> tir::Stmt {
      PrimExpr open = make<tir::And>(make<tir::GE>(j, wide(found.get())), isPlace(place(j)));
      tir::Stmt take = steps({best.set(arith::cast(kInt32, j)), bestScore.set(box(j, score))});
      return when(make<tir::And>(open, above(j, bestScore.get())), take);
    };
    auto swapNumber = [&](PrimExpr k) -> tir::Stmt {
      Indices first{image, found.get(), k}, second{image, best.get(), k};
      return steps(
          {oldValue.set(boxes(first)), store(boxes, first, boxes(second)), store(boxes, second, oldValue.get())});
    };
    tir::Stmt swap = steps({oldPlace.set(place(found.get())), setPlace(found.get(), place(best.get())),
                            setPlace(best.get(), oldPlace.get()), eachNumber(swapNumber)});
    auto lower = [&](PrimExpr j) -> tir::Stmt {
      PrimExpr iou = overlapOf(found.get(), j), limit = tir::floatImm(overlap, type());
      PrimExpr exponent = arith::mul(arith::mul(converted(type(), -0.5 / sigma), iou), iou);
      tir::Stmt decay = steps({setScore(j, arith::mul(box(j, score), math("exp", exponent))),
                               when(make<tir::LE>(box(j, score), least()), setPlace(j, i32(-1)))});
      tir::Stmt change =
          steps({when(make<tir::GE>(iou, limit), setPlace(j, i32(-1))), when(make<tir::LT>(iou, limit), decay)});
      PrimExpr open = make<tir::And>(make<tir::GT>(j, wide(found.get())), isPlace(place(j)));
      return when(make<tir::And>(open, above(j, least())), when(mayOverlap(found.get(), j), change));
    };
    auto round = [&](PrimExpr) -> tir::Stmt {
      tir::Stmt taken = steps(
          {when(make<tir::NE>(best.get(), found.get()), swap), serial(wide(keep.get()), lower), found.increment()});
      return when(more(found), steps({best.set(i32(-1)), bestScore.set(least()), serial(wide(keep.get()), consider),
                                      when(isPlace(best.get()), taken)}));
    };
    return serial(wide(keep.get()), round);
  }
  tir::Stmt afterSoftening(const Cell& found) const {
    auto finish = [&](PrimExpr j) -> tir::Stmt {
      PrimExpr behind = make<tir::GE>(j, wide(found.get()));
      if (!returnIndices) return when(behind, clearBox(j));
      return steps(
          {when(make<tir::LT>(j, wide(found.get())), setPlace(j, indices({image, place(j)}))), when(behind, clear(j))});
    };
    if (!returnIndices) return eachBox(finish);
    return steps({store(kept, {image, i64(0)}, found.get()), eachBox(finish)});
  }

  tir::Stmt statement() {
    return loopOver(data.dim(0), tir::ForKind::Parallel, [&](PrimExpr i) {
      image = std::move(i);
      Cell keep(kInt32), found(kInt32);
      const Cell own[4] = {Cell(kInt32), Cell(type()), Cell(kInt32), Cell(type())};
      std::vector<tir::Stmt> all{reorder(keep), found.declare(), found.set(i32(0))};
      for (const Cell& cell : own) all.push_back(cell.declare());
      if (sigma > 0) {
        all.push_back(soften(keep, found, own));
        all.push_back(afterSoftening(found));
      } else {
        all.push_back(suppress(keep, found));
        if (returnIndices) all.push_back(compactPlaces());
      }
      return steps(all);
    });
  }
};

Tensor validFirst(Lowering& l, const Tensor& boxes, int64_t score) {
  const DataType type = boxes.dtype();
  auto body = [&](const std::vector<Tensor>& out) {
    return loopOver(boxes.dim(0), tir::ForKind::Parallel, [&](PrimExpr i) {
      Cell next(kInt32);
      auto take = [&](PrimExpr j) -> tir::Stmt {
        auto copy = [&](PrimExpr k) { return store(out[0], {i, next.get(), k}, boxes({i, j, k})); };
        PrimExpr valid = make<tir::GE>(boxes({i, j, i64(score)}), converted(type, 0));
        return when(valid, steps({serial(boxes.dim(2), copy), next.increment()}));
      };
      auto rest = [&](PrimExpr j) -> tir::Stmt {
        auto fill = [&](PrimExpr k) { return store(out[0], {i, j, k}, converted(type, -1)); };
        return when(make<tir::GE>(j, wide(next.get())), serial(boxes.dim(2), fill));
      };
      return steps({next.declare(), next.set(i32(0)), serial(boxes.dim(1), take), serial(boxes.dim(1), rest)});
    });
  };
  return l.graph.external({{boxes.dims(), type}}, {boxes}, body, {"rearrange_out", {"rearranged"}}).front();
}

Outcome suppression(Lowering& l) {
  Nms nms;
  nms.data = l.arg(0);
  nms.count = l.arg(1);
  nms.indices = l.arg(2);
  nms.maxOutput = l.intAttr("max_output_size", -1);
  nms.topK = l.intAttr("top_k", -1);
  nms.coordinate = l.intAttr("coord_start", 2);
  nms.score = l.intAttr("score_index", 1);
  nms.id = l.intAttr("id_index");
  nms.overlap = l.floatAttr("iou_threshold", 0.5);
  nms.sigma = l.floatAttr("soft_nms_sigma");
  nms.threshold = l.floatAttr("score_threshold");
  nms.force = l.boolAttr("force_suppress");
  nms.returnIndices = l.boolAttr("return_indices", true);
  const Tensor& data = nms.data;
  if (data.rank() != 3 || !data.dtype().isFloat()) return refuse(l.call, "boxes of floats are needed");
  Shape lines{data.dim(0), data.dim(1)};
  Tensor scores = l.graph.compute(lines, [&](const Indices& i) { return data({i[0], i[1], i64(nms.score)}); },
                                  {"score_tensor", {"i", "j"}});
  nms.order = argsortValidStage(l, scores, nms.count);
  std::vector<std::pair<Shape, DataType>> outputs{{data.dims(), data.dtype()}, {lines, kInt32}};
  if (nms.returnIndices) outputs.push_back({{data.dim(0), i64(1)}, kInt32});
  auto body = [&](const std::vector<Tensor>& out) {
    nms.boxes = out[0];
    nms.places = out[1];
    if (nms.returnIndices) nms.kept = out[2];
    return nms.statement();
  };
  Form form{"non_max_suppression", {"out_data", "out_box_indices", "out_valid_box_count"}};
  std::vector<Tensor> out = l.graph.external(outputs, {data, nms.order, nms.count, nms.indices}, body, form);
  if (nms.returnIndices && nms.sigma > 0) return l.finish("non_max_suppression", out);
  if (nms.returnIndices) return l.finish("non_max_suppression", {out[1], out[2]});
  return l.finish("non_max_suppression", l.boolAttr("invalid_to_bottom") ? validFirst(l, out[0], nms.score) : out[0]);
}

constexpr LegalizeRow kRows[] = {
    {"relax.vision.non_max_suppression", suppression},
};

}  // namespace

std::span<const LegalizeRow> nmsRows() { return kRows; }

}  // namespace rx::legalize
