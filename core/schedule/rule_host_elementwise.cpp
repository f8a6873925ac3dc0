// host.Elementwise: stages that reduce nothing. Where bounds of axes choose what a place gets, each part of the places
// has loops of its own, which need no question. Axes that all buffers have side by side become one loop.
#include <algorithm>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/loop_nest.h"
#include "core/lower/statements.h"
#include "core/lower/streamed_stores.h"
#include "core/schedule/axis_tables.h"
#include "core/schedule/bounded_choices.h"
#include "core/schedule/contraction.h"
#include "core/schedule/host_rules.h"
#include "core/schedule/lane_moves.h"
#include "core/schedule/nest_parts.h"
#include "core/schedule/pieces.h"
#include "core/schedule/reads_along.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Fewer lanes are no vector.
constexpr int64_t kLeastLanes = 4;
/// Results of so many times the second cache of a core are stored past the caches: what reads them comes too late to
/// find them there.
constexpr int64_t kStreamedFrom = 4;

/// Whether all that mention one of the last `count` axes mention them as their last indices, each in its own dimension,
/// which it fills.
bool liesInOrder(const Stage& stage, std::span<const PrimExpr> indices, const Buffer& buffer, size_t count) {
  const std::span<const StageAxis> last = std::span(stage.axes).last(count);
  const bool any = std::any_of(indices.begin(), indices.end(), [&](const PrimExpr& index) {
    return std::any_of(last.begin(), last.end(),
                       [&](const StageAxis& axis) { return lower::uses(index, axis.var.get()); });
  });
  return !any || fillsLast(last, indices, buffer);
}

/// How many of the last axes can become one.
size_t fusible(const Stage& stage) {
  size_t count = 1;
  // Places are told apart again by the sizes of all but the first axis.
  for (; count < stage.axes.size() && stage.axes[stage.axes.size() - count].steps(); ++count) {
    bool all = liesInOrder(stage, stage.indices, *stage.buffer, count + 1);
    walk(*stage.value, Into::Parts, [&](const Node& node) {
      const auto* load = as<BufferLoad>(&node);
      if (load) all = all && liesInOrder(stage, load->indices.span(), *load->buffer, count + 1);
      // An axis that is a number beside an index stands for itself.
      return all && !isa<Buffer>(&node);
    });
    if (!all) break;
  }
  return count;
}

/// Whether the value uses an axis in another way than in an index.
bool countsAxes(const Stage& stage) {
  bool found = false;
  walk(*stage.value, Into::Parts, [&](const Node& node) {
    for (const StageAxis& axis : stage.axes) found = found || &node == axis.var.get();
    return !found && !isa<BufferLoad>(&node);
  });
  return found;
}

/// Rows whose length a run alone knows, in vectors, the last of which ends early: a row may be shorter than one.
Stmt inVectors(const StageInput& input, int64_t perVector) {
  const Stage& stage = input.stage;
  const StageAxis& last = stage.axes.back();
  const DataType index = last.var->dtype;
  const std::span<const StageAxis> rows = std::span(stage.axes).first(stage.axes.size() - 1);
  return input.grainOfElements().over(rows, [&](const arith::VarMap& outer, ForKind kind) {
    return inPieces(last.extent, {"vector", perVector, kind}, [&](const Piece& piece) {
      return steps(index, "lane", piece.count, ForKind::Vectorized, [&](const PrimExpr& lane) {
        arith::VarMap places = outer;
        places[last.var.get()] = arith::add(piece.first, lane);
        return piece.ifInside(lane, storeAt(stage, places, stage.value));
      });
    });
  });
}

/// Whether it is computed with powers, for which processors have instructions that LLVM does not find in loops of
/// single elements.
bool takesPowers(const Stage& stage) {
  bool found = false;
  walk(*stage.value, Into::Parts, [&](const Node& node) {
    const NodeRef each(&node);
    found = found || lower::asCallOf(each, "exp") || lower::asCallOf(each, "sigmoid");
    return !found && !isa<Buffer>(&node);
  });
  return found;
}

