// host.WordProducts: sums of products of bytes or of bfloat16, for processors that add the products of a word, four or
// two, up in one instruction. The numbers of as many steps of the sum lie in a word, of both operands: a panel of the
// one that lies across the lanes, and all rows of the other. Of bytes the instruction takes unsigned ones by signed
// ones: signed rows are taken as 128 more than they are, and what that adds to a lane is taken off before. Words lie
// along the last axis of the sum; in a convolution those of all channels of a place are read for each window around it.
#include <algorithm>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/statements.h"
#include "core/schedule/contraction.h"
#include "core/schedule/epilogue.h"
#include "core/schedule/host_rules.h"
#include "core/schedule/nest_parts.h"
#include "core/schedule/packed_weight.h"
#include "core/schedule/packed_words.h"
#include "core/schedule/pieces.h"
#include "core/schedule/thread_grain.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Rows from which on a panel pays for what it takes to lay it out.
constexpr int64_t kLeastRows = 16;
/// So many times as many places as are read may be made words of.
constexpr int64_t kMostUnread = 4;
/// What signed bytes are taken as more.
constexpr int64_t kOffset = 128;

/// How numbers of a type lie in words.
struct Words {
  DataType across, spread;  ///< of the operands
  std::string_view dot;     ///< the intrinsic that adds their products up
};
constexpr std::string_view kDotBytes = "rx_dot_bytes", kDotHalves = "rx_dot_halves";

std::optional<Words> wordsOf(const Contraction& roles, const VectorShape& vectors) {
  const DataType across = narrowType(roles.across), spread = narrowType(roles.spread), half = DataType::BFloat16();
  const bool bytes = across == DataType::Int(8) && (spread == DataType::Int(8) || spread == DataType::UInt(8));
  if (bytes && vectors.byteDots) return Words{across, spread, kDotBytes};
  if (across == half && spread == half && vectors.halfDots) return Words{across, spread, kDotHalves};
  return std::nullopt;
}

/// One dimension of what is spread, as its words keep it.
struct WordDim {
  size_t index;    ///< of the indices
  int64_t extent;  ///< places of it
  bool isAxis;     ///< the index is an axis, and the places are its steps
};

/// The dimensions that words have beside their own: where what is spread is read at the last axis of the sum in one
/// dimension, and the others do not have it. Nothing where it is read in another way, or little of it.
std::optional<std::vector<WordDim>> wordDimsOf(const Contraction& roles) {
  const BufferLoad& load = *onlyLoad(roles.spread);
  const Var& word = *roles.sums.back().var;
  std::vector<StageAxis> axes = roles.rows;
  axes.insert(axes.end(), roles.sums.begin(), roles.sums.end() - 1);
  std::vector<WordDim> dims;
  bool found = false;
  int64_t places = 1;
  for (size_t i = 0; i < load.indices.size(); ++i) {
    const PrimExpr& index = load.indices[i];
    if (lower::uses(index, &word)) {
      if (found || index != PrimExpr(&word)) return std::nullopt;
      found = true;
      continue;
    }
    const auto own =
        std::find_if(axes.begin(), axes.end(), [&](const StageAxis& axis) { return index == PrimExpr(axis.var); });
    const bool any = std::any_of(axes.begin(), axes.end(),
                                 [&](const StageAxis& axis) { return lower::uses(index, axis.var.get()); });
    if (!any) continue;
    const auto extent = own != axes.end() ? own->steps() : asInt(load.buffer->shape[i]);
    if (!extent || __builtin_mul_overflow(places, *extent, &places)) return std::nullopt;
    dims.push_back({i, *extent, own != axes.end()});
  }
  const auto steps = stepsOf(axes);
  return found && steps && places / kMostUnread <= *steps ? std::optional(dims) : std::nullopt;
}

/// Why they can not be made; empty where they can.
std::string_view whyNoWords(const Contraction& roles, const VectorShape& vectors) {
  if (!wordsOf(roles, vectors))
    return "its operands are no bytes, those across the lanes signed, and no bfloat16, of which the processor adds "
           "several products up at once";
  if (vectors.inOrder && roles.type.isFloat()) return kOrderIsFixed;
  if (roles.sums.empty() || roles.lanes.size() != 1 || roles.rows.empty())
    return "its lanes are not of one axis, or it has no rows or sums";
  if (!stepsOf(roles.sums) || !stepsOf(roles.lanes) || !stepsOf(roles.rows)) return kSizeNotKnown;
  if (!wordDimsOf(roles)) return "numbers of a word are of several places of what is spread";
  return *stepsOf(roles.rows) < kLeastRows ? "it has few rows" : std::string_view();
}

