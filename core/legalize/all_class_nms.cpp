// Non-maximum suppression class by class: the boxes that stay, as rows (image, class, box) or image by image.
#include <algorithm>

#include "core/legalize/families.h"
#include "core/op/make_call.h"

namespace rx::legalize {

using namespace te;

namespace {

const DataType kInt32 = DataType::Int(32);

/// The number that a tensor of one element holds.
PrimExpr single(const Tensor& t) { return t(Indices(t.rank(), i64(0))); }

struct AllClass {
  Tensor boxes, scores, order;  ///< scores and order: one line an image and class, best first
  Tensor overlap, threshold;
  PrimExpr most;  ///< boxes of a class that may stay, int64
  PrimExpr classes, boxCount;

  PrimExpr side(const PrimExpr& line, const PrimExpr& j, int64_t column) const {
    return boxes({arith::floorDiv(line, classes), wide(order({line, j})), i64(column)});
  }
  PrimExpr overlapOf(const PrimExpr& line, const PrimExpr& a, const PrimExpr& b) const {
    auto low = [&](const PrimExpr& j, int64_t d) { return arith::min(side(line, j, d), side(line, j, d + 2)); };
    auto high = [&](const PrimExpr& j, int64_t d) { return arith::max(side(line, j, d), side(line, j, d + 2)); };
    PrimExpr zero = arith::constantInt(boxes.dtype(), 0);
    auto common = [&](int64_t d) {
      return arith::max(zero, arith::sub(arith::min(high(a, d), high(b, d)), arith::max(low(a, d), low(b, d))));
    };
    auto area = [&](const PrimExpr& j) {
      return arith::mul(arith::sub(high(j, 0), low(j, 0)), arith::sub(high(j, 1), low(j, 1)));
    };
    PrimExpr both = arith::mul(common(1), common(0));
    PrimExpr all = arith::sub(arith::add(area(a), area(b)), both);
    return arith::select(arith::le(all, zero), zero, arith::div(both, all));
  }

