// host.Winograd: convolutions of three by three, a step at a time, as products of fewer numbers. Four results that lie
// together take 36 products each channel; of sums of their 16 inputs and of the weights they take 16. The sums of the
// weights are made once, for all runs; those of the inputs for some tiles at a time, so that they stay in a core's own
// cache, for all panels of the results.
#include <algorithm>
#include <array>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/new_buffer.h"
#include "core/lower/statements.h"
#include "core/schedule/contraction.h"
#include "core/schedule/epilogue.h"
#include "core/schedule/host_rules.h"
#include "core/schedule/nest_parts.h"
#include "core/schedule/packed_weight.h"
#include "core/schedule/pieces.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// A tile: so many results on either side, of a window of so many weights, from so many inputs; and points of the sums.
constexpr int64_t kResults = 2, kWindow = 3, kInputs = kResults + kWindow - 1, kPoints = kInputs * kInputs;
/// Fewer channels on either side, or tiles that read the same weights, and the sums cost more than they save.
constexpr int64_t kLeastChannels = 32, kLeastTiles = 32;
/// What making the sums costs beside the products.
constexpr double kSums = 1.25;
/// Sums of inputs of some tiles: most of a core's own cache. A block of registers: vectors of a row, and rows.
constexpr int64_t kElementsOfTiles = int64_t{13} << 14, kVectors = 2, kRows = 8;

/// So many parts of the tiles are shared well by any number of threads.
constexpr int64_t kLeastParts = 5;
/// Threads find as many parts where each has so many tiles: fewer read the weights too often.
constexpr int64_t kSharedParts = 8, kLeastOfPart = 48;

/// A sum of some of the numbers in a row.
using Row = std::span<const double>;
constexpr double kOfInputs[kInputs][kInputs] = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}};
constexpr double kOfWeights[kInputs][kWindow] = {{1, 0, 0}, {.5, .5, .5}, {.5, -.5, .5}, {0, 0, 1}};
constexpr double kOfProducts[kResults][kInputs] = {{1, 1, 1, 0}, {0, 1, -1, -1}};

/// An axis of results, and the window along it: `index` of what is read is their sum.
struct Side {
  const StageAxis *results = nullptr, *window = nullptr;
  size_t index = 0;
  int64_t tiles() const { return (*results->steps() + kResults - 1) / kResults; }
};

/// What of the stage is what of a convolution.
struct Windows {
  const BufferLoad *inputs, *weights;
  std::array<Side, 2> sides;
  const StageAxis *channels, *filters;
  std::vector<StageAxis> around;  ///< rows that are no side

  int64_t tiles() const { return sides[0].tiles() * sides[1].tiles(); }
};

/// Nothing where it is no convolution of three by three whose results and inputs have their channels last.
std::optional<Windows> windowsOf(const Contraction& roles) {
  Windows made{as<BufferLoad>(roles.spread), as<BufferLoad>(roles.across), {}, nullptr, nullptr, {}};
  if (!made.inputs || !made.weights || !roles.outer.empty() || roles.lanes.size() != 1 || roles.sums.size() != 3)
    return std::nullopt;
  made.filters = &roles.lanes.front();
  size_t sides = 0;
  for (size_t i = 0; i < made.inputs->indices.size(); ++i) {
    const PrimExpr& index = made.inputs->indices[i];
    if (const StageAxis* sum = axisOf(roles.sums, index)) {
      if (made.channels || i + 1 != made.inputs->indices.size()) return std::nullopt;
      made.channels = sum;
    } else if (const auto* both = as<Add>(index)) {
      const StageAxis *results = axisOf(roles.rows, both->a), *window = axisOf(roles.sums, both->b);
      if (!results || !window || sides == 2) return std::nullopt;
      made.sides[sides++] = {results, window, i};
    } else if (!axisOf(roles.rows, index) && !asInt(index)) {
      return std::nullopt;
    }
  }
  if (!made.channels || sides != 2) return std::nullopt;
  for (const StageAxis& row : roles.rows)
    if (row.var != made.sides[0].results->var && row.var != made.sides[1].results->var) made.around.push_back(row);
  const auto plain = [&](const PrimExpr& index) {
    return axisOf(roles.sums, index) || axisOf(roles.lanes, index) || asInt(index);
  };
  const bool known = stepsOf(roles.rows) && stepsOf(roles.sums) && stepsOf(roles.lanes);
  const bool three = known && *made.sides[0].window->steps() == kWindow && *made.sides[1].window->steps() == kWindow;
  const bool whole = std::all_of(made.weights->indices.begin(), made.weights->indices.end(), plain);
  return three && whole ? std::optional(made) : std::nullopt;
}

