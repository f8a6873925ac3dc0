// host.Products: sums of products in blocks of registers. A panel of the operand that lies across the lanes is packed
// once, in the order in which it is read; each tile of rows then runs over it with all of its sums in registers.
#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/loop_nest.h"
#include "core/lower/new_buffer.h"
#include "core/schedule/contraction.h"
#include "core/schedule/epilogue.h"
#include "core/schedule/host_rules.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Products from which on threads share the work.
constexpr int64_t kParallelFrom = int64_t{1} << 20;
constexpr int64_t kMostVectors = 8;
/// Most rows of a block where neighbouring sums read the same numbers: those that are kept for the next take registers.
constexpr int64_t kRowsOfWindows = 8;
/// Packing a panel pays for more tiles of rows than that.
constexpr int64_t kTilesUnpacked = 6;
/// Fewer rows than that in the last axis: rows are taken along all axes.
constexpr int64_t kFewRows = 4;

/// How a block of registers is laid out.
struct RegisterBlock {
  int64_t rows, width;  ///< width: in lanes
};

RegisterBlock blockFor(int64_t rows, int64_t mostRows, int64_t lanes, int64_t perVector, int64_t registers) {
  // One register holds what is spread, one for each vector what lies across.
  const int64_t wanted = std::clamp<int64_t>((lanes + perVector - 1) / perVector, 1, kMostVectors);
  const int64_t vectors =
      std::clamp<int64_t>((registers - 2) / (std::min(rows, registers) + 1), std::min<int64_t>(wanted, 2), wanted);
  const int64_t most = std::clamp<int64_t>((registers - 4) / vectors, 1, mostRows);
  const int64_t tiles = (rows + most - 1) / most;
  return {(rows + tiles - 1) / tiles, std::min(vectors * perVector, lanes)};
}

class Products {
 public:
  Products(const StageInput& input, const Contraction& roles)
      : stage_(input.stage),
        roles_(roles),
        epilogue_(input.stage, input.behind),
        type_(input.stage.buffer->dtype),
        fused_(input.vectors.fused) {
    index_ = stage_.axes.front().var->dtype;
    perVector_ = input.vectors.lanes(type_);
    const int64_t allRows = stepsOf(roles_.rows).value_or(1);
    if (!roles_.rows.empty()) {
      const StageAxis& last = roles_.rows.back();
      flatRows_ = roles_.rows.size() > 1 && *last.steps() < kFewRows;
      rows_ = flatRows_ ? allRows : *last.steps();
    }
    lanes_ = *stepsOf(roles_.lanes);
    const int64_t mostRows = roles_.sums.size() > 1 ? kRowsOfWindows : input.vectors.registers;
    block_ = blockFor(rows_, mostRows, lanes_, perVector_, input.vectors.registers);
    direct_ = roles_.acrossInOrder && allRows <= kTilesUnpacked * block_.rows;
    storedInOrder_ = roles_.lanes.size() == 1 && isUnitStride(epilogue_.indices(), *roles_.lanes.front().var);
  }

  bool tookBehind() const { return epilogue_.taken(); }

  Stmt run() {
    const int64_t products = stage_.knownSteps(false) * stage_.knownSteps(true);
    const bool parallel = products >= kParallelFrom;
    const bool outerShared = parallel && stepsOf(roles_.outer).value_or(1) > 1;
    const Stmt body = overAxes(roles_.outer, [&](const arith::VarMap& places) {
      places_ = places;
      return panels(parallel && !outerShared ? ForKind::Parallel : ForKind::Serial);
    });
    return inBlock(stage_.name, outerShared ? inParallel(body) : body);
  }

 private:
  PrimExpr number(int64_t value) const { return arith::constantInt(index_, value); }

  Stmt panels(ForKind kind) {
    const int64_t whole = lanes_ / block_.width, rest = lanes_ % block_.width;
    std::vector<Stmt> parts;
    if (whole > 0) {
      parts.push_back(steps(index_, "panel", whole, kind, [&](const PrimExpr& panel) {
        return onePanel(arith::mul(panel, number(block_.width)), block_.width);
      }));
    }
    if (rest > 0) parts.push_back(onePanel(number(whole * block_.width), rest));
    return seq(parts);
  }