  /// Writes what stays (numbers of boxes), its scores, its number; `live` holds scores, -1 for what is gone.
  tir::Stmt statement(const std::vector<Tensor>& out) const {
    const Tensor &stays = out[0], &kept = out[1], &count = out[2], &live = out[3];
    PrimExpr none = arith::constantInt(scores.dtype(), -1), zero = arith::constantInt(scores.dtype(), 0);
    PrimExpr limit = single(threshold), least = single(overlap);
    return serial(scores.dim(0), [&](PrimExpr line) {
      auto copy = [&](PrimExpr j) -> tir::Stmt {
        return steps(
            {store(live, {line, j}, scores({line, j})), store(stays, {line, j}, i32(0)), store(kept, {line, j}, zero)});
      };
      auto candidate = [&](PrimExpr j) -> tir::Stmt {
        auto drop = [&](PrimExpr k) -> tir::Stmt {
          PrimExpr open = arith::logicalAnd(arith::gt(k, j), arith::gt(live({line, k}), zero));
          open = arith::logicalAnd(open, arith::gt(live({line, k}), limit));
          return when(open, when(arith::ge(overlapOf(line, j, k), least), store(live, {line, k}, none)));
        };
        PrimExpr next = count({line});
        tir::Stmt take =
            steps({store(stays, {line, next}, order({line, j})), store(kept, {line, next}, live({line, j})),
                   store(count, {line}, arith::add(next, i32(1))), serial(boxCount, drop)});
        PrimExpr open = arith::logicalAnd(arith::gt(live({line, j}), none), arith::lt(wide(next), most));
        return when(arith::logicalAnd(open, arith::gt(live({line, j}), limit)), take);
      };
      tir::Stmt choose = when(arith::gt(least, arith::constantInt(overlap.dtype(), 0)), serial(boxCount, candidate));
      return steps({serial(boxCount, copy), store(count, {line}, i32(0)), choose});
    });
  }
};

/// Rows (image, class, box) of all that stays, one after another, and their number.
tir::Stmt collectRows(const AllClass& nms, const std::vector<Tensor>& found, const std::vector<Tensor>& out) {
  const Tensor &rows = out[0], &total = out[1];
  Indices first{i64(0)};
  auto clear = [&](PrimExpr r) { return serial(i64(3), [&](PrimExpr c) { return store(rows, {r, c}, i64(0)); }); };
  auto collect = [&](PrimExpr line) {
    return serial(wide(found[2]({line})), [&](PrimExpr k) {
      PrimExpr row = total(first);
      return steps({store(rows, {row, i64(0)}, arith::floorDiv(line, nms.classes)),
                    store(rows, {row, i64(1)}, arith::floorMod(line, nms.classes)),
                    store(rows, {row, i64(2)}, wide(found[0]({line, k}))),
                    store(total, first, arith::add(row, i64(1)))});
    });
  };
  return steps({serial(rows.dim(0), clear), store(total, first, i64(0)), serial(nms.scores.dim(0), collect)});
}

/// The same image by image: (class, box), the score, the number.
tir::Stmt collectImages(const AllClass& nms, const std::vector<Tensor>& found, const std::vector<Tensor>& out) {
  const Tensor &pairs = out[0], &scores = out[1], &total = out[2];
  return serial(pairs.dim(0), [&](PrimExpr image) {
    auto clear = [&](PrimExpr r) {
      return steps({store(pairs, {image, r, i64(0)}, i64(0)), store(pairs, {image, r, i64(1)}, i64(0)),
                    store(scores, {image, r}, arith::constantInt(scores.dtype(), 0))});
    };
    auto collect = [&](PrimExpr c) {
      PrimExpr line = arith::add(arith::mul(image, nms.classes), c);
      return serial(wide(found[2]({line})), [&](PrimExpr k) {
        PrimExpr row = total({image});
        return steps({store(pairs, {image, row, i64(0)}, c),
                      store(pairs, {image, row, i64(1)}, wide(found[0]({line, k}))),
                      store(scores, {image, row}, arith::cast(scores.dtype(), found[1]({line, k}))),
                      store(total, {image}, arith::add(row, i64(1)))});
      });
    };
    return steps({serial(pairs.dim(1), clear), store(total, {image}, i64(0)), serial(nms.classes, collect)});
  });
}

/// A kernel that gives two numbers, as a slice takes them; `of`: the tensor that they are made from, or null.
Outcome pairOf(const relax::Call& original, build::BlockBuilder& builder, std::string_view name, const relax::Expr& of,
               const std::function<PrimExpr(const Tensor&, const PrimExpr&)>& body) {
  relax::StructInfo info = relax::tensorSinfo(std::vector<PrimExpr>{i64(2)}, DataType::Int(64));
  std::vector<relax::Expr> args;
  if (of) args.push_back(of);
  Ref<relax::Call> made =
      make<relax::Call>(original.op, Array<relax::Expr>(args), nullptr, Array<relax::StructInfo>(), info);
  const relax::Call& call = *made;
  Lowering l(call, builder);
  Tensor from = of ? l.arg(0) : Tensor();
  Tensor pair = l.graph.compute({i64(2)}, [&](const Indices& i) { return body(from, i[0]); },
                                {std::string(name.substr(name.find('_') + 1)), {"i"}});
  return l.finish(name, pair);
}

/// The rows that hold something.
Outcome trimmed(Lowering& l, const relax::Expr& both) {
  build::BlockBuilder& builder = l.builder;
  relax::Expr rows = builder.emit(make<relax::TupleGetItem>(both, 0));
  relax::Expr total = builder.emit(make<relax::TupleGetItem>(both, 1));
  RX_TRY(begin, pairOf(l.call, builder, "build_begin", nullptr, [](const Tensor&, const PrimExpr&) { return i64(0); }));
  relax::Expr from = builder.emit(begin);
  RX_TRY(end, pairOf(l.call, builder, "build_end", total, [](const Tensor& count, const PrimExpr& i) {
           return ifThenElse(arith::eq(i, i64(0)), count({i64(0)}), i64(3));
         }));
  relax::Expr to = builder.emit(end);
  RX_TRY(stride,
         pairOf(l.call, builder, "build_strides", nullptr, [](const Tensor&, const PrimExpr&) { return i64(1); }));
  relax::Expr step = builder.emit(stride);
  relax::Expr slice = builder.normalize(op::makeCall("relax.dynamic_strided_slice", {rows, from, to, step}));
  RX_TRY(part, legalizeCall(*as<relax::Call>(slice), builder));
  relax::Expr kept = builder.emit(part);
  return relax::Expr(
      make<relax::Tuple>(Array<relax::Expr>{kept, total}, relax::tupleSinfo({kept->sinfo, total->sinfo})));
}

Outcome allClass(Lowering& l) {
  for (const relax::Expr& arg : l.call.args) {
    if (!Lowering::tensorInfo(arg)) return refuse(l.call, "tensors are needed");
  }
  Tensor boxes = l.arg(0), scores = l.arg(1);
  const auto* constant = as<relax::Constant>(l.call.args[2]);
  const bool known = constant && constant->data && constant->data->count() == 1 && constant->data->dtype().isIntegral();
  Tensor given = known ? Tensor() : l.arg(2);
  Tensor overlap = l.arg(3), threshold = l.arg(4);
  if (boxes.rank() != 3 || scores.rank() != 3 || !boxes.dtype().isFloat() || !scores.dtype().isFloat())
    return refuse(l.call, "boxes and scores of floats with 3 dimensions are needed");
  for (const Tensor& number : {overlap, threshold}) {
    if (number.rank() > 1 || !number.dtype().isFloat()) return refuse(l.call, "a threshold has to be one float");
  }
  if (given && (given.rank() > 1 || !given.dtype().isIntegral()))
    return refuse(l.call, "the largest number of boxes has to be one integer");
  AllClass nms;
  nms.boxes = boxes;
  nms.classes = scores.dim(1);
  nms.boxCount = scores.dim(2);
  nms.overlap = overlap;
  nms.threshold = threshold;
  nms.most = known ? i64(std::max<int64_t>(constant->data->intAt(0), 0)) : wide(single(given));
  PrimExpr lines = l.analyzer.simplify(arith::mul(scores.dim(0), scores.dim(1)));
  Tensor flat = reshapeStage(l, scores, {lines, scores.dim(2)});
  nms.order = argsortStage(l, flat, 1, false, kInt32);
  nms.scores =
      l.graph.compute(flat.dims(), [&](const Indices& i) { return flat({i[0], wide(nms.order(i))}); }, {"T_gather"});
  using Outputs = std::vector<std::pair<Shape, DataType>>;
  Outputs work{{flat.dims(), kInt32}, {flat.dims(), scores.dtype()}, {{lines}, kInt32}, {flat.dims(), scores.dtype()}};
  std::vector<Tensor> inputs{boxes, nms.scores, nms.order, overlap, threshold};
  if (given) inputs.push_back(given);
  std::vector<Tensor> found = l.graph.external(
      work, inputs, [&](const std::vector<Tensor>& out) { return nms.statement(out); }, {"all_class_nms"});
  const DataType index = DataType::Int(64);
  if (l.strAttr("output_format") == "tensorflow") {
    PrimExpr perImage = l.analyzer.simplify(arith::mul(nms.classes, nms.boxCount));
    Outputs results{{{scores.dim(0), perImage, i64(2)}, index},
                    {{scores.dim(0), perImage}, DataType::Float(32)},
                    {{scores.dim(0)}, index}};
    auto body = [&](const std::vector<Tensor>& out) { return collectImages(nms, found, out); };
    return l.finish("all_class_non_max_suppression",
                    l.graph.external(results, found, body, {"collect_indices_and_scores"}));
  }
  PrimExpr each = known ? nms.most : nms.boxCount;
  Outputs results{{{l.analyzer.simplify(arith::mul(lines, each)), i64(3)}, index}, {{i64(1)}, index}};
  auto body = [&](const std::vector<Tensor>& out) { return collectRows(nms, found, out); };
  RX_TRY(both, l.finish("all_class_non_max_suppression", l.graph.external(results, found, body, {"collect_indices"})));
  return trimmed(l, l.builder.emit(both));
}

constexpr LegalizeRow kRows[] = {
    {"relax.vision.all_class_non_max_suppression", allClass},
};

}  // namespace

std::span<const LegalizeRow> allClassRows() { return kRows; }

}  // namespace rx::legalize