/// All places, with the last axes that can be one loop as one; `perVector` elements a step, where that is more than
/// one.
Stmt everywhere(const StageInput& input, const PrimExpr& value, size_t fused, int64_t perVector) {
  const Stage& stage = input.stage;
  const size_t around = stage.axes.size() - fused;
  PrimExpr count = stage.axes[around].extent;
  for (size_t i = around + 1; i < stage.axes.size(); ++i) count = arith::mul(count, stage.axes[i].extent);
  return input.grainOfElements().over(
      std::span(stage.axes).first(around), [&](const arith::VarMap& outer, ForKind kind) {
        const auto at = [&](const PrimExpr& place) {
          arith::VarMap places = outer;
          PrimExpr left = place;
          for (size_t i = stage.axes.size(); i-- > around;) {
            const StageAxis& axis = stage.axes[i];
            places[axis.var.get()] = i == around ? left : arith::floorMod(left, axis.extent);
            if (i > around) left = arith::floorDiv(left, axis.extent);
          }
          return storeAt(stage, places, value);
        };
        if (perVector == 1) return steps("fused", count, kind, at);
        return inPieces(count, {"vector", perVector, kind}, [&](const Piece& piece) {
          return steps(count->dtype, "lane", piece.count, ForKind::Vectorized,
                       [&](const PrimExpr& lane) { return piece.ifInside(lane, at(arith::add(piece.first, lane))); });
        });
      });
}

/// Whether data choose where it reads.
bool isPlacedByData(const Stage& stage) {
  bool found = false;
  walk(*stage.value, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    if (load) {
      for (const PrimExpr& index : load->indices) {
        walk(*index, Into::Parts, [&](const Node& part) {
          found = found || isa<BufferLoad>(&part);
          return !found && !isa<Buffer>(&part);
        });
      }
    }
    return !found && !isa<Buffer>(&node);
  });
  return found;
}

/// Whether what the stage makes is more than caches hold until it is read.
bool isStreamed(const Stage& stage, const VectorShape& vectors) {
  const auto places = stepsOf(stage.axes);
  int64_t bytes = 0;
  return places && !__builtin_mul_overflow(*places, stage.buffer->dtype.bytes(), &bytes) &&
         bytes >= kStreamedFrom * vectors.cacheBytes[1];
}

Stmt streamed(const Stmt& nest) {
  const PrimExpr one = intImm(1, DataType::Int(32));
  return make<AttrStmt>(one, Str(lower::kStreamedStores), one, nest);
}

}  // namespace

StageOutcome hostElementwise(const StageInput& input) {
  const Stage& stage = input.stage;
  if (stage.reduces()) return stageStays("it reduces");
  if (stage.axes.empty() || !stage.isCountable()) return stageStays(kNotCountable);
  const auto* choice = lower::asCallOf(stage.value, "if_then_else");
  const bool wide = stage.buffer->dtype.bits >= 32;
  const int64_t perVector = input.vectors.lanes(stage.buffer->dtype);
  if (choice) {
    const ThreadGrain grain = input.grainOfElements();
    const ForKind outermost = grain.shares() ? ForKind::Parallel : ForKind::Serial;
    if (const Stmt made = choicesApart(stage, wide ? perVector : 1, outermost))
      return {inBlock(stage.name, grain.around(made)), false, {}};
  }
  const size_t fused = countsAxes(stage) ? 1 : fusible(stage);
  const StageAxis& last = stage.axes.back();
  const bool inOrder = fused > 1 || movesInOrder(stage, stage.value, *last.var);
  if (fused == 1 && wide && !last.steps() && inOrder) {
    return {inBlock(stage.name, inVectors(input, perVector)), false, {}};
  }
  const bool past = wide && inOrder && !choice && isStreamed(stage, input.vectors);
  const bool powers = inOrder && stage.buffer->dtype == DataType::Float(32) && !choice && takesPowers(stage);
  // Places that are told apart again are known to lie side by side only where all sizes are.
  if (powers && fused > 1 && !stepsOf(stage.axes) && last.usualSteps() >= perVector)
    return {inBlock(stage.name, everywhere(input, stage.value, 1, perVector)), false, {}};
  // A vector is asked once whether it is inside; what lies beside it in a row of its own is no vector.
  const bool placed = stage.buffer->dtype.bits >= 8 && last.usualSteps() >= kLeastLanes && isPlacedByData(stage) &&
                      movesInOrder(stage, stage.value, *last.var);
  if (fused == 1 && !placed) {
    AxisTables tables = tablesOfLastAxis(stage);
    if (!tables.made.empty()) {
      tables.made.push_back(everywhere(input, tables.value, fused, 1));
      return {inBlock(stage.name, seq(tables.made)), false, {}};
    }
  }
  const bool vectors = (powers && (fused == 1 || stepsOf(stage.axes))) || past || placed;
  const Stmt made = everywhere(input, stage.value, placed ? 1 : fused, vectors ? perVector : 1);
  return {inBlock(stage.name, past ? streamed(made) : made), false, {}};
}

}  // namespace rx::schedule