  Stmt onePanel(const PrimExpr& first, int64_t width) {
    first_ = first;
    width_ = width;
    if (direct_) return tiles();
    std::vector<PrimExpr> shape;
    for (const StageAxis& axis : roles_.sums) shape.push_back(axis.extent);
    shape.push_back(number(width));
    packed_ = lower::newBuffer(Str("packed"), type_, Array<PrimExpr>(std::move(shape)));
    const Stmt pack = packing();
    return seq(std::vector<Stmt>{make<AllocBuffer>(packed_), pack, tiles()});
  }

  /// What the axes of the lanes stand for in this lane of the panel.
  void bindLane(arith::VarMap& places, const PrimExpr& lane) const {
    PrimExpr left = arith::add(first_, lane);
    for (size_t i = roles_.lanes.size(); i-- > 0;) {
      const StageAxis& axis = roles_.lanes[i];
      places[axis.var.get()] = i == 0 ? left : arith::floorMod(left, axis.extent);
      if (i > 0) left = arith::floorDiv(left, axis.extent);
    }
  }

  Stmt packing() {
    const auto element = [&](const arith::VarMap& sums, const PrimExpr& lane) {
      arith::VarMap places = places_;
      places.insert(sums.begin(), sums.end());
      bindLane(places, lane);
      return storeTo(packed_, packedAt(sums, lane), arith::substitute(roles_.across, places));
    };
    if (roles_.acrossInOrder) {
      return overSums([&](const arith::VarMap& sums) {
        return vectorSteps(index_, width_, perVector_, [&](const PrimExpr& lane) { return element(sums, lane); });
      });
    }
    // One step of the first sum at a time: what is read and what is written both stay in the nearest cache.
    const size_t first = roles_.sums.size() > 1 ? 1 : 0;
    return overAxes(std::span(roles_.sums).first(first), [&](const arith::VarMap& outer) {
      return steps(index_, "lane", width_, ForKind::Serial, [&](const PrimExpr& lane) {
        return overAxes(std::span(roles_.sums).subspan(first), [&](arith::VarMap sums) {
          sums.insert(outer.begin(), outer.end());
          return element(sums, lane);
        });
      });
    });
  }

  Stmt overSums(const std::function<Stmt(const arith::VarMap&)>& made) const { return overAxes(roles_.sums, made); }

  std::vector<PrimExpr> packedAt(const arith::VarMap& sums, const PrimExpr& lane) const {
    std::vector<PrimExpr> at;
    for (const StageAxis& axis : roles_.sums) at.push_back(sums.at(axis.var.get()));
    at.push_back(lane);
    return at;
  }

  Stmt tiles() {
    const int64_t whole = rows_ / block_.rows, rest = rows_ % block_.rows;
    const size_t around = roles_.rows.empty() || flatRows_ ? 0 : roles_.rows.size() - 1;
    return overAxes(std::span(roles_.rows).first(around), [&](const arith::VarMap& places) {
      around_ = places;
      std::vector<Stmt> parts;
      if (whole > 0) {
        parts.push_back(steps(index_, "tile", whole, ForKind::Serial, [&](const PrimExpr& tile) {
          return oneTile(arith::mul(tile, number(block_.rows)), block_.rows);
        }));
      }
      if (rest > 0) parts.push_back(oneTile(number(whole * block_.rows), rest));
      return seq(parts);
    });
  }

  /// What the axes stand for in this row and lane.
  arith::VarMap placesOf(const PrimExpr& row, const PrimExpr& lane) const {
    arith::VarMap places = places_;
    places.insert(around_.begin(), around_.end());
    bindLane(places, lane);
    PrimExpr left = row;
    for (size_t i = roles_.rows.size(); i-- > around_.size();) {
      const StageAxis& axis = roles_.rows[i];
      places[axis.var.get()] = i == around_.size() ? left : arith::floorMod(left, axis.extent);
      if (i > around_.size()) left = arith::floorDiv(left, axis.extent);
    }
    return places;
  }

