// host.Products: sums of products in blocks of registers. A panel of the operand that lies across the lanes is packed
// once, in the order in which it is read, for all runs where it is a weight; each tile of rows then runs over it with
// all of its sums in registers.
#include <algorithm>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/schedule/contraction.h"
#include "core/schedule/epilogue.h"
#include "core/schedule/host_rules.h"
#include "core/schedule/nest_parts.h"
#include "core/schedule/packed_weight.h"
#include "core/schedule/pieces.h"
#include "core/schedule/register_block.h"

namespace rx::schedule {

using namespace tir;

namespace {

constexpr int64_t kMostVectors = 8;
/// Most rows of a block where neighbouring sums read the same numbers: those that are kept for the next take registers.
constexpr int64_t kRowsOfWindows = 8;
/// Packing a panel pays for more tiles of rows than that.
constexpr int64_t kTilesUnpacked = 6;
/// A matrix that is read where it lies is fetched so many rows ahead, from so many elements on: its rows are too far
/// apart for the processor to do so by itself.
constexpr int64_t kRowsAhead = 8, kFetchedFrom = int64_t{1} << 16;
/// The panel of a weight that is more than half of the nearest cache comes from farther away for each tile of rows:
/// each of its strips is fetched so many bytes ahead, as the processor by itself begins anew at each page.
constexpr int64_t kBytesAhead = 2048, kPanelFetchedFrom = int64_t{24} << 10;
/// Fewer rows than that in the last axis: rows are taken along all axes.
constexpr int64_t kFewRows = 4;

/// Where the rows do not fit beside a panel in a core's own cache, sums are added up in parts, for so many panels at
/// once: a tile of rows is then read from the nearest cache for all but the first of them. Fewer panels where threads
/// would else find less than so many groups.
constexpr int64_t kPanelsOfGroup = 8, kFewestPanels = 4, kGroups = 8, kLeastRowBytes = int64_t{1} << 19;
/// A part has at least so many steps: each writes the sums so far and reads them again.
constexpr int64_t kLeastPart = 256;
/// Panels that lie in the second cache are fetched so many steps ahead.
constexpr int64_t kStepsAhead = 16;

/// Rows of the block of what is left, where a run alone knows how many there are, and there are few.
constexpr int64_t kLesserRows[] = {1, 4};
/// Panels of a weight that a single row goes over together: those of one are too few sums to hide what a product takes.
constexpr int64_t kPanelsOfRow = 4;
/// Registers of so many bits take two steps on some processors, those of half as many one.
constexpr int64_t kHalvedBits = 512;
/// What rows read in steps, of neither rows nor sums next to each other, is gathered once for so many panels or more.
constexpr int64_t kPanelsOfGathered = 8;
/// Stands for a number that is large and not known.
constexpr int64_t kMany = int64_t{1} << 20;

/// The product of the extents.
PrimExpr productOf(std::span<const StageAxis> axes, DataType index) {
  PrimExpr product = arith::constantInt(index, 1);
  for (const StageAxis& axis : axes) product = arith::mul(product, axis.extent);
  return product;
}

class Products {
 public:
  Products(const StageInput& input, const Contraction& roles)
      : stage_(input.stage),
        roles_(roles),
        epilogue_(input.stage, input.behind),
        type_(roles.type),
        fused_(input.vectors.fused && roles.type.isFloat()),
        grain_(input.grainOfProducts()),
        caches_{input.vectors.cacheBytes[0], input.vectors.cacheBytes[1]} {
    index_ = stage_.axes.front().var->dtype;
    perVector_ = input.vectors.lanes(type_);
    allRows_ = productOf(roles_.rows, index_);
    rows_ = allRows_;
    if (!roles_.rows.empty()) {
      const StageAxis& last = roles_.rows.back();
      flatRows_ = roles_.rows.size() > 1 && asInt(allRows_) && *last.steps() < kFewRows;
      if (!flatRows_) rows_ = last.extent;
    }
    lanes_ = productOf(roles_.lanes, index_);
    const Choices& choices = input.vectors.choices;
    int64_t mostRows = roles_.sums.size() > 1 ? kRowsOfWindows : input.vectors.registers;
    if (choices.productRows > 0) mostRows = std::min(mostRows, choices.productRows);
    block_ = blockFor(asInt(rows_).value_or(kMany), mostRows, asInt(lanes_).value_or(kMany), perVector_,
                      input.vectors.registers, choices.productVectors > 0 ? choices.productVectors : kMostVectors);
    // Of whole numbers a panel holds fewer bytes; products of short ones are found by the compiler.
    const auto* widened = as<Cast>(roles_.across);
    inPanel_ = type_.isInt() && widened && isa<BufferLoad>(widened->value) ? widened->value : roles_.across;
    if (roles_.acrossReady) weight_.emplace(roles_, block_.width, perVector_);
    // A stage of a tile of rows is written for each form of the tile: with more forms of its own it would be more than
    // LLVM is let optimise.
    alone_ = input.threads;
    halves_ = alone_ && !weight_ && input.vectors.bits >= kHalvedBits;
    storedInOrder_ = roles_.lanes.size() == 1 ? isUnitStride(epilogue_.indices(), *roles_.lanes.front().var)
                                              : fillsLast(roles_.lanes, epilogue_.indices(), *epilogue_.buffer());
  }

