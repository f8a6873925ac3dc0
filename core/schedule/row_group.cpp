#include "core/schedule/row_group.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/new_buffer.h"
#include "core/lower/statements.h"
#include "core/schedule/contraction.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

std::vector<const BufferLoad*> loadsOf(const PrimExpr& value) {
  std::vector<const BufferLoad*> loads;
  walk(*value, Into::Parts, [&](const Node& node) {
    if (const auto* load = as<BufferLoad>(&node)) loads.push_back(load);
    return !isa<Buffer>(&node);
  });
  return loads;
}

/// Whether neighbours of the axis lie next to each other, where other axes count too: lanes go along such an axis.
bool isForLanes(const Stage& stage, const StageAxis& axis) {
  const auto inOrder = [&](std::span<const PrimExpr> indices) {
    const bool others = std::any_of(stage.axes.begin(), stage.axes.end(), [&](const StageAxis& other) {
      return other.var != axis.var && std::any_of(indices.begin(), indices.end(), [&](const PrimExpr& index) {
               return lower::uses(index, other.var.get());
             });
    });
    return others && isUnitStride(indices, *axis.var);
  };
  const auto loads = loadsOf(stage.value);
  return inOrder(stage.indices) ||
         std::any_of(loads.begin(), loads.end(), [&](const BufferLoad* load) { return inOrder(load->indices.span()); });
}

/// The dimension of what the stage stores that is this axis alone.
std::optional<size_t> dimensionOf(const Stage& stage, const StageAxis& axis) {
  const auto at = std::find(stage.indices.begin(), stage.indices.end(), PrimExpr(axis.var));
  if (at == stage.indices.end()) return std::nullopt;
  return static_cast<size_t>(at - stage.indices.begin());
}

/// One axis of rows: which axis it is of each stage, and in which dimension of what each stage stores.
struct Row {
  std::vector<const StageAxis*> axes;
  std::vector<size_t> dimensions;
};

class Grouping {
 public:
  explicit Grouping(const Stage& first) : stages_{&first} {
    for (const StageAxis& axis : first.axes) {
      Row row;
      if (extended(row, first, &axis)) rows_.push_back(std::move(row));
    }
  }

  size_t size() const { return stages_.size(); }
  const std::vector<const Stage*>& stages() const { return stages_; }
  const std::vector<Row>& rows() const { return rows_; }

  /// Adds a stage that reads what those before it made of its rows; false where it has no row in common with them.
  bool take(const Stage& stage) {
    std::vector<Row> left;
    for (Row row : rows_) {
      const StageAxis* axis = axisIn(stage, row);
      if (axis && extended(row, stage, axis)) left.push_back(std::move(row));
    }
    if (left.empty()) return false;
    rows_ = std::move(left);
    stages_.push_back(&stage);
    return true;
  }

 private:
  static bool extended(Row& row, const Stage& stage, const StageAxis* axis) {
    const auto dimension = dimensionOf(stage, *axis);
    if (axis->reduces || !dimension || isForLanes(stage, *axis)) return false;
    row.axes.push_back(axis);
    row.dimensions.push_back(*dimension);
    return true;
  }

  /// The axis by which the stage reads this row of all that the others made; null where it reads none of that, or
  /// other rows of it.
  const StageAxis* axisIn(const Stage& stage, const Row& row) const {
    const Var* found = nullptr;
    for (const BufferLoad* load : loadsOf(stage.value)) {
      const auto writer = std::find_if(stages_.begin(), stages_.end(),
                                       [&](const Stage* other) { return other->buffer == load->buffer; });
      if (writer == stages_.end()) continue;
      const auto* var = as<Var>(load->indices[row.dimensions[static_cast<size_t>(writer - stages_.begin())]]);
      if (!var || (found && found != var)) return nullptr;
      found = var;
    }
    const auto axis = std::find_if(stage.axes.begin(), stage.axes.end(),
                                   [&](const StageAxis& other) { return other.var.get() == found; });
    const bool same = axis != stage.axes.end() && arith::sameExpr(axis->extent, row.axes.front()->extent);
    return same ? &*axis : nullptr;
  }