class WordProducts {
 public:
  WordProducts(const StageInput& input, const Contraction& roles)
      : stage_(input.stage),
        roles_(roles),
        epilogue_(input.stage, input.behind),
        type_(roles.type),
        numbers_(*wordsOf(roles, input.vectors)),
        index_(roles.lanes.front().var->dtype),
        grain_(input.grainOfProducts()),
        words_(numbers_.across, roles.sums.back().var, *roles.sums.back().steps(), index_),
        dims_(*wordDimsOf(roles)),
        around_(std::span(roles.rows).first(roles.rows.size() - 1)),
        windows_(std::span(roles.sums).first(roles.sums.size() - 1)),
        rows_(*roles.rows.back().steps()),
        lanes_(*stepsOf(roles.lanes)),
        count_(words_.whole() + int64_t{words_.isLastPart()}),
        perVector_(input.vectors.lanes(type_)) {
    const int64_t vectors = std::clamp<int64_t>((lanes_ + perVector_ - 1) / perVector_, 1, input.vectors.registers / 8);
    width_ = vectors * perVector_;
    // One register holds what is spread, one for each vector what lies across.
    const int64_t most = std::max<int64_t>((input.vectors.registers - 2 - vectors) / vectors, 1);
    const int64_t tiles = (rows_ + most - 1) / most;
    tile_ = (rows_ + tiles - 1) / tiles;
    isSigned_ = numbers_.dot == kDotBytes && numbers_.spread.isInt();
  }
  bool tookBehind() const { return epilogue_.taken(); }

  Stmt run() {
    if (roles_.acrossReady) packed_ = buffer(weightName(), word_, panelsOfWords());
    return inBlock(stage_.name, grain_.over(roles_.outer, [&](const arith::VarMap& places, ForKind kind) {
      places_ = places;
      std::vector<int64_t> sizes;
      for (const WordDim& dim : dims_) sizes.push_back(dim.extent);
      sizes.push_back(count_);
      spread_ = buffer("rows", word_, sizes);
      const bool panels = lanes_ >= 2 * width_;
      const ForKind overPanels = panels ? kind : ForKind::Serial;
      tiles_ = panels ? ForKind::Serial : kind;
      return seq(std::vector<Stmt>{make<AllocBuffer>(spread_), spreading(kind),
                                   inPieces(number(lanes_), {"panel", width_, overPanels},
                                            [&](const Piece& panel) { return onePanel(panel); })});
    }));
  }
  /// The words of the panels, where they are those of a weight.
  std::optional<LaidOut> weight() const {
    if (!roles_.acrossReady) return std::nullopt;
    return LaidOut{packed_, asWeightCopy(inBlock(packed_->name,
                                                 inPieces(number(lanes_), {"panel", width_},
                                                          [&](const Piece& panel) { return packing(panel, {}); })))};
  }

 private:
  PrimExpr number(int64_t value) const { return arith::constantInt(index_, value); }
  PrimExpr word(int64_t bits) const { return arith::constantInt(word_, bits); }
  BufferRef buffer(std::string_view name, DataType type, std::vector<int64_t> sizes,
                   std::string_view scope = "global") const {
    std::vector<PrimExpr> shape;
    for (const int64_t size : sizes) shape.push_back(number(size));
    return lower::newBuffer(Str(name), type, Array<PrimExpr>(std::move(shape)), scope);
  }
  /// The steps of a vector, one vector behind the other.
  Stmt eachLane(const StepMaker& made) const { return vectorSteps(index_, width_, perVector_, made); }

  Str weightName() const { return Str(onlyLoad(roles_.across)->buffer->name.string() + "_words"); }
  std::vector<int64_t> wordsOfPanel() const {
    std::vector<int64_t> sizes;
    for (const StageAxis& axis : windows_) sizes.push_back(*axis.steps());
    sizes.push_back(count_);
    sizes.push_back(width_);
    return sizes;
  }
  std::vector<int64_t> panelsOfWords() const {
    std::vector<int64_t> sizes = wordsOfPanel();
    sizes.insert(sizes.begin(), (lanes_ + width_ - 1) / width_);
    return sizes;
  }

  /// All words along the last axis of the sum: `made` gets the place of a word, and whether it is the last.
  Stmt eachWord(const std::function<Stmt(const PrimExpr& word, bool last)>& made) const {
    const int64_t whole = words_.whole();
    std::vector<Stmt> parts;
    if (whole > 0) {
      parts.push_back(
          steps(index_, "word", whole, ForKind::Serial, [&](const PrimExpr& word) { return made(word, false); }));
    }
    if (words_.isLastPart()) parts.push_back(made(number(whole), true));
    return seq(parts);
  }
  /// All words of a sum.
  Stmt eachSum(const std::function<Stmt(const arith::VarMap& sums, const PrimExpr& word, bool last)>& made) const {
    return overAxes(windows_, [&](const arith::VarMap& sums) {
      return eachWord([&](const PrimExpr& word, bool last) { return made(sums, word, last); });
    });
  }

