// host.ByteProducts: sums of products of whole numbers of eight bits, for processors that add four products of bytes up
// in one instruction. The bytes of four steps of the sum lie in a word, of both operands: a panel of the one that lies
// across the lanes, and all rows of the other. The instruction takes unsigned numbers by signed ones: signed rows are
// taken as 128 more than they are, and what that adds to a lane is taken off before.
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
#include "core/schedule/pieces.h"
#include "core/schedule/thread_grain.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// Products from which on threads share the work.
constexpr int64_t kParallelFrom = int64_t{1} << 20;
/// Rows from which on a panel pays for what it takes to lay it out.
constexpr int64_t kLeastRows = 16;
/// Bytes of a word, and what signed rows are taken as more.
constexpr int64_t kBytes = 4, kOffset = 128;

/// Why words can not be made of the operands; empty where they can. One is signed, across the lanes; the other is
/// either.
std::string_view whyNoWords(const Contraction& roles) {
  const auto bytesOf = [](const PrimExpr& operand) {
    const auto* widened = as<Cast>(operand);
    return widened && isa<BufferLoad>(widened->value) ? widened->value->dtype : DataType();
  };
  const DataType across = bytesOf(roles.across), spread = bytesOf(roles.spread);
  if (across != DataType::Int(8) || (spread != DataType::Int(8) && spread != DataType::UInt(8)))
    return "its operands are no bytes, those across the lanes signed";
  if (roles.sums.size() != 1 || roles.lanes.size() != 1 || roles.rows.size() != 1)
    return "rows, lanes and sums are not of one axis each";
  if (!stepsOf(roles.sums) || !stepsOf(roles.lanes) || !stepsOf(roles.rows)) return kSizeNotKnown;
  return *stepsOf(roles.rows) < kLeastRows ? "it has few rows" : std::string_view();
}

class ByteProducts {
 public:
  ByteProducts(const StageInput& input, const Contraction& roles)
      : stage_(input.stage),
        roles_(roles),
        epilogue_(input.stage, input.behind),
        type_(roles.type),
        index_(roles.lanes.front().var->dtype),
        grain_(input.stage.axes, kParallelFrom, input.threads),
        sums_(*stepsOf(roles.sums)),
        rows_(*stepsOf(roles.rows)),
        lanes_(*stepsOf(roles.lanes)),
        words_((sums_ + kBytes - 1) / kBytes),
        perVector_(input.vectors.lanes(type_)) {
    const int64_t vectors = std::clamp<int64_t>((lanes_ + perVector_ - 1) / perVector_, 1, input.vectors.registers / 8);
    width_ = vectors * perVector_;
    // One register holds what is spread, one for each vector what lies across.
    const int64_t most = std::max<int64_t>((input.vectors.registers - 2 - vectors) / vectors, 1);
    const int64_t tiles = (rows_ + most - 1) / most;
    tile_ = (rows_ + tiles - 1) / tiles;
    isSigned_ = as<Cast>(roles.spread)->value->dtype.isInt();
  }
  bool tookBehind() const { return epilogue_.taken(); }

  Stmt run() {
    const Stmt body = overAxes(roles_.outer, [&](const arith::VarMap& places) {
      places_ = places;
      spread_ = buffer("rows", {rows_, words_});
      const bool shared = grain_.shares() && roles_.outer.empty();
      const bool panels = lanes_ >= 2 * width_;
      const ForKind overPanels = shared && panels ? ForKind::Parallel : ForKind::Serial;
      tiles_ = shared && !panels ? ForKind::Parallel : ForKind::Serial;
      return seq(std::vector<Stmt>{make<AllocBuffer>(spread_), spreading(shared ? ForKind::Parallel : ForKind::Serial),
                                   inPieces(number(lanes_), {"panel", width_, overPanels},
                                            [&](const Piece& panel) { return onePanel(panel); })});
    });
    return inBlock(stage_.name, grain_.around(roles_.outer.empty() || !grain_.shares() ? body : inParallel(body)));
  }

 private:
  PrimExpr number(int64_t value) const { return arith::constantInt(index_, value); }
  PrimExpr value(int64_t number) const { return arith::constantInt(type_, number); }
  BufferRef buffer(std::string_view name, std::vector<int64_t> sizes, std::string_view scope = "global") const {
    std::vector<PrimExpr> shape;
    for (const int64_t size : sizes) shape.push_back(number(size));
    return lower::newBuffer(Str(name), type_, Array<PrimExpr>(std::move(shape)), scope);
  }
  /// The steps of a vector, one vector behind the other.
  Stmt eachLane(const StepMaker& made) const { return vectorSteps(index_, width_, perVector_, made); }

  /// The word of four steps of the sum from this word's on; `last`: it is the last word, and what is no step is zero.
  PrimExpr wordOf(const PrimExpr& operand, arith::VarMap places, const PrimExpr& word, bool last) const {
    PrimExpr made;
    const int64_t count = last ? sums_ - (words_ - 1) * kBytes : kBytes;
    for (int64_t byte = 0; byte < count; ++byte) {
      places[roles_.sums.front().var.get()] = arith::add(arith::mul(word, number(kBytes)), number(byte));
      const PrimExpr element = arith::substitute(as<Cast>(operand)->value, places);
      const PrimExpr bits = arith::cast(type_, lower::intrinsic(DataType::UInt(8), "reinterpret", {element}));
      const PrimExpr shifted = byte > 0 ? lower::intrinsic(type_, "shift_left", {bits, value(8 * byte)}) : bits;
      made = made ? lower::intrinsic(type_, "bitwise_or", {made, shifted}) : shifted;
    }
    return made;
  }