  /// Sums in parts, panels in groups: of one axis of rows and one of sums, of known sizes.
  bool isInParts() const {
    if (roles_.rows.size() != 1 || roles_.sums.size() != 1 || !storedInOrder_) return false;
    const auto rows = stepsOf(roles_.rows), sums = stepsOf(roles_.sums), lanes = stepsOf(roles_.lanes);
    return rows && sums && lanes && *sums >= 2 * kLeastPart && partsOf(*sums) > 1 && *lanes >= 2 * block_.width &&
           *rows > kTilesUnpacked * block_.rows &&
           *rows * *sums * type_.bytes() >= std::max(kLeastRowBytes, caches_[1] / 2);
  }
  bool tookBehind() const { return epilogue_.taken(); }
  std::optional<LaidOut> weight() const {
    return weight_ ? std::optional(LaidOut{weight_->buffer(), weight_->copy()}) : std::nullopt;
  }

  Stmt run() {
    return inBlock(stage_.name, grain_.over(roles_.outer, [&](const arith::VarMap& places, ForKind shared) {
      places_ = places;
      rowsShared_ = shared == ForKind::Parallel && hasFewPanels();
      const ForKind kind = rowsShared_ ? ForKind::Serial : shared;
      const Stmt gathered = chooseGathered() ? gathering(shared == ForKind::Parallel) : nullptr;
      if (isInParts()) return seq(std::vector<Stmt>{gathered, inGroups(kind)});
      const int64_t lesser[] = {perVector_ / 2, perVector_};
      Cut cut{"panel", block_.width, kind};
      cut.lesser = std::span(lesser).subspan(halves_ ? 0 : 1);
      const Stmt panels =
          seq(std::vector<Stmt>{gathered, inPieces(lanes_, cut, [&](const Piece& panel) { return onePanel(panel); })});
      if (!hasFormOfRow()) return panels;
      const Stmt row = inPieces(lanes_, {"panels", kPanelsOfRow * block_.width, kind},
                                [&](const Piece& some) { return oneRow(some); });
      return Stmt(make<IfThenElse>(arith::eq(rows_, number(1)), row, panels));
    }));
  }

 private:
  PrimExpr number(int64_t value) const { return arith::constantInt(index_, value); }

  /// In how many parts so many sums are added up: of a part a tile of rows takes at most a third of the nearest cache,
  /// and a whole group of panels a quarter of the second.
  int64_t partsOf(int64_t sums) const {
    const int64_t inFirst = caches_[0] / 3 / (block_.rows * type_.bytes());
    const int64_t inSecond = caches_[1] / 4 / (kPanelsOfGroup * block_.width * type_.bytes());
    const int64_t part = std::max(kLeastPart, std::min(inFirst, inSecond));
    return (sums + part / 2) / part;
  }
  int64_t groupWidth() const {
    const int64_t panels = *stepsOf(roles_.lanes) / (kGroups * block_.width);
    return std::clamp(panels, kFewestPanels, kPanelsOfGroup) * block_.width;
  }

  /// Whether threads find no equal shares of the panels, or groups of them, of which what is left comes behind the
  /// others.
  bool hasFewPanels() const {
    const auto lanes = stepsOf(roles_.lanes);
    if (!lanes) return false;
    const int64_t size = isInParts() ? groupWidth() : block_.width;
    const bool even = *lanes % size == 0;
    return *lanes < (even ? 2 : 4) * size;
  }

