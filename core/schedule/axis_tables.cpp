#include "core/schedule/axis_tables.h"

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/new_buffer.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Steps of an axis from which on a table would push from the nearest cache what is read by it, and how often each step
/// is made at least for a table to pay.
constexpr int64_t kMostSteps = 1024, kLeastUses = 4;
/// Nodes of an expression that are looked at, and tables of a stage.
constexpr int kMostNodes = 64;
constexpr size_t kMostTables = 8;

/// Whether it may fail: a division of integers by another thing than a number.
bool mayFail(const Node& node) {
  const auto* both = as<BinaryNode>(&node);
  const bool divides = node.kind() == Kind::tir_Div || node.kind() == Kind::tir_Mod ||
                       node.kind() == Kind::tir_FloorDiv || node.kind() == Kind::tir_FloorMod;
  return both && divides && !both->dtype.isFloat() && !asInt(both->b);
}

/// Whether it is a float, or an integer that was one: what is done with integers behind that is little, and says
/// between which bounds an index is.
bool isComputed(const ExprNode& expr) {
  const auto* made = as<Cast>(&expr);
  return expr.dtype.isFloat() || (made && made->value->dtype.isFloat());
}

/// Whether the axis alone decides it, at each of its steps.
bool isOfAxis(const PrimExpr& expr, const Var& axis) {
  bool only = true, varies = false;
  int nodes = 0;
  walk(*expr, Into::Parts, [&](const Node& node) {
    varies = varies || &node == &axis;
    only = only && ++nodes <= kMostNodes && !isa<BufferLoad>(&node) && !isa<Let>(&node) && !mayFail(node) &&
           (!isa<Var>(&node) || &node == &axis);
    return only;
  });
  return only && varies;
}

}  // namespace

AxisTables tablesOfLastAxis(const Stage& stage) {
  AxisTables tables{{}, stage.value};
  const StageAxis& axis = stage.axes.back();
  const auto size = axis.steps();
  if (!size || *size > kMostSteps || stage.usualSteps(false) < *size * kLeastUses) return tables;
  std::vector<std::pair<PrimExpr, BufferRef>> known;
  const auto inTable = [&](const NodeRef& node) -> NodeRef {
    const auto expr = refAs<ExprNode>(node);
    if (!expr || !isComputed(*expr) || !isOfAxis(expr, *axis.var)) return nullptr;
    auto found =
        std::find_if(known.begin(), known.end(), [&](const auto& table) { return arith::sameExpr(table.first, expr); });
    if (found == known.end() && known.size() == kMostTables) return nullptr;
    if (found == known.end()) {
      const std::vector<PrimExpr> shape{axis.extent};
      const BufferRef table = lower::newBuffer(Str("table"), expr->dtype, Array<PrimExpr>(shape));
      found = known.emplace(known.end(), expr, table);
    }
    return elementOf(found->second, {axis.var});
  };
  const NodeRef value = rewriteNodes(stage.value, Into::Parts, inTable, [](const NodeRef& node) { return node; });
  for (const auto& [expr, table] : known) {
    tables.made.push_back(make<AllocBuffer>(table));
    tables.made.push_back(overAxes(std::span(&axis, 1), [&](const arith::VarMap& places) {
      return storeTo(table, {places.at(axis.var.get())}, arith::substitute(expr, places));
    }));
  }
  tables.value = refAs<ExprNode>(value);
  return tables;
}

}  // namespace rx::schedule
