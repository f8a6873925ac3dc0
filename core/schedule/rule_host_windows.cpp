// host.Windows: sums, maxima and minima over windows of an image, channel by channel: depthwise convolutions and
// pools. The windows of neighbouring rows have most of their rows in common. Several of them are made at once, in
// registers, and what is read serves all whose windows it lies in.
#include <algorithm>
#include <bit>
#include <tuple>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/new_buffer.h"
#include "core/schedule/contraction.h"
#include "core/schedule/epilogue.h"
#include "core/schedule/host_rules.h"
#include "core/schedule/index_growth.h"
#include "core/schedule/nest_parts.h"
#include "core/schedule/pieces.h"
#include "core/schedule/reads_along.h"
#include "core/schedule/reduction_steps.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Sums of a block at most: more leave no registers for what is read.
constexpr int64_t kMostSums = 16;
/// Statements that a step of the other sums is written out as at most.
constexpr int64_t kMostWritten = 64;
/// How far apart what neighbouring lanes read may lie: as many vectors are read for one, and what the rows have in
/// common is read once for all of them.
constexpr int64_t kMostApart = 2;

/// Rows whose windows have rows in common.
struct WindowAxes {
  const StageAxis* rows;
  const StageAxis* inWindow;    ///< the rows of a window
  int64_t perRow, perInWindow;  ///< how far what is read lies apart from one row, and from one row of a window
};

/// The last axis of places whose windows of more than one row meet in an index of something that lies along the lanes.
std::optional<WindowAxes> windowsOf(const Stage& stage, const PrimExpr& step, const Var& along) {
  std::optional<WindowAxes> found;
  walk(*step, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    if (!load || lastGrowthOf(load->indices.span(), along).value_or(0) < 1) return !isa<Buffer>(&node);
    // What serves places of another axis too is better read for all of these at once, as products are.
    const bool ownPlaces = std::all_of(stage.axes.begin(), stage.axes.end(), [&](const StageAxis& axis) {
      return axis.reduces || goAlong(load->indices.span(), *axis.var);
    });
    if (!ownPlaces) return false;
    for (const PrimExpr& index : load->indices) {
      for (const StageAxis& rows : stage.axes) {
        if (rows.reduces || rows.var.get() == &along || !goAlong(std::span(&index, 1), *rows.var)) continue;
        for (const StageAxis& inWindow : stage.axes) {
          if (!inWindow.reduces || !goAlong(std::span(&index, 1), *inWindow.var)) continue;
          const auto perRow = growthOf(index, *rows.var), perInWindow = growthOf(index, *inWindow.var);
          const auto steps = inWindow.steps();
          // Windows that lie apart have nothing in common.
          if (perRow && perInWindow && steps && *perRow > 0 && *perInWindow > 0 &&
              *perRow <= (*steps - 1) * *perInWindow)
            found = WindowAxes{&rows, &inWindow, *perRow, *perInWindow};
        }
      }
    }
    return false;
  });
  return found;
}