/// Whether it takes enough fewer products.
bool pays(const Windows& windows) {
  const auto direct =
      static_cast<double>(kWindow * kWindow * *windows.sides[0].results->steps() * *windows.sides[1].results->steps());
  const auto fewer = static_cast<double>(kPoints * windows.tiles());
  return *windows.channels->steps() >= kLeastChannels && *windows.filters->steps() >= kLeastChannels &&
         windows.tiles() >= kLeastTiles && kSums * fewer <= direct;
}

class Winograd {
 public:
  Winograd(const StageInput& input, const Windows& windows, DataType type)
      : stage_(input.stage),
        windows_(windows),
        epilogue_(input.stage, input.behind),
        type_(type),
        fused_(input.vectors.fused),
        grain_(input.grainOfProducts()),
        perVector_(input.vectors.lanes(type)),
        width_(std::min(kVectors * perVector_, *windows.filters->steps())),
        channels_(*windows.channels->steps()),
        filters_(*windows.filters->steps()) {
    index_ = stage_.axes.front().var->dtype;
    const Buffer& weights = *windows.weights->buffer;
    weight_ = buffer(weights.name.string() + "_summed", {(filters_ + width_ - 1) / width_, kPoints, channels_, width_});
  }
  bool storesInOrder() const { return isUnitStride(epilogue_.indices(), *windows_.filters->var); }
  bool tookBehind() const { return epilogue_.taken(); }
  LaidOut weight() const { return {weight_, asWeightCopy(inBlock(weight_->name, weightSums()))}; }

  Stmt run() {
    const bool sharesTiles = grain_.shares() && windows_.around.empty();
    const int64_t most = std::clamp<int64_t>(kElementsOfTiles / (kPoints * channels_), kRows, windows_.tiles());
    const int64_t shared = sharesTiles ? std::min(kSharedParts, windows_.tiles() / kLeastOfPart) : 1;
    const int64_t parts = std::max((windows_.tiles() + most - 1) / most, shared);
    // Of few parts threads share the tiles and the panels of each.
    within_ = sharesTiles && parts < kLeastParts && parts % 2 == 1 ? ForKind::Parallel : ForKind::Serial;
    return inBlock(stage_.name, grain_.over(windows_.around, [&](const arith::VarMap& places, ForKind kind) {
      places_ = places;
      const Cut cut{"tiles", (windows_.tiles() + parts - 1) / parts,
                    within_ == ForKind::Parallel ? ForKind::Serial : kind};
      return inPieces(number(windows_.tiles()), cut, [&](const Piece& tiles) { return someTiles(tiles); });
    }));
  }

 private:
  PrimExpr number(int64_t value) const { return arith::constantInt(index_, value); }
  BufferRef buffer(const std::string& name, std::initializer_list<int64_t> shape, const char* scope = "global") const {
    std::vector<PrimExpr> dims;
    for (const int64_t size : shape) dims.push_back(number(size));
    return lower::newBuffer(Str(name), type_, Array<PrimExpr>(std::move(dims)), scope);
  }

  /// Numbers times others, added up, those that are taken away last; those times zero are none of it.
  static PrimExpr sum(Row row, const std::function<PrimExpr(size_t)>& element) {
    PrimExpr made;
    for (const bool negative : {false, true}) {
      for (size_t i = 0; i < row.size(); ++i) {
        if (row[i] == 0 || (row[i] < 0) != negative) continue;
        const bool plain = row[i] == 1 || (made && row[i] == -1);
        const PrimExpr value =
            plain ? element(i) : arith::mul(element(i), arith::constant(DataType::Float(32), row[i]));
        made = !made ? value : plain && negative ? arith::sub(made, value) : arith::add(made, value);
      }
    }
    return made;
  }