  /// All words of a row or a lane: `made` gets the place of a word, and whether it is the last.
  Stmt eachWord(const std::function<Stmt(const PrimExpr& word, bool last)>& made) const {
    const int64_t whole = sums_ / kBytes;
    std::vector<Stmt> parts;
    if (whole > 0) {
      parts.push_back(
          steps(index_, "word", whole, ForKind::Serial, [&](const PrimExpr& word) { return made(word, false); }));
    }
    if (whole < words_) parts.push_back(made(number(whole), true));
    return seq(parts);
  }

  Stmt spreading(ForKind kind) const {
    return steps(index_, "row", rows_, kind, [&](const PrimExpr& row) {
      return eachWord([&](const PrimExpr& word, bool last) {
        arith::VarMap places = places_;
        places[roles_.rows.front().var.get()] = row;
        PrimExpr made = wordOf(roles_.spread, places, word, last);
        if (isSigned_) made = lower::intrinsic(type_, "bitwise_xor", {made, value(kOffsets)});
        return storeTo(spread_, {row, word}, made);
      });
    });
  }

  Stmt onePanel(const Piece& panel) {
    panel_ = panel;
    packed_ = buffer("packed", {words_, width_});
    start_ = buffer("start", {width_});
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
    const PrimExpr made = wordOf(roles_.across, places, word, last);
    if (panel_.count == width_) return made;
    return lower::intrinsic(type_, "if_then_else", {arith::lt(lane, number(panel_.count)), made, value(0)});
  }

  /// What each sum starts from: the init, less what is too much in the rows.
  Stmt starting() const {
    const PrimExpr init = arith::cast(type_, stage_.init);
    const Stmt begin =
        eachLane([&](const PrimExpr& lane) { return storeTo(start_, {lane}, isSigned_ ? value(0) : init); });
    if (!isSigned_) return begin;
    const Stmt add = steps(index_, "word", words_, ForKind::Serial, [&](const PrimExpr& word) {
      return eachLane([&](const PrimExpr& lane) {
        return storeTo(start_, {lane}, added(value(kOffsets), word, lane, elementOf(start_, {lane})));
      });
    });
    const Stmt less = eachLane(
        [&](const PrimExpr& lane) { return storeTo(start_, {lane}, arith::sub(init, elementOf(start_, {lane}))); });
    return seq(std::vector<Stmt>{begin, add, less});
  }

  PrimExpr added(const PrimExpr& spread, const PrimExpr& word, const PrimExpr& lane, const PrimExpr& sum) const {
    return lower::intrinsic(type_, "rx_dot_bytes", {spread, elementOf(packed_, {word, lane}), sum});
  }

  Stmt oneTile(const Piece& tile) const {
    const BufferRef sums = buffer("sums", {tile.count, width_}, "local");
    const auto eachRow = [&](const std::function<Stmt(const PrimExpr&, const PrimExpr&)>& made) {
      return steps(index_, "row", tile.count, ForKind::Unrolled, [&](const PrimExpr& row) {
        return eachLane([&](const PrimExpr& lane) { return made(row, lane); });
      });
    };
    const Stmt start = eachRow([&](const PrimExpr& row, const PrimExpr& lane) {
      return storeTo(sums, {row, lane}, elementOf(start_, {lane}));
    });
    const Stmt add = steps(index_, "word", words_, ForKind::Serial, [&](const PrimExpr& word) {
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
        return epilogue_.store(places, elementOf(sums, {row, lane}));
      });
    });
  }

  /// The offset in each byte of a word.
  static constexpr int64_t kOffsets = static_cast<int32_t>(kOffset * 0x01010101);

  const Stage& stage_;
  const Contraction& roles_;
  Epilogue epilogue_;
  DataType type_, index_;
  ThreadGrain grain_;
  int64_t sums_, rows_, lanes_, words_;  ///< steps of the axes, and words of a sum
  int64_t perVector_, width_ = 0, tile_ = 0;
  bool isSigned_ = false;  ///< the rows
  // Where the walk stands.
  arith::VarMap places_;
  BufferRef spread_, packed_, start_;
  Piece panel_ = {};
  ForKind tiles_ = ForKind::Serial;
};

}  // namespace

StageOutcome hostByteProducts(const StageInput& input) {
  if (!input.vectors.byteDots) return stageStays("the processor adds no products of bytes up at once");
  const ContractionFinding finding = findContraction(input.stage, input.weights);
  if (!finding.found) return stageStays(std::string(finding.why));
  if (const std::string_view why = whyNoWords(*finding.found); !why.empty()) return stageStays(std::string(why));
  ByteProducts products(input, *finding.found);
  const Stmt made = products.run();
  return {made, products.tookBehind(), {}};
}

}  // namespace rx::schedule