  /// The element that is spread, at these places of the dimensions of its words.
  PrimExpr spreadAt(std::span<const PrimExpr> dims) const {
    const BufferLoad& load = *onlyLoad(roles_.spread);
    std::vector<PrimExpr> indices = load.indices.vector();
    for (size_t i = 0; i < dims_.size(); ++i) indices[dims_[i].index] = dims[i];
    return arith::cast(roles_.spread->dtype, elementOf(load.buffer, indices));
  }

  Stmt spreading(ForKind kind) const {
    std::vector<StageAxis> axes;
    for (const WordDim& dim : dims_) axes.push_back({make<Var>(Str("row"), index_), number(dim.extent)});
    const Stmt made = overAxes(axes, [&](const arith::VarMap& at) {
      std::vector<PrimExpr> dims;
      for (const StageAxis& axis : axes) dims.push_back(at.at(axis.var.get()));
      return eachWord([&](const PrimExpr& word, bool last) {
        PrimExpr made = words_.word(spreadAt(dims), places_, word, last);
        if (isSigned_) made = lower::intrinsic(word_, "bitwise_xor", {made, this->word(kOffsets)});
        std::vector<PrimExpr> to = dims;
        to.push_back(word);
        return storeTo(spread_, to, made);
      });
    });
    return kind == ForKind::Parallel ? inParallel(made) : made;
  }

  Stmt onePanel(const Piece& panel) {
    panel_ = panel;
    if (!roles_.acrossReady) packed_ = buffer("packed", word_, wordsOfPanel());
    start_ = buffer("start", type_, {width_});
    const bool first = !around_.empty();
    const auto tiles = [&](const arith::VarMap& around) {
      return inPieces(number(rows_), {"tile", tile_, first ? ForKind::Serial : tiles_},
                      [&](const Piece& tile) { return oneTile(tile, around); });
    };
    const Stmt all = overAxes(around_, tiles);
    std::vector<Stmt> parts;
    if (!roles_.acrossReady) parts = {make<AllocBuffer>(packed_), packing(panel, places_)};
    parts.insert(parts.end(),
                 {make<AllocBuffer>(start_), starting(), first && tiles_ == ForKind::Parallel ? inParallel(all) : all});
    return seq(parts);
  }

  Stmt packing(const Piece& panel, const arith::VarMap& places) const {
    return eachSum([&](const arith::VarMap& sums, const PrimExpr& word, bool last) {
      return eachLane([&](const PrimExpr& lane) {
        arith::VarMap at = places;
        at.insert(sums.begin(), sums.end());
        return storeTo(packed_, packedAt(panel, sums, word, lane), packedWord(panel, at, word, lane, last));
      });
    });
  }
  std::vector<PrimExpr> packedAt(const Piece& panel, const arith::VarMap& sums, const PrimExpr& word,
                                 const PrimExpr& lane) const {
    std::vector<PrimExpr> at;
    if (roles_.acrossReady) at.push_back(arith::Canon().simplify(arith::floorDiv(panel.first, number(width_))));
    for (const StageAxis& axis : windows_) at.push_back(sums.at(axis.var.get()));
    at.insert(at.end(), {word, lane});
    return at;
  }

  /// Lanes behind the last are zeros.
  PrimExpr packedWord(const Piece& panel, arith::VarMap places, const PrimExpr& word, const PrimExpr& lane,
                      bool last) const {
    places[roles_.lanes.front().var.get()] = arith::add(panel.first, lane);
    const PrimExpr made = words_.word(roles_.across, places, word, last);
    if (panel.count == width_) return made;
    return lower::intrinsic(word_, "if_then_else", {arith::lt(lane, number(panel.count)), made, this->word(0)});
  }

  /// What each sum starts from: the init, less what is too much in the rows.
  Stmt starting() const {
    const PrimExpr init = arith::cast(type_, stage_.init);
    const Stmt begin =
        eachLane([&](const PrimExpr& lane) { return storeTo(start_, {lane}, isSigned_ ? this->word(0) : init); });
    if (!isSigned_) return begin;
    const Stmt add = eachSum([&](const arith::VarMap& sums, const PrimExpr& word, bool) {
      return eachLane([&](const PrimExpr& lane) {
        return storeTo(start_, {lane}, added(this->word(kOffsets), sums, word, lane, elementOf(start_, {lane})));
      });
    });
    const Stmt less = eachLane(
        [&](const PrimExpr& lane) { return storeTo(start_, {lane}, arith::sub(init, elementOf(start_, {lane}))); });
    return seq(std::vector<Stmt>{begin, add, less});
  }

