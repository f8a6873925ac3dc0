// sparse_fill_empty_rows: rows of a sparse tensor that have no element get one with a default value.
#include "core/arith/fold.h"
#include "core/op/rules.h"
#include "core/relay/passes/to_relax_rules.h"

namespace rx::relay::translate {

using relax::Expr;

namespace {

const DataType kLong = DataType::Int(64);

/// The first element of a vector, as a vector.
Expr firstOf(CallTranslation& t, const Expr& vector) {
  return t.kernel("first", {vector}, [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    auto element = [&](const te::Indices&) { return in[0]({dim(0)}); };
    return std::vector{l.graph.compute({dim(1)}, element, {"first"})};
  });
}

/// How many elements each row has.
Expr countsOf(CallTranslation& t, const Expr& places, const Dim& rows) {
  return t.kernel("row_counts", {places}, [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const te::Shape shape = l.shapeArg(CallTranslation::shape({rows}));
    const te::IterRef k = te::reduceAxis(in[0].dim(0), "k");
    auto count = [&](const te::Indices& i) {
      return te::sum(arith::cast(kLong, arith::eq(in[0]({te::varOf(k), dim(0)}), i[0])), {k});
    };
    return std::vector{l.graph.compute(shape, count, {"row_counts"})};
  });
}

/// The row of each element of the result: how many rows end before it.
Expr rowsOf(CallTranslation& t, const Expr& ends, const Dim& total) {
  return t.kernel("rows", {ends}, [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const te::Shape shape = l.shapeArg(CallTranslation::shape({total}));
    const te::IterRef k = te::reduceAxis(in[0].dim(0), "k");
    auto row = [&](const te::Indices& i) {
      return te::sum(arith::cast(kLong, arith::le(in[0]({te::varOf(k)}), i[0])), {k});
    };
    return std::vector{l.graph.compute(shape, row, {"rows"})};
  });
}

}  // namespace

/// The elements stand in the order of their rows.
Expr sparseFillEmptyRows(CallTranslation& t) {
  Expr places = t.cast(t.arg(0), kLong), values = t.arg(1);
  const Dim rank = t.dims(places)[1];
  const Dim rows = t.symbolsOf(firstOf(t, t.arg(2))).front();
  if (t.failed()) return places;
  const Expr counts = countsOf(t, places, rows);
  const Expr taken = t.make("maximum", {counts, t.scalar(1, kLong)});
  const Expr ends = t.make("cumsum", {taken, ir::intAttr(0)}), given = t.make("cumsum", {counts, ir::intAttr(0)});
  const Dim total = t.symbolsOf(t.reshape(t.make("sum", {taken}), {dim(1)})).front();
  if (t.failed()) return places;
  const Expr rowOf = rowsOf(t, ends, total);
  // The element of the input that stands at a place of the result, counted back from the end of its row.
  auto source = [](const std::vector<te::Tensor>& in, const tir::PrimExpr& i, const tir::PrimExpr& row) {
    const tir::PrimExpr back = arith::sub(in[1]({row}), i);
    return arith::max(arith::sub(in[2]({row}), back), dim(0));
  };
  const Expr newPlaces =
      t.kernel("filled_places", {rowOf, ends, given, counts, places},
               [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
                 auto element = [&](const te::Indices& i) {
                   const tir::PrimExpr row = in[0]({i[0]});
                   const tir::PrimExpr fresh = op::ifThenElse(arith::eq(i[1], dim(0)), row, dim(0));
                   const tir::PrimExpr old = in[4]({source(in, i[0], row), i[1]});
                   return op::ifThenElse(arith::gt(in[3]({row}), dim(0)), old, fresh);
                 };
                 return std::vector{l.graph.compute({in[0].dim(0), l.inside(rank)}, element, {"filled_places"})};
               });
  const Expr newValues =
      t.kernel("filled_values", {rowOf, ends, given, counts, values, t.arg(3)},
               [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
                 auto element = [&](const te::Indices& i) {
                   const tir::PrimExpr row = in[0]({i[0]});
                   const te::Indices first(in[5].rank(), dim(0));
                   return op::ifThenElse(arith::gt(in[3]({row}), dim(0)), in[4]({source(in, i[0], row)}), in[5](first));
                 };
                 return std::vector{l.graph.compute(in[0].dims(), element, {"filled_values"})};
               });
  const Expr isEmpty = t.make("equal", {counts, t.scalar(0, kLong)});
  return t.tuple({t.cast(newPlaces, CallTranslation::dtype(t.arg(0))), newValues, isEmpty});
}

}  // namespace rx::relay::translate