  /// Both sides of a square of numbers summed by these rows: [rows, columns] to [sums, sums], each a vector.
  template <size_t Sums, size_t Numbers>
  Stmt summed(const double (&rows)[Sums][Numbers], int64_t lanes,
              const std::function<PrimExpr(size_t, PrimExpr)>& given,
              const std::function<Stmt(size_t, const PrimExpr&, PrimExpr)>& put) const {
    const auto numbers = static_cast<int64_t>(Numbers), sums = static_cast<int64_t>(Sums);
    const BufferRef read = buffer("given", {numbers * numbers, lanes}, "local");
    const BufferRef half = buffer("half", {sums * numbers, lanes}, "local");
    std::vector<Stmt> parts{make<AllocBuffer>(read), make<AllocBuffer>(half)};
    const auto vector = [&](const StepMaker& made) {
      parts.push_back(steps(index_, "lane", lanes, ForKind::Vectorized, made));
    };
    const auto at = [&](const BufferRef& of, size_t place, const PrimExpr& lane) {
      return elementOf(of, {number(static_cast<int64_t>(place)), lane});
    };
    for (size_t i = 0; i < Numbers * Numbers; ++i)
      vector([&](const PrimExpr& lane) {
        return storeTo(read, {number(static_cast<int64_t>(i)), lane}, given(i, lane));
      });
    for (size_t s = 0; s < Sums; ++s)
      for (size_t column = 0; column < Numbers; ++column)
        vector([&](const PrimExpr& lane) {
          return storeTo(half, {number(static_cast<int64_t>(s * Numbers + column)), lane},
                         sum(rows[s], [&](size_t i) { return at(read, i * Numbers + column, lane); }));
        });
    for (size_t s = 0; s < Sums; ++s)
      for (size_t other = 0; other < Sums; ++other)
        vector([&](const PrimExpr& lane) {
          return put(s * Sums + other, lane,
                     sum(rows[other], [&](size_t i) { return at(half, s * Numbers + i, lane); }));
        });
    return seq(parts);
  }

  /// What an axis has so many of in whole vectors, and in one of what is left.
  Stmt inVectors(int64_t count, const std::function<Stmt(const PrimExpr& first, int64_t lanes)>& made) const {
    return inPieces(number(count), {"vector", perVector_},
                    [&](const Piece& piece) { return made(piece.first, piece.count); });
  }

  /// Where a tile begins along each side.
  std::array<PrimExpr, 2> cornerOf(const PrimExpr& tile) const {
    const PrimExpr across = number(windows_.sides[1].tiles()), results = number(kResults);
    return {arith::mul(arith::floorDiv(tile, across), results), arith::mul(arith::floorMod(tile, across), results)};
  }

  Stmt someTiles(const Piece& tiles) {
    tiles_ = tiles;
    inputs_ = buffer("inputs", {kPoints, tiles.count, channels_});
    const Stmt sums =
        steps(index_, "tile", tiles.count, within_, [&](const PrimExpr& tile) { return inputSums(tile); });
    const Stmt panels =
        inPieces(number(filters_), {"panel", width_, within_}, [&](const Piece& panel) { return onePanel(panel); });
    return seq(std::vector<Stmt>{make<AllocBuffer>(inputs_), sums, panels});
  }

  Stmt inputSums(const PrimExpr& tile) const {
    const auto corner = cornerOf(arith::add(tiles_.first, tile));
    return inVectors(channels_, [&](const PrimExpr& first, int64_t lanes) {
      const auto given = [&](size_t i, const PrimExpr& lane) {
        arith::VarMap places = places_;
        places[windows_.channels->var.get()] = arith::add(first, lane);
        std::vector<PrimExpr> at = indicesAt(windows_.inputs->indices.span(), places);
        for (size_t side = 0; side < 2; ++side) {
          // What lies behind the last input is part of no result that is kept.
          const auto offset = static_cast<int64_t>(side == 0 ? i / kInputs : i % kInputs);
          const Side& of = windows_.sides[side];
          const int64_t last = *of.results->steps() + kWindow - 2;
          const PrimExpr place = arith::add(corner[side], number(offset));
          at[of.index] = (of.tiles() - 1) * kResults + offset > last ? arith::min(place, number(last)) : place;
        }
        return elementOf(windows_.inputs->buffer, std::move(at));
      };
      return summed(kOfInputs, lanes, given, [&](size_t point, const PrimExpr& lane, PrimExpr value) {
        return storeTo(inputs_, {number(static_cast<int64_t>(point)), tile, arith::add(first, lane)}, std::move(value));
      });
    });
  }

