#include "core/schedule/row_group.h"

#include <algorithm>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/loop_nest.h"
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

/// How many axes of the stage the indices use.
size_t axesUsed(const Stage& stage, std::span<const PrimExpr> indices) {
  const auto used = [&](const StageAxis& axis) { return goAlong(indices, *axis.var); };
  return static_cast<size_t>(std::count_if(stage.axes.begin(), stage.axes.end(), used));
}

/// Whether neighbours of the axis lie next to each other, where other axes count too, in what is read or stored by most
/// axes: lanes go along such an axis.
bool isForLanes(const Stage& stage, const StageAxis& axis) {
  const auto loads = loadsOf(stage.value);
  std::vector<std::span<const PrimExpr>> accesses{stage.indices};
  for (const BufferLoad* load : loads) accesses.push_back(load->indices.span());
  size_t most = 2;
  for (const auto& indices : accesses) {
    const bool any = std::any_of(stage.axes.begin(), stage.axes.end(),
                                 [&](const StageAxis& each) { return isUnitStride(indices, *each.var); });
    if (any) most = std::max(most, axesUsed(stage, indices));
  }
  return std::any_of(accesses.begin(), accesses.end(), [&](std::span<const PrimExpr> indices) {
    return isUnitStride(indices, *axis.var) && axesUsed(stage, indices) >= most;
  });
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

/// The stages of one row, or of a tile of rows.
class SomeRows {
 public:
  explicit SomeRows(const Grouping& grouping) : grouping_(grouping), rows_(grouping.rows()) {}
  /// Of the last axis a piece.
  SomeRows(const Grouping& grouping, const Piece& piece) : SomeRows(grouping) {
    tiled_ = rows_.back();
    rows_.pop_back();
    piece_ = piece;
    count_ = arith::constantInt(piece.first->dtype, piece.count);
  }

  RowGroup made(const std::function<bool(const BufferRef&, size_t)>& isPrivate) {
    for (const Row& row : rows_) group_.rows.push_back(*row.axes.front());
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
    for (const Row& row : rows_) places[row.axes[number]->var.get()] = row.axes.front()->var;
    Stage stage{whole.name, {}, whole.buffer, {}, nullptr, nullptr};
    for (StageAxis axis : whole.axes) {
      if (places.contains(axis.var.get())) continue;
      if (tiled_ && axis.var == tiled_->axes[number]->var) {
        const VarRef own = lower::renamed(*axis.var, "");
        places[axis.var.get()] = piece_.step(own);
        axis.var = own;
        axis.extent = count_;
        if (arith::isOne(count_)) {
          places[tiled_->axes[number]->var.get()] = piece_.first;
          continue;
        }
      }
      stage.axes.push_back(axis);
    }
    stage.value = arith::substitute(whole.value, places);
    stage.indices = indicesAt(whole.indices, places);
    if (whole.init) stage.init = arith::substitute(whole.init, places);
    return stage;
  }

  /// What stage `writer` stores, as a buffer of one row, or of the tile.
  void shrink(size_t writer) {
    const BufferRef whole = group_.stages[writer].buffer;
    const auto one = [&](const PrimExpr& like) { return std::vector{like}; };
    std::vector<PrimExpr> shape = whole->shape.vector();
    if (tiled_) shape[tiled_->dimensions[writer]] = count_;
    shape = without(shape, rows_, writer);
    const bool single = shape.empty();
    if (single) shape = one(arith::constantInt(whole->shape[0]->dtype, 1));
    const BufferRef row = lower::newBuffer(whole->name, whole->dtype, Array<PrimExpr>(std::move(shape)));
    const auto inRow = [&](std::span<const PrimExpr> indices) {
      if (single) return one(arith::constantInt(indices[0]->dtype, 0));
      std::vector<PrimExpr> inTile(indices.begin(), indices.end());
      if (tiled_) {
        arith::Canon canon;
        PrimExpr& index = inTile[tiled_->dimensions[writer]];
        // The tile has a row of its own for each step, also behind the end.
        const auto* ended = piece_.end ? as<Min>(index) : nullptr;
        index = canon.simplify(arith::sub(ended ? ended->a : index, piece_.first));
      }
      return without(inTile, rows_, writer);
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
  std::vector<Row> rows_;
  std::optional<Row> tiled_;
  Piece piece_ = {};
  PrimExpr count_;
  RowGroup group_;
};

/// Of sums of products those may whose rows have nothing in common: a convolution of each channel by itself, which then
/// finds its padded channel in the nearest cache.
bool mayJoin(const std::optional<Stage>& stage) {
  if (!stage) return false;
  const ContractionFinding products = findContraction(*stage);
  return !products.found || products.found->rows.empty();
}

class Tiles final : public TileGroup {
 public:
  Tiles(Grouping grouping, std::function<bool(const BufferRef&, size_t)> isPrivate)
      : grouping_(std::move(grouping)), isPrivate_(std::move(isPrivate)) {}
  const StageAxis& tiled() const override { return *grouping_.rows().back().axes.front(); }
  size_t size() const override { return grouping_.size(); }
  RowGroup tile(const Piece& piece) const override { return SomeRows(grouping_, piece).made(isPrivate_); }
  int64_t elementsOfRow() const override {
    int64_t elements = 0;
    for (const Stage* stage : grouping_.stages()) {
      int64_t own = 1;
      for (const StageAxis& axis : stage->axes) {
        const bool row = std::any_of(grouping_.rows().begin(), grouping_.rows().end(), [&](const Row& each) {
          return std::any_of(each.axes.begin(), each.axes.end(),
                             [&](const StageAxis* a) { return a->var == axis.var; });
        });
        if (!row && !axis.reduces) own *= axis.usualSteps();
      }
      elements = std::max(elements, own);
    }
    return elements;
  }

 private:
  Grouping grouping_;
  std::function<bool(const BufferRef&, size_t)> isPrivate_;
};

/// Where the last stage stores what stands at these places of a buffer that it reads by its own axes alone, each once;
/// nothing where it reads the buffer otherwise.
std::optional<arith::VarMap> placesRead(const Stage& last, const Buffer& buffer, std::span<const PrimExpr> indices) {
  std::optional<arith::VarMap> places;
  for (const BufferLoad* load : loadsOf(last.value)) {
    if (load->buffer.get() != &buffer) continue;
    arith::VarMap found;
    for (size_t i = 0; i < load->indices.size(); ++i) {
      const auto axis = std::find_if(last.axes.begin(), last.axes.end(), [&](const StageAxis& each) {
        return PrimExpr(each.var) == load->indices[i] && arith::sameExpr(each.extent, buffer.shape[i]);
      });
      if (axis == last.axes.end() || !found.emplace(axis->var.get(), indices[i]).second) return std::nullopt;
    }
    if (found.size() != last.axes.size()) return std::nullopt;
    places = std::move(found);
  }
  return places;
}

bool reads(const Stage& stage, const BufferRef& buffer) {
  const auto loads = loadsOf(stage.value);
  return std::any_of(loads.begin(), loads.end(), [&](const BufferLoad* load) { return load->buffer == buffer; });
}

/// The group with a row that is handed to the last stage, and to one before, stored where that stage stores in the end:
/// memory then comes while it is computed, and the last stage finds it in the nearest cache.
RowGroup inPlace(RowGroup group) {
  const Stage last = group.stages.back();
  const auto touches = [&](const Stage& stage) { return reads(stage, last.buffer); };
  if (last.reduces() || std::any_of(group.stages.begin(), group.stages.end(), touches)) return group;
  const auto fits = [&](const BufferRef& row) {
    const auto readers = std::count_if(group.stages.begin(), group.stages.end(),
                                       [&](const Stage& stage) { return stage.buffer != row && reads(stage, row); });
    return row->dtype == last.buffer->dtype && row != last.buffer && readers > 1 &&
           placesRead(last, *row, row->shape.span());
  };
  const auto found = std::find_if(group.own.begin(), group.own.end(), fits);
  if (found == group.own.end()) return group;
  const BufferRef row = *found;
  const auto inResult = [&](std::span<const PrimExpr> indices) {
    return indicesAt(last.indices, *placesRead(last, *row, indices));
  };
  for (Stage& stage : group.stages) {
    stage.value = withLoads(stage.value, *row, [&](const BufferLoad& load) {
      return elementOf(last.buffer, inResult(load.indices.span()));
    });
    if (stage.buffer != row) continue;
    stage.buffer = last.buffer;
    stage.indices = inResult(stage.indices);
  }
  group.own.erase(found);
  return group;
}

bool addsProducts(const std::optional<Stage>& stage) { return stage && findContraction(*stage).found; }

}  // namespace

std::unique_ptr<TileGroup> tileGroupAt(std::span<const std::optional<Stage>> stages,
                                       const std::function<bool(const BufferRef&, size_t)>& isPrivate) {
  if (stages.empty() || !addsProducts(stages[0])) return nullptr;
  Grouping grouping(*stages[0]);
  bool reduced = false, again = false;
  for (size_t i = 1; i < stages.size() && stages[i] && grouping.take(*stages[i]); ++i) {
    const bool products = addsProducts(stages[i]);
    again = again || (reduced && products);
    reduced = reduced || (stages[i]->reduces() && !products);
  }
  if (!again) return nullptr;
  return std::make_unique<Tiles>(std::move(grouping), isPrivate);
}

std::optional<RowGroup> rowGroupAt(std::span<const std::optional<Stage>> stages,
                                   const std::function<bool(const BufferRef&, size_t)>& isPrivate) {
  if (stages.empty() || !stages[0] || findContraction(*stages[0]).found) return std::nullopt;
  Grouping grouping(*stages[0]);
  for (size_t i = 1; i < stages.size() && mayJoin(stages[i]) && grouping.take(*stages[i]);) ++i;
  const auto reduces = [](const Stage* stage) { return stage->reduces(); };
  if (grouping.size() < 2 || !std::any_of(grouping.stages().begin(), grouping.stages().end(), reduces))
    return std::nullopt;
  return inPlace(SomeRows(grouping).made(isPrivate));
}

}  // namespace rx::schedule