  Stmt oneTile(const PrimExpr& firstRow, int64_t rows) {
    const BufferRef sums = lower::newBuffer(
        Str("sums"), type_, Array<PrimExpr>(std::vector<PrimExpr>{number(rows), number(width_)}), "local");
    const auto eachRow = [&](const std::function<Stmt(const PrimExpr&, const PrimExpr&)>& made) {
      return steps(index_, "row", rows, ForKind::Unrolled, [&](const PrimExpr& row) {
        return vectorSteps(index_, width_, perVector_, [&](const PrimExpr& lane) { return made(row, lane); });
      });
    };
    const Stmt start = eachRow([&](const PrimExpr& row, const PrimExpr& lane) {
      return storeTo(sums, {row, lane}, stage_.init);
    });
    const Stmt add = overSums([&](const arith::VarMap& at) {
      return eachRow([&](const PrimExpr& row, const PrimExpr& lane) {
        arith::VarMap places = placesOf(arith::add(firstRow, row), lane);
        places.insert(at.begin(), at.end());
        const PrimExpr across =
            direct_ ? arith::substitute(roles_.across, places) : elementOf(packed_, packedAt(at, lane));
        const PrimExpr spread = arith::substitute(roles_.spread, places);
        return storeTo(sums, {row, lane}, added(spread, across, elementOf(sums, {row, lane})));
      });
    });
    std::vector<Stmt> parts{make<AllocBuffer>(sums), start, add};
    const auto stored = [&](const BufferRef& from, const PrimExpr& row, const PrimExpr& lane) {
      return epilogue_.store(placesOf(arith::add(firstRow, row), lane), elementOf(from, {row, lane}));
    };
    if (storedInOrder_) {
      parts.push_back(eachRow([&](const PrimExpr& row, const PrimExpr& lane) { return stored(sums, row, lane); }));
      return seq(parts);
    }
    // Registers can not be indexed: what they hold goes through memory on its way to places that are far apart.
    const BufferRef done = lower::newBuffer(Str("done"), type_, sums->shape);
    parts.push_back(make<AllocBuffer>(done));
    parts.push_back(eachRow([&](const PrimExpr& row, const PrimExpr& lane) {
      return storeTo(done, {row, lane}, elementOf(sums, {row, lane}));
    }));
    const bool rowsInOrder = rows > 1 && !flatRows_ && isUnitStride(epilogue_.indices(), *roles_.rows.back().var);
    parts.push_back(steps(index_, "lane", width_, ForKind::Serial, [&](const PrimExpr& lane) {
      return steps(index_, "row", rows, rowsInOrder ? ForKind::Vectorized : ForKind::Serial,
                   [&](const PrimExpr& row) { return stored(done, row, lane); });
    }));
    return seq(parts);
  }

  PrimExpr added(const PrimExpr& a, const PrimExpr& b, const PrimExpr& sum) const {
    return fused_ ? fusedMultiplyAdd(a, b, sum) : arith::add(sum, arith::mul(a, b));
  }

  const Stage& stage_;
  const Contraction& roles_;
  Epilogue epilogue_;
  DataType type_, index_;
  bool fused_;
  int64_t perVector_ = 1, rows_ = 1, lanes_ = 1;
  RegisterBlock block_{1, 1};
  bool flatRows_ = false, direct_ = false, storedInOrder_ = false;
  // Where the walk stands.
  arith::VarMap places_, around_;
  PrimExpr first_;
  int64_t width_ = 1;
  BufferRef packed_;
};

}  // namespace

StageOutcome hostProducts(const StageInput& input) {
  const ContractionFinding finding = findContraction(input.stage);
  if (!finding.found) return stageStays(std::string(finding.why));
  const Contraction& roles = *finding.found;
  if (roles.sumsInOrder && !roles.acrossInOrder) return stageStays("each sum reads its operands in order");
  Products products(input, roles);
  const Stmt made = products.run();
  return {made, products.tookBehind(), {}};
}

}  // namespace rx::schedule