  Stmt inGroups(ForKind kind) {
    return inPieces(lanes_, {"group", groupWidth(), kind}, [&](const Piece& group) {
      group_ = group;
      const int64_t sums = *stepsOf(roles_.sums), parts = partsOf(sums);
      std::vector<Stmt> made;
      if (epilogue_.taken() || type_ != stage_.buffer->dtype) {
        partial_ =
            lower::newBuffer(Str("partial"), type_, Array<PrimExpr>(std::vector<PrimExpr>{rows_, number(group.count)}));
        made.push_back(make<AllocBuffer>(partial_));
      }
      made.push_back(inPieces(number(sums), {"part", (sums + parts - 1) / parts}, [&](const Piece& part) {
        part_ = part;
        return onePart();
      }));
      part_.reset();
      return seq(made);
    });
  }

  Stmt onePart() {
    direct_ = false;
    if (weight_) return tiles();
    const int64_t panels = (group_.count + block_.width - 1) / block_.width;
    packed_ = lower::newBuffer(
        Str("packed"), inPanel_->dtype,
        Array<PrimExpr>(std::vector<PrimExpr>{number(panels), number(part_->count), number(block_.width)}));
    const Stmt pack = eachPanel([&] { return packing(); });
    return seq(std::vector<Stmt>{make<AllocBuffer>(packed_), pack, tiles()});
  }

  /// Every panel of the group.
  Stmt eachPanel(const std::function<Stmt()>& made) {
    return inPieces(number(group_.count), {"panel", block_.width}, [&](const Piece& piece) {
      inGroup_ = piece.first;
      panel_ = {arith::add(group_.first, piece.first), piece.count, nullptr};
      return made();
    });
  }

  Stmt onePanel(const Piece& panel) {
    panel_ = panel;
    if (weight_) return tiles();
    direct_ = roles_.acrossInOrder && !panel.end;
    // What is more than an element is computed once a lane, unless the rows are of one tile.
    const int64_t most = onlyLoad(roles_.across) ? kTilesUnpacked : 1;
    const PrimExpr few = arith::le(allRows_, number(most * block_.rows));
    if (!direct_ || arith::isZero(few)) return packedPanel();
    const Stmt direct = tiles();
    return arith::isOne(few) ? direct : make<IfThenElse>(few, direct, packedPanel());
  }

  Stmt packedPanel() {
    direct_ = false;
    std::vector<PrimExpr> shape;
    for (const StageAxis& axis : roles_.sums) shape.push_back(axis.extent);
    shape.push_back(number(panel_.count));
    packed_ = lower::newBuffer(Str("packed"), inPanel_->dtype, Array<PrimExpr>(std::move(shape)));
    const Stmt pack = packing();
    return seq(std::vector<Stmt>{make<AllocBuffer>(packed_), pack, tiles()});
  }

  /// What the axes of the lanes stand for in this lane of the panel.
  void bindLane(arith::VarMap& places, const PrimExpr& lane) const {
    bindLanes(roles_.lanes, arith::add(panel_.first, lane), places);
  }

  Stmt packing() {
    const auto element = [&](const arith::VarMap& sums, const PrimExpr& lane) {
      arith::VarMap places = places_;
      places.insert(sums.begin(), sums.end());
      bindLane(places, lane);
      PrimExpr value = arith::substitute(inPanel_, places);
      if (panel_.end) {
        // What is no lane takes part as zero, and is not stored.
        const PrimExpr inside = arith::lt(arith::add(panel_.first, lane), panel_.end);
        value = lower::intrinsic(value->dtype, "if_then_else", {inside, value, arith::constant(value->dtype, 0)});
      }
      return storeTo(packed_, packedAt(sums, lane), value);
    };
    if (roles_.acrossInOrder) {
      return overSums([&](const arith::VarMap& sums) {
        return vectorSteps(index_, panel_.count, perVector_, [&](const PrimExpr& lane) { return element(sums, lane); });
      });
    }
    if (part_) {
      return steps(index_, "lane", panel_.count, ForKind::Serial, [&](const PrimExpr& lane) {
        return overSums([&](const arith::VarMap& sums) { return element(sums, lane); });
      });
    }
    // One step of the first sum at a time: what is read and what is written both stay in the nearest cache.
    const size_t first = roles_.sums.size() > 1 ? 1 : 0;
    return overAxes(std::span(roles_.sums).first(first), [&](const arith::VarMap& outer) {
      return steps(index_, "lane", panel_.count, ForKind::Serial, [&](const PrimExpr& lane) {
        return overAxes(std::span(roles_.sums).subspan(first), [&](arith::VarMap sums) {
          sums.insert(outer.begin(), outer.end());
          return element(sums, lane);
        });
      });
    });
  }