  Stmt onePanel(const Piece& panel) {
    products_ = buffer("products", {kPoints, tiles_.count, panel.count});
    const Stmt multiplied = steps(index_, "point", kPoints, ForKind::Serial, [&](const PrimExpr& point) {
      return inPieces(number(tiles_.count), {"rows", kRows},
                      [&](const Piece& rows) { return oneBlock(point, rows, panel); });
    });
    const Stmt stored = steps(index_, "tile", tiles_.count, ForKind::Serial, [&](const PrimExpr& tile) {
      const auto corner = cornerOf(arith::add(tiles_.first, tile));
      std::vector<Stmt> parts;
      for (int64_t first = 0; first < panel.count; first += perVector_)
        parts.push_back(results(tile, corner, panel, first, std::min(perVector_, panel.count - first)));
      return seq(parts);
    });
    return seq(std::vector<Stmt>{make<AllocBuffer>(products_), multiplied, stored});
  }

  /// The products of some tiles at one point, in registers.
  Stmt oneBlock(const PrimExpr& point, const Piece& rows, const Piece& panel) const {
    const BufferRef sums = buffer("sums", {rows.count, panel.count}, "local");
    const auto each = [&](const std::function<Stmt(const PrimExpr&, const PrimExpr&)>& made) {
      return steps(index_, "row", rows.count, ForKind::Unrolled, [&](const PrimExpr& row) {
        return vectorSteps(index_, panel.count, perVector_, [&](const PrimExpr& lane) { return made(row, lane); });
      });
    };
    const Stmt start = each([&](const PrimExpr& row, const PrimExpr& lane) {
      return storeTo(sums, {row, lane}, arith::constant(type_, 0));
    });
    const PrimExpr at = arith::floorDiv(panel.first, number(width_));
    const Stmt add = steps(index_, "channel", channels_, ForKind::Serial, [&](const PrimExpr& channel) {
      return each([&](const PrimExpr& row, const PrimExpr& lane) {
        const PrimExpr input = elementOf(inputs_, {point, arith::add(rows.first, row), channel});
        const PrimExpr weight = elementOf(weight_, {at, point, channel, lane});
        const PrimExpr before = elementOf(sums, {row, lane});
        return storeTo(
            sums, {row, lane},
            fused_ ? fusedMultiplyAdd(input, weight, before) : arith::add(before, arith::mul(input, weight)));
      });
    });
    const Stmt keep = each([&](const PrimExpr& row, const PrimExpr& lane) {
      return storeTo(products_, {point, arith::add(rows.first, row), lane}, elementOf(sums, {row, lane}));
    });
    return seq(std::vector<Stmt>{make<AllocBuffer>(sums), start, add, keep});
  }

  Stmt results(const PrimExpr& tile, const std::array<PrimExpr, 2>& corner, const Piece& panel, int64_t first,
               int64_t lanes) const {
    const auto given = [&](size_t point, const PrimExpr& lane) {
      return elementOf(products_, {number(static_cast<int64_t>(point)), tile, arith::add(lane, number(first))});
    };
    const BufferRef made = buffer("made", {kResults * kResults, lanes}, "local");
    std::vector<Stmt> parts{make<AllocBuffer>(made),
                            summed(kOfProducts, lanes, given, [&](size_t i, const PrimExpr& lane, PrimExpr value) {
                              return storeTo(made, {number(static_cast<int64_t>(i)), lane}, std::move(value));
                            })};
    for (int64_t i = 0; i < kResults * kResults; ++i) {
      const std::array<int64_t, 2> offset{i / kResults, i % kResults};
      arith::VarMap places = places_;
      PrimExpr inside;
      for (size_t side = 0; side < 2; ++side) {
        const StageAxis& axis = *windows_.sides[side].results;
        const PrimExpr place = arith::add(corner[side], number(offset[side]));
        places[axis.var.get()] = place;
        if (offset[side] == 0 || *axis.steps() % kResults == 0) continue;
        const PrimExpr before = arith::lt(place, axis.extent);
        inside = inside ? arith::logicalAnd(inside, before) : before;
      }
      Stmt store = steps(index_, "lane", lanes, ForKind::Vectorized, [&](const PrimExpr& lane) {
        places[windows_.filters->var.get()] = arith::add(arith::add(panel.first, number(first)), lane);
        return epilogue_.store(places, elementOf(made, {number(i), lane}));
      });
      parts.push_back(inside ? make<IfThenElse>(inside, store, nullptr) : store);
    }
    return seq(parts);
  }