  PrimExpr added(const PrimExpr& spread, const arith::VarMap& sums, const PrimExpr& word, const PrimExpr& lane,
                 const PrimExpr& sum) const {
    return lower::intrinsic(type_, numbers_.dot, {sum, spread, elementOf(packed_, packedAt(panel_, sums, word, lane))});
  }
  /// The word of what is spread, at these places.
  PrimExpr spreadWord(const arith::VarMap& places, const PrimExpr& word) const {
    const BufferLoad& load = *onlyLoad(roles_.spread);
    std::vector<PrimExpr> at;
    for (const WordDim& dim : dims_) at.push_back(arith::substitute(load.indices[dim.index], places));
    at.push_back(word);
    return elementOf(spread_, at);
  }
  /// All places of a row of the tile.
  arith::VarMap rowOf(const Piece& tile, const arith::VarMap& around, const PrimExpr& row) const {
    arith::VarMap places = places_;
    places.insert(around.begin(), around.end());
    places[roles_.rows.back().var.get()] = arith::add(tile.first, row);
    return places;
  }

  Stmt oneTile(const Piece& tile, const arith::VarMap& around) const {
    const BufferRef sums = buffer("sums", type_, {tile.count, width_}, "local");
    const auto eachRow = [&](const std::function<Stmt(const PrimExpr&, const PrimExpr&)>& made) {
      return steps(index_, "row", tile.count, ForKind::Unrolled, [&](const PrimExpr& row) {
        return eachLane([&](const PrimExpr& lane) { return made(row, lane); });
      });
    };
    const Stmt start = eachRow([&](const PrimExpr& row, const PrimExpr& lane) {
      return storeTo(sums, {row, lane}, elementOf(start_, {lane}));
    });
    // The last word is one like the others: what is no step is zero.
    const Stmt add = overAxes(windows_, [&](const arith::VarMap& window) {
      return steps(index_, "word", count_, ForKind::Serial, [&](const PrimExpr& word) {
        return eachRow([&](const PrimExpr& row, const PrimExpr& lane) {
          arith::VarMap places = rowOf(tile, around, row);
          places.insert(window.begin(), window.end());
          return storeTo(sums, {row, lane},
                         added(spreadWord(places, word), window, word, lane, elementOf(sums, {row, lane})));
        });
      });
    });
    return seq(std::vector<Stmt>{make<AllocBuffer>(sums), start, add, storing(tile, around, sums)});
  }

  Stmt storing(const Piece& tile, const arith::VarMap& around, const BufferRef& sums) const {
    return steps(index_, "row", tile.count, ForKind::Unrolled, [&](const PrimExpr& row) {
      return vectorSteps(index_, panel_.count, perVector_, [&](const PrimExpr& lane) {
        arith::VarMap places = rowOf(tile, around, row);
        places[roles_.lanes.front().var.get()] = arith::add(panel_.first, lane);
        return epilogue_.store(places, arith::cast(stage_.buffer->dtype, elementOf(sums, {row, lane})));
      });
    });
  }

  /// The offset in each byte of a word.
  static constexpr int64_t kOffsets = static_cast<int32_t>(kOffset * 0x01010101);

  const Stage& stage_;
  const Contraction& roles_;
  Epilogue epilogue_;
  DataType type_;  ///< of the sums
  Words numbers_;
  DataType index_, word_ = DataType::Int(32);
  ThreadGrain grain_;
  WordMaker words_;
  std::vector<WordDim> dims_;
  std::span<const StageAxis> around_, windows_;  ///< of rows and sums, those before the last
  int64_t rows_, lanes_, count_;                 ///< steps of the axes, and words of a sum
  int64_t perVector_, width_ = 0, tile_ = 0;
  bool isSigned_ = false;  ///< the rows
  // Where the walk stands.
  arith::VarMap places_;
  BufferRef spread_, packed_, start_;
  Piece panel_ = {};
  ForKind tiles_ = ForKind::Serial;
};

}  // namespace

StageOutcome hostWordProducts(const StageInput& input) {
  if (!input.vectors.byteDots && !input.vectors.halfDots)
    return stageStays("the processor adds no products of a word up at once");
  const ContractionFinding finding = findContraction(input.stage, input.weights);
  if (!finding.found) return stageStays(std::string(finding.why));
  if (const std::string_view why = whyNoWords(*finding.found, input.vectors); !why.empty())
    return stageStays(std::string(why));
  WordProducts products(input, *finding.found);
  const Stmt made = products.run();
  return {made, products.tookBehind(), {}, {}, products.weight()};
}

}  // namespace rx::schedule
