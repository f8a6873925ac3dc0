// Operators that TVM 0.25 has no legalization for, and that run here: dropout as inference does it, sampling from
// distributions, marks that say something to passes only.
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
        return store(out[0], at, arith::add(sum, probability(at)));
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

/// Marks mean nothing to a kernel, nor do hints on one device: the value alone counts.
Outcome itself(Lowering& l) { return l.call.args[0]; }

/// A parameter seen with another type is that parameter converted.
Outcome wrapParam(Lowering& l) {
  relax::Expr cast = l.builder.normalize(
      op::makeCall("relax.astype", {l.call.args[0]}, {{"dtype", ir::typeAttr(l.dtypeAttr("dtype"))}}));
  return legalizeCall(*as<relax::Call>(cast), l.builder);
}

/// The gradient has been taken, or is not asked for.
Outcome withoutGradient(Lowering& l) {
  auto kernel = refAs<relax::GlobalVar>(l.call.args[0]);
  const auto* args = l.argCount() > 1 ? as<relax::Tuple>(l.call.args[1]) : nullptr;
  if (!kernel || !args || l.call.sinfoArgs.empty()) return refuse(l.call, "a kernel and its arguments are needed");
  relax::Expr symbols = l.argCount() > 2 ? l.call.args[2] : nullptr;
  return relax::Expr(op::makeCallTir(kernel, args->items.vector(), l.call.sinfoArgs[0], symbols));
}

/// What can not run here says why.
template <const auto& kReason>
Outcome notAvailable(Lowering& l) {
  return refuse(l.call, kReason);
}
constexpr char kDevices[] = "it needs several devices, and a program runs on one CPU here";
constexpr char kPython[] = "it calls a function of Python, which is never run";
constexpr char kLengths[] = "attention over sequences of different lengths in one tensor has no kernel, in TVM neither";

constexpr LegalizeRow kRows[] = {
    {"relax.call_py_func", notAvailable<kPython>, true},
    {"relax.nn.attention_var_len", notAvailable<kLengths>, true},
    {"relax.dist.redistribute", notAvailable<kDevices>, true},
    {"relax.dist.redistribute_replica_to_shard", notAvailable<kDevices>, true},
    {"relax.dist.call_tir_local_view", notAvailable<kDevices>, true},
    {"relax.builtin.stop_lift_params", itself, true},
    {"relax.grad.no_grad", itself, true},
    {"relax.grad.start_checkpoint", itself, true},
    {"relax.grad.end_checkpoint", itself, true},
    {"relax.hint_on_device", itself, true},
    {"relax.wrap_param", wrapParam},
    {"relax.call_tir_with_grad", withoutGradient, true},
    {"relax.nn.dropout", dropout},
    {"relax.multinomial_from_uniform", multinomial},
};

}  // namespace

std::span<const LegalizeRow> ownRows() { return kRows; }

}  // namespace rx::legalize
