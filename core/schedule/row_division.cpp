#include "core/schedule/row_division.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/new_buffer.h"
#include "core/lower/statements.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Vectors of a row from which on one division and a question are less than a division each.
constexpr int64_t kFewVectors = 4;
/// Where both a number and its reciprocal are normal.
constexpr double kLeast = 0x1p-126, kMost = 0x1p126;

const DataType kFloat = DataType::Float(32);

/// Whether the expression reads a sum of the row, or what a stage without axes made of one, among the first stages.
bool readsSum(const RowGroup& group, size_t count, const PrimExpr& expr) {
  std::vector<const Buffer*> sums;
  const auto readsOne = [&](const PrimExpr& value) {
    bool found = false;
    walk(*value, Into::Parts, [&](const Node& node) {
      const auto* load = as<BufferLoad>(&node);
      found = found || (load && std::find(sums.begin(), sums.end(), load->buffer.get()) != sums.end());
      return !found && !isa<Buffer>(&node);
    });
    return found;
  };
  for (const Stage& stage : std::span(group.stages).first(count)) {
    const auto reduction = reductionOf(stage);
    const bool adds = reduction && reduction->kind == Kind::tir_Add;
    if (adds || (stage.axes.empty() && !stage.reduces() && readsOne(stage.value))) sums.push_back(stage.buffer.get());
  }
  return readsOne(expr);
}

/// Whether it is the same at every place of the stage, and nothing that the stage stores.
bool isOfRow(const Stage& stage, const PrimExpr& expr) {
  const bool along = std::any_of(stage.axes.begin(), stage.axes.end(),
                                 [&](const StageAxis& axis) { return lower::uses(expr, axis.var.get()); });
  bool own = false;
  walk(*expr, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    own = own || (load && load->buffer == stage.buffer);
    return !isa<Buffer>(&node);
  });
  return !along && !own;
}

}  // namespace

std::optional<RowDivision> divisionOfRow(const RowGroup& group, size_t number, int64_t perVector) {
  const Stage& stage = group.stages[number];
  if (stage.reduces() || stage.axes.empty() || stage.usualSteps(false) < kFewVectors * perVector) return std::nullopt;
  PrimExpr divisor;
  walk(*stage.value, Into::Parts, [&](const Node& node) {
    const auto* quotient = as<Div>(&node);
    if (!divisor && quotient && quotient->dtype == kFloat && isOfRow(stage, quotient->b) &&
        readsSum(group, number, quotient->b))
      divisor = quotient->b;
    return !divisor && !isa<Buffer>(&node);
  });
  if (!divisor) return std::nullopt;
  const DataType index = stage.axes.front().var->dtype;
  const PrimExpr first = arith::constantInt(index, 0);
  const BufferRef reciprocal =
      lower::newBuffer(Str("reciprocal"), kFloat, Array<PrimExpr>(std::vector{arith::constantInt(index, 1)}));
  const auto bound = [](double value) { return arith::constant(kFloat, value); };
  RowDivision made{divisor, reciprocal, stage,
                   arith::logicalAnd(arith::ge(divisor, bound(kLeast)), arith::le(divisor, bound(kMost))),
                   storeTo(reciprocal, {first}, arith::div(bound(1), divisor))};
  made.stage.value =
      cast<ExprNode>(rewriteNodes(stage.value, Into::Parts, nullptr, [&](const NodeRef& node) -> NodeRef {
        const auto* quotient = as<Div>(node.get());
        if (!quotient || !arith::sameExpr(quotient->b, divisor)) return node;
        return arith::mul(quotient->a, elementOf(reciprocal, {first}));
      }));
  return made;
}

}  // namespace rx::schedule