  /// The sums of the weights at each point, in panels.
  Stmt weightSums() const {
    std::vector<Stmt> parts;
    for (int64_t point = 0; point < kPoints; ++point) {
      const Row rows = kOfWeights[point / kInputs], columns = kOfWeights[point % kInputs];
      std::vector<double> factors;
      for (const double row : rows)
        for (const double column : columns) factors.push_back(row * column);
      const auto onePanel = [&](const PrimExpr& panel, int64_t count) {
        const auto element = [&](const PrimExpr& channel, const PrimExpr& lane) {
          const auto weight = [&](size_t i) {
            const arith::VarMap places{
                {windows_.channels->var.get(), channel},
                {windows_.filters->var.get(), arith::add(arith::mul(panel, number(width_)), lane)},
                {windows_.sides[0].window->var.get(), number(static_cast<int64_t>(i) / kWindow)},
                {windows_.sides[1].window->var.get(), number(static_cast<int64_t>(i) % kWindow)}};
            return arith::substitute(PrimExpr(windows_.weights), places);
          };
          return storeTo(weight_, {panel, number(point), channel, lane}, sum(factors, weight));
        };
        return steps(index_, "channel", channels_, ForKind::Serial, [&](const PrimExpr& channel) {
          return steps(index_, "lane", count, ForKind::Serial,
                       [&](const PrimExpr& lane) { return element(channel, lane); });
        });
      };
      const int64_t whole = filters_ / width_, rest = filters_ % width_;
      if (whole > 0)
        parts.push_back(steps(index_, "panel", whole, ForKind::Serial,
                              [&](const PrimExpr& panel) { return onePanel(panel, width_); }));
      if (rest > 0) parts.push_back(onePanel(number(whole), rest));
    }
    return seq(parts);
  }

  const Stage& stage_;
  const Windows& windows_;
  Epilogue epilogue_;
  DataType type_, index_;
  bool fused_;
  ThreadGrain grain_;
  int64_t perVector_, width_, channels_, filters_;
  BufferRef weight_;  ///< [panel, point, channel, lane]
  arith::VarMap places_;
  ForKind within_ = ForKind::Serial;  ///< how the tiles and panels of a part are gone through
  Piece tiles_ = {};
  BufferRef inputs_;    ///< [point, tile, channel]
  BufferRef products_;  ///< [point, tile, lane of the panel]
};

}  // namespace

StageOutcome hostWinograd(const StageInput& input) {
  const ContractionFinding finding = findContraction(input.stage, input.weights);
  if (!finding.found) return stageStays(std::string(finding.why));
  const Contraction& roles = *finding.found;
  if (input.vectors.inOrder) return stageStays(kOrderIsFixed);
  if (roles.type != DataType::Float(32) || input.stage.buffer->dtype != roles.type || !arith::isZero(input.stage.init))
    return stageStays("it is no sum of float32 from zero");
  if (!roles.acrossReady) return stageStays("its weights are made in each run");
  const auto windows = windowsOf(roles);
  if (!windows) return stageStays("it is no convolution of three by three with its channels last");
  if (!pays(*windows)) return stageStays("its sums cost more than the products that they save");
  Winograd made(input, *windows, roles.type);
  if (!made.storesInOrder()) return stageStays("what becomes of it has another order");
  return {made.run(), made.tookBehind(), {}, {}, made.weight()};
}

}  // namespace rx::schedule
