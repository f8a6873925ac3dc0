#include "core/schedule/size_forms.h"

#include <algorithm>
#include <unordered_map>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/loop_nest.h"
#include "core/lower/statements.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Most sizes with a form of their own: each is code.
constexpr int64_t kMostForms = 7;
/// One such part of what a kernel reads and stores is a good part.
constexpr double kShare = 4;

/// Elements that a kernel reads and stores: all, and those along an axis of the size, in steps of one element or not.
struct Accesses {
  double all = 0, inOrder = 0, apart = 0;
  bool asks = false;  ///< what is stored depends on where that is
};

void count(const Stage& stage, std::span<const PrimExpr> indices, const VarRef& size, Accesses& accesses) {
  const double elements = elementsOf(stage, indices);
  accesses.all += elements;
  for (const StageAxis& axis : stage.axes) {
    if (goAlong(std::span(&axis.extent, 1), *size) && goAlong(indices, *axis.var))
      (isUnitStride(indices, *axis.var) ? accesses.inOrder : accesses.apart) += elements;
  }
}

Accesses accessesOf(std::span<const Stage> stages, const VarRef& size) {
  Accesses accesses;
  for (const Stage& stage : stages) {
    count(stage, stage.indices, size, accesses);
    walk(*stage.value, Into::Parts, [&](const Node& node) {
      if (const auto* load = as<BufferLoad>(&node)) count(stage, load->indices.span(), size, accesses);
      accesses.asks = accesses.asks || lower::asCallOf(NodeRef(&node), "if_then_else");
      return !isa<Buffer>(&node);
    });
  }
  return accesses;
}

}  // namespace

std::vector<int64_t> numbersWithForms(std::span<const Stage> stages, const VarRef& size, const VectorShape& vectors) {
  std::vector<int64_t> numbers{1};
  const Accesses accesses = accessesOf(stages, size);
  // One stage with all in order is in vectors that end early, which is as quick.
  const bool early = stages.size() == 1 && accesses.apart == 0 && !accesses.asks;
  if (accesses.inOrder * kShare < accesses.all || early) return numbers;
  int64_t lanes = 0;
  for (const Stage& stage : stages) lanes = std::max(lanes, vectors.lanes(stage.buffer->dtype));
  for (int64_t number = 2; number * 2 < lanes && number <= kMostForms; ++number) numbers.push_back(number);
  return numbers;
}

Stmt atSize(const Stmt& statement, const VarRef& size, int64_t number) {
  // Both forms stand in one kernel, in which a variable is defined once.
  std::unordered_map<const Node*, NodeRef> places{{size.get(), arith::constantInt(size->dtype, number)}};
  walk(*statement, Into::Parts, [&](const Node& node) {
    const auto* loop = as<For>(&node);
    const auto* axis = as<IterVar>(&node);
    const auto* name = as<Bind>(&node);
    const Var* own = loop ? loop->loopVar.get() : axis ? axis->var.get() : name ? name->var.get() : nullptr;
    if (own) places[own] = lower::renamed(*own, "");
    return !isa<Buffer>(&node);
  });
  return refAs<StmtNode>(rewriteNodes(
      statement, Into::Parts,
      [&](const NodeRef& node) -> NodeRef {
        if (isa<Buffer>(node)) return node;
        const auto found = places.find(node.get());
        return found == places.end() ? nullptr : found->second;
      },
      [](const NodeRef& node) { return node; }));
}

Stmt plainNest(const Stage& stage) {
  std::vector<StageAxis> places, sums;
  for (const StageAxis& axis : stage.axes) (axis.reduces ? sums : places).push_back(axis);
  return overAxes(places, [&](const arith::VarMap& at) {
    std::vector<Stmt> parts;
    if (stage.init) parts.push_back(storeAt(stage, at, stage.init));
    parts.push_back(overAxes(sums, [&](arith::VarMap where) {
      where.insert(at.begin(), at.end());
      return storeAt(stage, where, stage.value);
    }));
    return seq(parts);
  });
}

}  // namespace rx::schedule