class Windows {
 public:
  Windows(const StageInput& input, StageReduction reduction, const StageAxis& along, const WindowAxes& windows)
      : stage_(input.stage),
        steps_(std::move(reduction), stage_, input.vectors),
        along_(along),
        windows_(windows),
        epilogue_(input.stage, input.behind),
        perVector_(input.vectors.lanes(steps_.type())),
        grain_(input.grainOfElements()),
        others_(axesWithout(stage_.axes, {along.var, windows.rows->var, windows.inWindow->var})) {
    const int64_t registers = std::min(kMostSums, input.vectors.registers / 2);
    const Choices& choices = input.vectors.choices;
    vectors_ = std::min({(along_.usualSteps() + perVector_ - 1) / perVector_, choices.windowVectors, registers});
    int64_t most = std::min(registers / vectors_, kMostWritten / *windows_.inWindow->steps());
    if (choices.windowRows > 0) most = std::min(most, choices.windowRows);
    const int64_t rows = windows_.rows->usualSteps(), block = std::clamp<int64_t>(most, 1, rows);
    rowsOfBlock_ = (rows + (rows + block - 1) / block - 1) / ((rows + block - 1) / block);
    if (!windows_.rows->steps()) rowsOfBlock_ = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(block)));
  }
  bool tookBehind() const { return epilogue_.taken(); }

  Stmt run() {
    return inBlock(stage_.name, grain_.over(others_.places, [&](const arith::VarMap& places, ForKind kind) {
      places_ = places;
      Cut cut{"rows", rowsOfBlock_, kind};
      cut.leftInHalves = true;
      return inPieces(windows_.rows->extent, cut, [&](const Piece& rows) {
        return lanePanels(along_.extent, perVector_, vectors_, ForKind::Serial,
                          [&](const std::vector<PrimExpr>& firsts) { return block(rows, firsts); });
      });
    }));
  }

 private:
  DataType index() const { return along_.var->dtype; }
  PrimExpr number(int64_t value) const { return arith::constantInt(index(), value); }

  /// A vector of the block.
  using BlockMaker = std::function<Stmt(int64_t row, const std::vector<PrimExpr>& sum, const PrimExpr& place)>;
  Stmt everyVector(int64_t row, const std::vector<PrimExpr>& firsts, const BlockMaker& made) const {
    return panelVectors(firsts, perVector_, [&](const PrimExpr& lane, const PrimExpr& place) {
      return made(row, {number(row), lane}, place);
    });
  }

  Stmt block(const Piece& rows, const std::vector<PrimExpr>& firsts) const {
    const std::vector<PrimExpr> shape{number(rows.count), number(static_cast<int64_t>(firsts.size()) * perVector_)};
    const BufferRef sums = lower::newBuffer(Str("sums"), steps_.type(), Array<PrimExpr>(shape), "local");
    std::vector<Stmt> parts{make<AllocBuffer>(sums)};
    const auto everyRow = [&](const BlockMaker& made) {
      for (int64_t row = 0; row < rows.count; ++row) parts.push_back(everyVector(row, firsts, made));
    };
    everyRow(
        [&](int64_t, const std::vector<PrimExpr>& sum, const PrimExpr&) { return storeTo(sums, sum, steps_.none()); });
    parts.push_back(
        overAxes(others_.reduced, [&](const arith::VarMap& reduced) { return step(rows, firsts, sums, reduced); }));
    everyRow([&](int64_t row, const std::vector<PrimExpr>& sum, const PrimExpr& place) {
      return epilogue_.store(at(rows, row, place), steps_.made(elementOf(sums, sum)));
    });
    return seq(parts);
  }

  arith::VarMap at(const Piece& rows, int64_t row, const PrimExpr& place) const {
    arith::VarMap places = places_;
    places[windows_.rows->var.get()] = arith::add(rows.first, number(row));
    places[along_.var.get()] = place;
    return places;
  }

  /// All rows of the windows, in the order in which they lie in what is read: all that takes a part of it comes
  /// together.
  Stmt step(const Piece& rows, const std::vector<PrimExpr>& firsts, const BufferRef& sums,
            const arith::VarMap& reduced) const {
    struct Taken {
      int64_t read, row, inWindow;
    };
    std::vector<Taken> all;
    for (int64_t row = 0; row < rows.count; ++row) {
      for (int64_t inWindow = 0; inWindow < *windows_.inWindow->steps(); ++inWindow)
        all.push_back({row * windows_.perRow + inWindow * windows_.perInWindow, row, inWindow});
    }
    std::sort(all.begin(), all.end(),
              [](const Taken& a, const Taken& b) { return std::tie(a.read, a.row) < std::tie(b.read, b.row); });
    std::vector<Stmt> parts;
    for (const Taken& each : all) {
      parts.push_back(
          everyVector(each.row, firsts, [&](int64_t row, const std::vector<PrimExpr>& sum, const PrimExpr& place) {
            arith::VarMap places = at(rows, row, place);
            places.insert(reduced.begin(), reduced.end());
            places[windows_.inWindow->var.get()] = number(each.inWindow);
            return storeTo(sums, sum, steps_.grown(elementOf(sums, sum), arith::substitute(steps_.step(), places)));
          }));
    }
    return seq(parts);
  }

  const Stage& stage_;
  ReductionSteps steps_;
  const StageAxis& along_;
  WindowAxes windows_;
  Epilogue epilogue_;
  int64_t perVector_, vectors_ = 1, rowsOfBlock_ = 1;  ///< lanes of a vector, vectors of a row, rows of a block
  ThreadGrain grain_;
  OtherAxes others_;
  arith::VarMap places_;
};

}  // namespace

StageOutcome hostWindows(const StageInput& input) {
  const Stage& stage = input.stage;
  const auto reduction = reductionOf(stage);
  if (!reduction || !hasShares(stage, reduction->kind)) return stageStays(kNoReduction);
  const auto type = typeOfSums(stage.buffer->dtype);
  if (!type) return stageStays("it is of no floats and no int32");
  if (input.vectors.inOrder && reduction->kind == Kind::tir_Add) return stageStays(kOrderIsFixed);
  if (!stage.isCountable() || stage.axes.empty()) return stageStays(kNotCountable);
  const StageAxis* along = nullptr;
  for (const StageAxis& axis : stage.axes) {
    const ReadsAlong reads = readsAlong(reduction->step, *axis.var);
    const bool inOrder = isUnitStride(stage.indices, *axis.var) && reads.apart.value_or(0) > 0 &&
                         *reads.apart <= kMostApart && !reads.counted;
    if (!axis.reduces && inOrder) along = &axis;
  }
  const int64_t lanes = input.vectors.lanes(*type);
  if (!along || along->steps().value_or(lanes) < lanes)
    return stageStays("no axis of places lies in order and fills a vector");
  const auto windows = windowsOf(stage, reduction->step, *along->var);
  if (!windows) return stageStays("no rows have windows in common");
  if (*windows->inWindow->steps() * 2 > kMostWritten) return stageStays("its windows have too many rows");
  Windows made(input, *reduction, *along, *windows);
  const Stmt nest = made.run();
  StageOutcome outcome{nest, made.tookBehind(), {}};
  if (!along->steps()) outcome.onlyIf = arith::ge(along->extent, arith::constantInt(along->var->dtype, lanes));
  return outcome;
}

}  // namespace rx::schedule