  Stmt overSums(const std::function<Stmt(const arith::VarMap&)>& made) {
    if (!part_) return overAxes(roles_.sums, made);
    const Var& sum = *roles_.sums.front().var;
    return steps(index_, sum.name.view(), part_->count, ForKind::Serial, [&](const PrimExpr& step) {
      inPart_ = step;
      return made({{&sum, arith::add(part_->first, step)}});
    });
  }

  std::vector<PrimExpr> packedAt(const arith::VarMap& sums, const PrimExpr& lane) const {
    if (part_) return {arith::Canon().simplify(arith::floorDiv(inGroup_, number(block_.width))), inPart_, lane};
    std::vector<PrimExpr> at;
    for (const StageAxis& axis : roles_.sums) at.push_back(sums.at(axis.var.get()));
    at.push_back(lane);
    return at;
  }

  Stmt tiles() {
    const size_t around = roles_.rows.empty() || flatRows_ ? 0 : roles_.rows.size() - 1;
    const Stmt nest = overAxes(std::span(roles_.rows).first(around), [&](const arith::VarMap& places) {
      around_ = places;
      Cut cut{"tile", block_.rows, rowsShared_ && around == 0 ? ForKind::Parallel : ForKind::Serial};
      if (direct_ || weight_) cut.lesser = kLesserRows;
      cut.alike = panel_.end != nullptr;
      return inPieces(rows_, cut, [&](const Piece& tile) {
        return part_ ? eachPanel([&] { return oneTile(tile); }) : oneTile(tile);
      });
    });
    return rowsShared_ && around > 0 ? inParallel(nest) : nest;
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

  /// Whether the rows read single elements that are far apart, as convolutions in steps do, and several panels read
  /// them.
  bool gathersRows() const {
    const auto* load = onlyLoad(roles_.spread);
    const auto rows = stepsOf(roles_.rows), lanes = stepsOf(roles_.lanes);
    if (!load || roles_.rows.empty() || !rows || !lanes) return false;
    const auto isNext = [&](const StageAxis& axis) { return isUnitStride(load->indices.span(), *axis.var); };
    return !isNext(roles_.rows.back()) && !isNext(roles_.sums.back()) && *rows > kTilesUnpacked * block_.rows &&
           *lanes >= kPanelsOfGathered * block_.width;
  }

  /// Whether what is spread is widened from another type, by itself, and several panels read it: once for all of them
  /// costs less than a number at a time.
  bool widensRows() const {
    const auto* wide = as<Cast>(roles_.spread);
    const auto* load = wide ? as<BufferLoad>(wide->value) : nullptr;
    const auto rows = stepsOf(roles_.rows), lanes = stepsOf(roles_.lanes);
    return load && load->dtype.isFloat() && !roles_.rows.empty() && rows && lanes && stepsOf(roles_.sums) &&
           *lanes >= 2 * block_.width;
  }

  /// The axes of what is gathered, in the order in which it lies; whether anything is.
  bool chooseGathered() {
    if (roles_.sums.size() != 1) return false;
    gatheredAxes_ = {roles_.sums.front()};
    gatheredAxes_.insert(gatheredAxes_.end(), roles_.rows.begin(), roles_.rows.end());
    if (!isInParts() && gathersRows()) return true;
    if (!widensRows()) return false;
    // As it lies in what is read, where each axis has an index of its own.
    std::vector<StageAxis> inOrder;
    for (const PrimExpr& index : onlyLoad(roles_.spread)->indices) {
      for (const StageAxis& axis : gatheredAxes_)
        if (index == PrimExpr(axis.var)) inOrder.push_back(axis);
    }
    if (inOrder.size() != gatheredAxes_.size()) return false;
    gatheredAxes_ = std::move(inOrder);
    return true;
  }

  /// What is spread, by these axes.
  Stmt gathering(bool shared) {
    const std::vector<StageAxis>& axes = gatheredAxes_;
    std::vector<PrimExpr> shape;
    for (const StageAxis& axis : axes) shape.push_back(axis.extent);
    gathered_ = lower::newBuffer(Str("gathered"), roles_.spread->dtype, Array<PrimExpr>(std::move(shape)));
    const Stmt made = overAxes(axes, [&](arith::VarMap places) {
      places.insert(places_.begin(), places_.end());
      return storeTo(gathered_, gatheredAt(places), arith::substitute(roles_.spread, places));
    });
    return seq(std::vector<Stmt>{make<AllocBuffer>(gathered_), shared ? inParallel(made) : made});
  }

  std::vector<PrimExpr> gatheredAt(const arith::VarMap& places) const {
    std::vector<PrimExpr> at;
    for (const StageAxis& axis : gatheredAxes_) at.push_back(places.at(axis.var.get()));
    return at;
  }

  /// Whether a single row, where a run alone knows that it is one, has a form of its own: other rules that are for one
  /// read a weight as it lies.
  bool hasFormOfRow() const {
    return weight_ && roles_.rows.size() == 1 && !asInt(rows_) && asInt(lanes_).value_or(0) > block_.width;
  }

  /// The only row, over these panels.
  Stmt oneRow(const Piece& some) {
    const Piece row{number(0), 1, nullptr};
    std::vector<Piece> panels;
    std::vector<BufferRef> sums;
    std::vector<Stmt> parts;
    for (int64_t at = 0; at < some.count; at += block_.width) {
      panels.push_back({arith::add(some.first, number(at)), std::min(block_.width, some.count - at), nullptr});
      panel_ = panels.back();
      sums.push_back(newSums(row));
      parts.insert(parts.end(), {make<AllocBuffer>(sums.back()), started(row, sums.back())});
    }
    parts.push_back(overSums([&](const arith::VarMap& at) {
      std::vector<Stmt> products;
      for (size_t i = 0; i < panels.size(); ++i) {
        panel_ = panels[i];
        products.push_back(multiplied(row, sums[i], at));
      }
      return seq(products);
    }));
    for (size_t i = 0; i < panels.size(); ++i) {
      panel_ = panels[i];
      parts.push_back(storing(row, sums[i]));
    }
    return seq(parts);
  }

  /// Each row of a tile in each lane of the panel.
  Stmt eachRow(const Piece& tile, const std::function<Stmt(const PrimExpr&, const PrimExpr&)>& made) const {
    return steps(index_, "row", tile.count, ForKind::Unrolled, [&](const PrimExpr& row) {
      return vectorSteps(index_, panel_.count, perVector_, [&](const PrimExpr& lane) { return made(row, lane); });
    });
  }

  BufferRef newSums(const Piece& tile) const {
    return lower::newBuffer(Str("sums"), type_,
                            Array<PrimExpr>(std::vector<PrimExpr>{number(tile.count), number(panel_.count)}), "local");
  }

  Stmt started(const Piece& tile, const BufferRef& sums) const {
    return eachRow(tile, [&](const PrimExpr& row, const PrimExpr& lane) {
      return storeTo(sums, {row, lane}, arith::cast(type_, stage_.init));
    });
  }

  /// The products of one step of the sums.
  Stmt multiplied(const Piece& tile, const BufferRef& sums, const arith::VarMap& at) const {
    return steps(index_, "row", tile.count, ForKind::Unrolled, [&](const PrimExpr& row) {
      return vectorParts(index_, panel_.count, perVector_, [&](const PrimExpr& vector, const PrimExpr& inVector) {
        const PrimExpr lane = arith::add(vector, inVector);
        arith::VarMap places = placesOf(tile.step(row), lane);
        places.insert(at.begin(), at.end());
        const PrimExpr across =
            weight_ ? weight_->element(places_, panel_.first, at, vector, inVector) : acrossAt(places, at, lane);
        const PrimExpr spread =
            gathered_ ? elementOf(gathered_, gatheredAt(places)) : arith::substitute(roles_.spread, places);
        return storeTo(sums, {row, lane}, added(spread, across, elementOf(sums, {row, lane})));
      });
    });
  }

  Stmt oneTile(const Piece& tile) {
    const BufferRef sums = newSums(tile);
    Stmt start = started(tile, sums);
    if (part_) {
      const Stmt again = eachRow(tile, [&](const PrimExpr& row, const PrimExpr& lane) {
        const auto [buffer, at] = partialAt(tile, row, lane);
        return storeTo(sums, {row, lane}, elementOf(buffer, at));
      });
      start = make<IfThenElse>(arith::eq(part_->first, number(0)), start, again);
    }
    const Stmt add = overSums([&](const arith::VarMap& at) {
      const Stmt products = multiplied(tile, sums, at);
      const Stmt ahead = weight_            ? weightFetched(at)
                         : direct_          ? fetchedAhead(tile, at)
                         : part_ && packed_ ? fetchedOfGroup()
                                            : nullptr;
      return seq(std::vector<Stmt>{ahead, products});
    });
    Stmt store = storing(tile, sums);
    if (part_) {
      const Stmt kept = eachRow(tile, [&](const PrimExpr& row, const PrimExpr& lane) {
        const auto [buffer, at] = partialAt(tile, row, lane);
        return storeTo(buffer, at, elementOf(sums, {row, lane}));
      });
      const PrimExpr end = arith::add(part_->first, number(part_->count));
      store = make<IfThenElse>(arith::eq(end, roles_.sums.front().extent), store, kept);
    }
    return seq(std::vector<Stmt>{make<AllocBuffer>(sums), start, add, store});
  }

  /// Where a sum is kept between its parts: where it is stored in the end, unless something else is made of it there.
  std::pair<BufferRef, std::vector<PrimExpr>> partialAt(const Piece& tile, const PrimExpr& row,
                                                        const PrimExpr& lane) const {
    const PrimExpr at = arith::add(tile.first, row);
    if (partial_) return {partial_, {at, arith::add(inGroup_, lane)}};
    return {epilogue_.buffer(), indicesAt(epilogue_.indices(), placesOf(at, lane))};
  }

  PrimExpr acrossAt(const arith::VarMap& places, const arith::VarMap& sums, const PrimExpr& lane) const {
    if (direct_) return arith::substitute(roles_.across, places);
    return arith::cast(type_, elementOf(packed_, packedAt(sums, lane)));
  }

  /// The vectors of a weight's panel some steps behind these; null where the nearest cache holds it.
  Stmt weightFetched(const arith::VarMap& at) const {
    const StageAxis& sum = roles_.sums.back();
    const int64_t bytes = weight_->buffer()->dtype.bytes(), strip = weight_->stripWidth();
    if (roles_.sums.size() > 1 || *sum.steps() * block_.width * bytes < kPanelFetchedFrom) return nullptr;
    const PrimExpr later =
        arith::add(at.at(sum.var.get()), number(std::max(kBytesAhead / (strip * bytes), int64_t{1})));
    const arith::VarMap places{{sum.var.get(), arith::min(later, number(*sum.steps() - 1))}};
    std::vector<Stmt> parts;
    for (int64_t lane = 0; lane < panel_.count; lane += strip)
      parts.push_back(fetchedElement(weight_->stored(places_, panel_.first, places, number(lane), number(0))));
    return seq(parts);
  }

  /// The vectors of this panel some rows behind these; null where the matrix is small, or its size not known.
  Stmt fetchedAhead(const Piece& tile, const arith::VarMap& at) const {
    const StageAxis& sum = roles_.sums.back();
    const auto rows = stepsOf(roles_.sums), lanes = stepsOf(roles_.lanes);
    const bool large = rows && lanes && static_cast<double>(*rows) * static_cast<double>(*lanes) >= kFetchedFrom;
    if (roles_.sums.size() > 1 || !large) return nullptr;
    const PrimExpr ahead = arith::min(arith::add(at.at(sum.var.get()), number(kRowsAhead)), number(*sum.steps() - 1));
    std::vector<Stmt> parts;
    for (int64_t lane = 0; lane < panel_.count; lane += perVector_) {
      arith::VarMap places = placesOf(tile.step(number(0)), number(lane));
      places[sum.var.get()] = ahead;
      parts.push_back(fetched(roles_, places));
    }
    return seq(parts);
  }

  /// The vectors of this panel some steps behind these: a group of panels is more than the nearest cache holds.
  Stmt fetchedOfGroup() const {
    const PrimExpr ahead = arith::min(arith::add(inPart_, number(kStepsAhead)), number(part_->count - 1));
    const PrimExpr panel = arith::Canon().simplify(arith::floorDiv(inGroup_, number(block_.width)));
    std::vector<Stmt> parts;
    for (int64_t lane = 0; lane < panel_.count; lane += perVector_)
      parts.push_back(fetchedElement(elementOf(packed_, {panel, ahead, number(lane)})));
    return seq(parts);
  }

  Stmt storing(const Piece& tile, const BufferRef& sums) {
    const auto stored = [&](const BufferRef& from, const PrimExpr& row, const PrimExpr& lane) {
      const PrimExpr sum = arith::cast(stage_.buffer->dtype, elementOf(from, {row, lane}));
      return epilogue_.store(placesOf(arith::add(tile.first, row), lane), sum);
    };
    const auto eachVector = [&](const PrimExpr& row, const StepMaker& made) {
      return tile.ifInside(row, vectorSteps(index_, panel_.count, perVector_, made));
    };
    if (storedInOrder_ && (alone_ || !panel_.end)) {
      return steps(index_, "row", tile.count, ForKind::Unrolled, [&](const PrimExpr& row) {
        return eachVector(row, [&](const PrimExpr& lane) { return panel_.ifInside(lane, stored(sums, row, lane)); });
      });
    }
    // Registers can not be indexed: what they hold goes through memory on its way to places that are far apart.
    const BufferRef done = lower::newBuffer(Str("done"), type_, sums->shape);
    const Stmt kept = steps(index_, "row", tile.count, ForKind::Unrolled, [&](const PrimExpr& row) {
      return eachVector(row, [&](const PrimExpr& lane) {
        return storeTo(done, {row, lane}, elementOf(sums, {row, lane}));
      });
    });
    const bool rowsInOrder =
        tile.count > 1 && !tile.end && !flatRows_ && isUnitStride(epilogue_.indices(), *roles_.rows.back().var);
    const Stmt put = steps(index_, "lane", panel_.count, ForKind::Serial, [&](const PrimExpr& lane) {
      return panel_.ifInside(lane,
                             steps(index_, "row", tile.count, rowsInOrder ? ForKind::Vectorized : ForKind::Serial,
                                   [&](const PrimExpr& row) { return tile.ifInside(row, stored(done, row, lane)); }));
    });
    return seq(std::vector<Stmt>{make<AllocBuffer>(done), kept, put});
  }

  PrimExpr added(const PrimExpr& a, const PrimExpr& b, const PrimExpr& sum) const {
    return fused_ ? fusedMultiplyAdd(a, b, sum) : arith::add(sum, arith::mul(a, b));
  }

  const Stage& stage_;
  const Contraction& roles_;
  Epilogue epilogue_;
  DataType type_, index_;
  bool fused_;
  ThreadGrain grain_;
  int64_t caches_[2];  ///< bytes of the first and second of a core
  int64_t perVector_ = 1;
  PrimExpr inPanel_;                 ///< what lies in a panel of `across`
  PrimExpr allRows_, rows_, lanes_;  ///< how many there are: rows of all axes, of one walk over tiles
  RegisterBlock block_{1, 1};
  bool flatRows_ = false, storedInOrder_ = false;
  bool alone_ = false;       ///< it is no stage of a tile of rows
  bool halves_ = false;      ///< lanes that fill half a vector at the most have a form of their own
  bool rowsShared_ = false;  ///< threads share the rows, as there are few panels
  std::optional<PackedWeight> weight_;
  // Where the walk stands.
  arith::VarMap places_, around_;
  Piece panel_;
  bool direct_ = false;  ///< the panel is read where it is
  BufferRef packed_;
  BufferRef gathered_;  ///< what is spread, where it was gathered, by these axes
  std::vector<StageAxis> gatheredAxes_;
  // Where sums are added up in parts: the panels, the first lane of one of them, the part, its step, and the sums so
  // far.
  Piece group_ = {};
  PrimExpr inGroup_, inPart_;
  std::optional<Piece> part_;
  BufferRef partial_;
};

}  // namespace

StageOutcome hostProducts(const StageInput& input) {
  const ContractionFinding finding = findContraction(input.stage, input.weights);
  if (!finding.found) return stageStays(std::string(finding.why));
  const Contraction& roles = *finding.found;
  if (input.widens(roles.type)) return stageStays(kOrderIsFixed);
  if (roles.sumsInOrder && !roles.acrossInOrder && !roles.acrossReady)
    return stageStays("each sum reads its operands in order");
  if (roles.sharedInOrder && !roles.acrossInOrder && !roles.acrossReady)
    return stageStays("its operands lie in the order of an axis that both have");
  if (roles.lanes.size() > 1 && !stepsOf(roles.lanes)) return stageStays(kSizeNotKnown);
  Products products(input, roles);
  const Stmt made = products.run();
  return {made, products.tookBehind(), {}, {}, products.weight()};
}

}  // namespace rx::schedule