  std::vector<const Stage*> stages_;
  std::vector<Row> rows_;
};

std::vector<PrimExpr> without(std::span<const PrimExpr> dimensions, const std::vector<Row>& rows, size_t stage) {
  std::vector<PrimExpr> left;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const bool isRow =
        std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.dimensions[stage] == i; });
    if (!isRow) left.push_back(dimensions[i]);
  }
  return left;
}

/// The stages of one row.
class OneRow {
 public:
  explicit OneRow(const Grouping& grouping) : grouping_(grouping) {}

  RowGroup made(const std::function<bool(const BufferRef&, size_t)>& isPrivate) {
    for (const Row& row : grouping_.rows()) group_.rows.push_back(*row.axes.front());
    for (size_t i = 0; i < grouping_.size(); ++i) group_.stages.push_back(stageOfRow(i));
    for (size_t i = 0; i < grouping_.size(); ++i) {
      if (isPrivate(grouping_.stages()[i]->buffer, grouping_.size())) shrink(i);
    }
    return std::move(group_);
  }

 private:
  Stage stageOfRow(size_t number) const {
    const Stage& whole = *grouping_.stages()[number];
    arith::VarMap places;
    for (const Row& row : grouping_.rows()) places[row.axes[number]->var.get()] = row.axes.front()->var;
    Stage stage{whole.name, {}, whole.buffer, {}, arith::substitute(whole.value, places), whole.init};
    for (const StageAxis& axis : whole.axes) {
      if (!places.contains(axis.var.get())) stage.axes.push_back(axis);
    }
    for (const PrimExpr& index : whole.indices) stage.indices.push_back(arith::substitute(index, places));
    if (whole.init) stage.init = arith::substitute(whole.init, places);
    return stage;
  }

  /// What stage `writer` stores, as a buffer of one row.
  void shrink(size_t writer) {
    const auto& rows = grouping_.rows();
    const BufferRef whole = group_.stages[writer].buffer;
    const auto one = [&](const PrimExpr& like) { return std::vector{like}; };
    std::vector<PrimExpr> shape = without(whole->shape.span(), rows, writer);
    const bool single = shape.empty();
    if (single) shape = one(arith::constantInt(whole->shape[0]->dtype, 1));
    const BufferRef row = lower::newBuffer(whole->name, whole->dtype, Array<PrimExpr>(std::move(shape)));
    const auto inRow = [&](std::span<const PrimExpr> indices) {
      return single ? one(arith::constantInt(indices[0]->dtype, 0)) : without(indices, rows, writer);
    };
    for (Stage& stage : group_.stages) {
      const auto element = [&](const BufferLoad& load) { return elementOf(row, inRow(load.indices.span())); };
      stage.value = withLoads(stage.value, *whole, element);
    }
    group_.stages[writer].buffer = row;
    group_.stages[writer].indices = inRow(group_.stages[writer].indices);
    group_.own.push_back(row);
    group_.replaced.push_back(whole);
  }

  const Grouping& grouping_;
  RowGroup group_;
};

bool mayJoin(const std::optional<Stage>& stage) { return stage && !findContraction(*stage).found; }

}  // namespace

std::optional<RowGroup> rowGroupAt(std::span<const std::optional<Stage>> stages,
                                   const std::function<bool(const BufferRef&, size_t)>& isPrivate) {
  if (stages.empty() || !mayJoin(stages[0])) return std::nullopt;
  Grouping grouping(*stages[0]);
  for (size_t i = 1; i < stages.size() && mayJoin(stages[i]) && grouping.take(*stages[i]);) ++i;
  const auto reduces = [](const Stage* stage) { return stage->reduces(); };
  if (grouping.size() < 2 || !std::any_of(grouping.stages().begin(), grouping.stages().end(), reduces))
    return std::nullopt;
  return OneRow(grouping).made(isPrivate);
}

}  // namespace rx::schedule
