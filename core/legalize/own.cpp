// Operators that TVM 0.25 has no legalization for, and that run here: dropout as inference does it, sampling from
// distributions.
#include "core/legalize/families.h"
#include "core/op/make_call.h"

namespace rx::legalize {

using namespace te;

namespace {

/// Nothing is dropped: the data itself and a mask of ones.
Outcome dropout(Lowering& l) {
  relax::Expr ones = l.builder.normalize(op::makeCall("relax.ones_like", {l.call.args[0]}));
  RX_TRY(mask, legalizeCall(*as<relax::Call>(ones), l.builder));
  if (!mask) return relax::Expr();
  return relax::Expr(make<relax::Tuple>(Array<relax::Expr>{l.call.args[0], l.builder.emit(mask)}, l.call.sinfo));
}

/// The first place of a row at which the running sum of its probabilities is above a uniform number; the last place
/// where rounding leaves the sum below it.
Outcome multinomial(Lowering& l) {
  Tensor probability = l.tensor(l.call.args[0], true), uniform = l.arg(1), rows = l.arg(2);
  const DataType type = l.resultType(), count = DataType::Int(64);
  if (!type.isIntegral()) return refuse(l.call, "the result has to be integers");
  PrimExpr length = probability.dim(1);
  if (arith::isZero(length)) return refuse(l.call, "there is nothing to sample from");
  auto prefixes = [&](const std::vector<Tensor>& out) {
    return loopOver(probability.dim(0), tir::ForKind::Parallel, [&](PrimExpr i) {
      return loopOver(length, tir::ForKind::Serial, [&](PrimExpr k) -> tir::Stmt {
        Indices at{i, k}, before{i, arith::sub(k, i64(1))};
        PrimExpr sum = ifThenElse(arith::gt(k, i64(0)), out[0](before), arith::constantInt(probability.dtype(), 0));
        return make<tir::BufferStore>(out[0].buffer, arith::add(sum, probability(at)), Array<PrimExpr>(at));
      });
    });
  };
  Tensor sums =
      l.graph.external({{probability.dims(), probability.dtype()}}, {probability}, prefixes, {"running_sum"}).front();
  IterRef k = reduceAxis(length, "k");
  auto below = [&](const Indices& i) {
    PrimExpr passed = arith::le(sums({rows(i), varOf(k)}), uniform(i));
    return sum(arith::cast(count, passed), {k});
  };
  Tensor place = l.graph.compute(uniform.dims(), below, {"places_below"});
  auto inRow = [&](const Indices& i) { return arith::cast(type, arith::min(place(i), arith::sub(length, i64(1)))); };
  return l.finish("multinomial_from_uniform", l.graph.compute(uniform.dims(), inRow, {"multinomial"}));
}

constexpr LegalizeRow kRows[] = {
    {"relax.nn.dropout", dropout},
    {"relax.multinomial_from_uniform", multinomial},
};

}  // namespace

std::span<const LegalizeRow> ownRows() { return kRows; }

}  // namespace rx::legalize
