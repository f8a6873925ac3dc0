// host.WordProducts: sums of products of bytes or of bfloat16, for processors that add the products of a word, four or
// two, up in one instruction. The numbers of as many steps of the sum lie in a word, of both operands: a panel of the
// one that lies across the lanes, and all rows of the other. Of bytes the instruction takes unsigned ones by signed
// ones: signed rows are taken as 128 more than they are, and what that adds to a lane is taken off before.
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
#include "core/schedule/packed_words.h"
#include "core/schedule/pieces.h"
#include "core/schedule/thread_grain.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Rows from which on a panel pays for what it takes to lay it out.
constexpr int64_t kLeastRows = 16;
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

/// Why they can not be made; empty where they can.
std::string_view whyNoWords(const Contraction& roles, const VectorShape& vectors) {
  if (!wordsOf(roles, vectors))
    return "its operands are no bytes, those across the lanes signed, and no bfloat16, of which the processor adds "
           "several products up at once";
  if (vectors.inOrder && roles.type.isFloat()) return kOrderIsFixed;
  if (roles.sums.size() != 1 || roles.lanes.size() != 1 || roles.rows.size() != 1)
    return "rows, lanes and sums are not of one axis each";
  if (!stepsOf(roles.sums) || !stepsOf(roles.lanes) || !stepsOf(roles.rows)) return kSizeNotKnown;
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
        words_(numbers_.across, roles.sums.front().var, *stepsOf(roles.sums), index_),
        rows_(*stepsOf(roles.rows)),
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
    return inBlock(stage_.name, grain_.over(roles_.outer, [&](const arith::VarMap& places, ForKind kind) {
      places_ = places;
      spread_ = buffer("rows", word_, {rows_, count_});
      const bool panels = lanes_ >= 2 * width_;
      const ForKind overPanels = panels ? kind : ForKind::Serial;
      tiles_ = panels ? ForKind::Serial : kind;
      return seq(std::vector<Stmt>{make<AllocBuffer>(spread_), spreading(kind),
                                   inPieces(number(lanes_), {"panel", width_, overPanels},
                                            [&](const Piece& panel) { return onePanel(panel); })});
    }));
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

  /// All words of a row or a lane: `made` gets the place of a word, and whether it is the last.
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

  Stmt spreading(ForKind kind) const {
    return steps(index_, "row", rows_, kind, [&](const PrimExpr& row) {
      return eachWord([&](const PrimExpr& word, bool last) {
        arith::VarMap places = places_;
        places[roles_.rows.front().var.get()] = row;
        PrimExpr made = words_.word(roles_.spread, places, word, last);
        if (isSigned_) made = lower::intrinsic(word_, "bitwise_xor", {made, this->word(kOffsets)});
        return storeTo(spread_, {row, word}, made);
      });
    });
  }

  Stmt onePanel(const Piece& panel) {
    panel_ = panel;
    packed_ = buffer("packed", word_, {count_, width_});
    start_ = buffer("start", type_, {width_});
    const Stmt pack = eachWord([&](const PrimExpr& word, bool last) {
      return eachLane([&](const PrimExpr& lane) {
        return storeTo(packed_, {word, lane}, packedWord(word, lane, last));
      });
    });
    const Stmt tiles =
        inPieces(number(rows_), {"tile", tile_, tiles_}, [&](const Piece& tile) { return oneTile(tile); });
    return seq(std::vector<Stmt>{make<AllocBuffer>(packed_), make<AllocBuffer>(start_), pack, starting(), tiles});
  }

  /// Lanes behind the last are zeros.
  PrimExpr packedWord(const PrimExpr& word, const PrimExpr& lane, bool last) const {
    arith::VarMap places = places_;
    places[roles_.lanes.front().var.get()] = arith::add(panel_.first, lane);
    const PrimExpr made = words_.word(roles_.across, places, word, last);
    if (panel_.count == width_) return made;
    return lower::intrinsic(word_, "if_then_else", {arith::lt(lane, number(panel_.count)), made, this->word(0)});
  }

  /// What each sum starts from: the init, less what is too much in the rows.
  Stmt starting() const {
    const PrimExpr init = arith::cast(type_, stage_.init);
    const Stmt begin =
        eachLane([&](const PrimExpr& lane) { return storeTo(start_, {lane}, isSigned_ ? this->word(0) : init); });
    if (!isSigned_) return begin;
    const Stmt add = steps(index_, "word", count_, ForKind::Serial, [&](const PrimExpr& word) {
      return eachLane([&](const PrimExpr& lane) {
        return storeTo(start_, {lane}, added(this->word(kOffsets), word, lane, elementOf(start_, {lane})));
      });
    });
    const Stmt less = eachLane(
        [&](const PrimExpr& lane) { return storeTo(start_, {lane}, arith::sub(init, elementOf(start_, {lane}))); });
    return seq(std::vector<Stmt>{begin, add, less});
  }

  PrimExpr added(const PrimExpr& spread, const PrimExpr& word, const PrimExpr& lane, const PrimExpr& sum) const {
    return lower::intrinsic(type_, numbers_.dot, {sum, spread, elementOf(packed_, {word, lane})});
  }

  Stmt oneTile(const Piece& tile) const {
    const BufferRef sums = buffer("sums", type_, {tile.count, width_}, "local");
    const auto eachRow = [&](const std::function<Stmt(const PrimExpr&, const PrimExpr&)>& made) {
      return steps(index_, "row", tile.count, ForKind::Unrolled, [&](const PrimExpr& row) {
        return eachLane([&](const PrimExpr& lane) { return made(row, lane); });
      });
    };
    const Stmt start = eachRow([&](const PrimExpr& row, const PrimExpr& lane) {
      return storeTo(sums, {row, lane}, elementOf(start_, {lane}));
    });
    const Stmt add = steps(index_, "word", count_, ForKind::Serial, [&](const PrimExpr& word) {
      return eachRow([&](const PrimExpr& row, const PrimExpr& lane) {
        const PrimExpr spread = elementOf(spread_, {arith::add(tile.first, row), word});
        return storeTo(sums, {row, lane}, added(spread, word, lane, elementOf(sums, {row, lane})));
      });
    });
    return seq(std::vector<Stmt>{make<AllocBuffer>(sums), start, add, storing(tile, sums)});
  }

  Stmt storing(const Piece& tile, const BufferRef& sums) const {
    return steps(index_, "row", tile.count, ForKind::Unrolled, [&](const PrimExpr& row) {
      return vectorSteps(index_, panel_.count, perVector_, [&](const PrimExpr& lane) {
        arith::VarMap places = places_;
        places[roles_.rows.front().var.get()] = arith::add(tile.first, row);
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
  int64_t rows_, lanes_, count_;  ///< steps of the axes, and words of a sum
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
  return {made, products.tookBehind(), {}};
}

}  // namespace rx::schedule
