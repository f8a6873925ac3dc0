// host.TileProducts: sums of products of bytes or of bfloat16, for processors with registers of tiles. The rows lie in
// tiles, of all steps of a sum; what lies across the lanes does so a block at a time, which stays in the second cache
// while a group of rows after the other goes by. T.rx_tile_products makes the sums of a group and a panel, and what
// comes behind is made of these. A weight is laid out so once, for all runs, and then few rows pay too: what takes
// their time is to read it.
#include <algorithm>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/tile_products.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/statements.h"
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

constexpr int64_t kSide = TileProducts::kSide, kWordBytes = 4;
/// How many products tiles add up in the time of one.
constexpr int64_t kTimesQuicker = 4;
/// Rows from which on it pays to lay out what lies across in each run.
constexpr int64_t kLeastRows = 128;
/// Bytes of a weight from which on tiles pay for any rows, once it is laid out: below it is in a cache, and setting the
/// registers up takes longer.
constexpr int64_t kLeastWeightBytes = int64_t{1} << 17;
/// Tiles of rows whose sums are made in one call, which pays for setting the registers up.
constexpr int64_t kMostTiles = 16;
/// Lanes of a block at the least, where there are as many: what is read of them lies in pages of its own for each
/// number of a sum.
constexpr int64_t kLeastBlock = 512;
/// Blocks that threads have at the least to share.
constexpr int64_t kBlocks = 8;

/// Whether `across` is laid out once for all runs. What lies behind its last number is of any value, which times zero
/// is zero of bytes alone.
bool isLaidOutOnce(const Contraction& roles) {
  const DataType across = narrowType(roles.across);
  const int64_t sums = *stepsOf(roles.sums), bytes = sums * *stepsOf(roles.lanes) * across.bytes();
  const bool shared = std::none_of(roles.outer.begin(), roles.outer.end(),
                                   [&](const StageAxis& axis) { return lower::uses(roles.across, axis.var.get()); });
  const bool whole = sums * across.bytes() % (kSide * kWordBytes) == 0;
  return roles.acrossReady && shared && bytes >= kLeastWeightBytes && (whole || across != DataType::BFloat16());
}

/// Why a stage can not be made by tiles; empty where it can.
std::string_view whyNoTiles(const Stage& stage, const Contraction& roles, const VectorShape& vectors) {
  const DataType across = narrowType(roles.across), spread = narrowType(roles.spread);
  const auto isByte = [](DataType type) { return type == DataType::Int(8) || type == DataType::UInt(8); };
  const bool bytes = isByte(across) && isByte(spread) && roles.type == DataType::Int(32) && vectors.byteTiles;
  const bool halves = across == DataType::BFloat16() && spread == across && vectors.halfTiles;
  if (!bytes && !halves)
    return "its operands are no bytes, and no bfloat16, of which the processor has products by tiles";
  if (vectors.inOrder && roles.type.isFloat()) return kOrderIsFixed;
  if (!arith::isZero(stage.init)) return "its init is not zero";
  if (roles.sums.size() != 1 || roles.lanes.size() != 1 || roles.rows.size() != 1)
    return "rows, lanes and sums are not of one axis each";
  if (!stepsOf(roles.sums) || !stepsOf(roles.lanes) || !stepsOf(roles.rows)) return kSizeNotKnown;
  if (*stepsOf(roles.sums) > TileProducts::kMost * kSide) return "its sums are too long";
  const bool few = *stepsOf(roles.rows) < kLeastRows && !isLaidOutOnce(roles);
  return few ? "it has few rows, and what they are multiplied by is no large weight" : std::string_view();
}

class ProductsByTiles {
 public:
  ProductsByTiles(const StageInput& input, const Contraction& roles)
      : stage_(input.stage),
        roles_(roles),
        epilogue_(input.stage, input.behind),
        type_(roles.type),
        spreadType_(narrowType(roles.spread)),
        acrossType_(narrowType(roles.across)),
        index_(roles.lanes.front().var->dtype),
        grain_(input.stage.axes, kTimesQuicker * input.vectors.choices.productsShared, input.threads),
        words_(acrossType_, roles.sums.front().var, *stepsOf(roles.sums), index_),
        sums_(*stepsOf(roles.sums)),
        rows_(*stepsOf(roles.rows)),
        lanes_(*stepsOf(roles.lanes)),
        perVector_(input.vectors.lanes(type_)),
        numbers_(input.vectors.lanes(spreadType_)) {
    perStep_ = kSide * words_.perWord();
    steps_ = (sums_ + perStep_ - 1) / perStep_;
    columnTiles_ = lanes_ > kSide ? 2 : 1;
    width_ = columnTiles_ * kSide;
    const int64_t share = input.vectors.cacheBytes[1] / 4, ofTiles = steps_ * TileProducts::kTileBytes;
    const int64_t panels = (lanes_ + width_ - 1) / width_;
    const int64_t most = grain_.shares() ? std::max<int64_t>(panels / kBlocks, 1) : panels;
    block_ = std::min(std::max(share / (ofTiles * columnTiles_), kLeastBlock / width_), most) * width_;
    group_ = std::clamp<int64_t>(share / ofTiles / 2 * 2, 2, kMostTiles) * kSide;
    if (isLaidOutOnce(roles_)) {
      weight_ = buffer(onlyLoad(roles_.across)->buffer->name.string() + "_tiles", acrossType_,
                       {panels, steps_, columnTiles_, kSide, kSide, words_.perWord()});
    }
  }
  /// The weight in tiles, where it is laid out once.
  std::optional<LaidOut> weight() const {
    if (!weight_) return std::nullopt;
    std::vector<Stmt> nests;
    // A nest of its own for all that is alike: kernels of such nests are run without a program.
    for (const Alike& lanes : alike(lanes_, kSide, columnTiles_))
      for (const Alike& sums : alike(sums_, words_.perWord(), kSide)) nests.push_back(laidOut(lanes, sums));
    return LaidOut{weight_, asWeightCopy(inBlock(weight_->name, seq(nests)))};
  }
  bool tookBehind() const { return epilogue_.taken(); }

  Stmt run() {
    return inBlock(stage_.name, grain_.over(roles_.outer, [&](const arith::VarMap& places, ForKind kind) {
      places_ = places;
      const bool blocks = lanes_ > block_;
      groups_ = blocks ? ForKind::Serial : kind;
      spread_ = buffer("rows", spreadType_, {(rows_ + kSide - 1) / kSide, steps_, kSide, perStep_});
      return seq(std::vector<Stmt>{make<AllocBuffer>(spread_), spreading(kind),
                                   inPieces(number(lanes_), {"block", block_, blocks ? kind : ForKind::Serial},
                                            [&](const Piece& block) { return oneBlock(block); })});
    }));
  }

 private:
  PrimExpr number(int64_t value) const { return arith::constantInt(index_, value); }
  BufferRef buffer(std::string_view name, DataType type, const std::vector<int64_t>& sizes) const {
    std::vector<PrimExpr> shape;
    for (const int64_t size : sizes) shape.push_back(number(size));
    return lower::newBuffer(Str(name), type, Array<PrimExpr>(std::move(shape)), "global");
  }
  PrimExpr inTile(const PrimExpr& tile, const PrimExpr& at) const {
    return arith::add(arith::mul(tile, number(kSide)), at);
  }
  /// So many steps of a loop, none for none.
  Stmt some(std::string_view name, int64_t count, const StepMaker& made) const {
    return count > 0 ? steps(index_, name, count, ForKind::Serial, made) : nullptr;
  }

  // The rows.
  Stmt spreading(ForKind kind) const {
    return inPieces(number(rows_), {"tile", kSide, kind}, [&](const Piece& tile) {
      const PrimExpr at = arith::floorDiv(tile.first, number(kSide));
      const Stmt filled = some("row", tile.count, [&](const PrimExpr& row) { return spreadRow(tile, at, row); });
      const Stmt empty = some("row", kSide - tile.count, [&](const PrimExpr& row) {
        return some("step", steps_, [&](const PrimExpr& step) {
          return zeros({at, step, arith::add(row, number(tile.count))}, 0);
        });
      });
      return seq(std::vector<Stmt>{filled, empty});
    });
  }
  Stmt spreadRow(const Piece& tile, const PrimExpr& at, const PrimExpr& row) const {
    arith::VarMap places = places_;
    places[roles_.rows.front().var.get()] = arith::add(tile.first, row);
    const auto stepOf = [&](const PrimExpr& step, int64_t count) {
      return vectorSteps(index_, count, numbers_, [&](const PrimExpr& lane) {
        places[roles_.sums.front().var.get()] = arith::add(arith::mul(step, number(perStep_)), lane);
        return storeTo(spread_, {at, step, row, lane}, arith::substitute(as<Cast>(roles_.spread)->value, places));
      });
    };
    const int64_t whole = sums_ / perStep_, rest = sums_ % perStep_;
    Stmt filled = some("step", whole, [&](const PrimExpr& step) { return stepOf(step, perStep_); });
    if (rest == 0) return filled;
    return seq(std::vector<Stmt>{filled, stepOf(number(whole), rest), zeros({at, number(whole), row}, rest)});
  }
  /// Zeros in a row of a tile, from a number on.
  Stmt zeros(const std::vector<PrimExpr>& row, int64_t from) const {
    if (from == perStep_) return nullptr;
    return vectorSteps(index_, perStep_ - from, numbers_, [&](const PrimExpr& lane) {
      std::vector<PrimExpr> indices = row;
      indices.push_back(arith::add(lane, number(from)));
      return storeTo(spread_, std::move(indices), arith::cast(spreadType_, WordMaker::bits(0)));
    });
  }

  // What lies across.
  using PanelMaker = std::function<Stmt(const Piece& panel, const PrimExpr& at)>;
  /// The panels of a block, and which they are in it.
  Stmt eachPanel(const Piece& block, const PanelMaker& made) const {
    return inPieces(number(block.count), {"panel", width_}, [&](const Piece& panel) {
      return made({arith::add(block.first, panel.first), panel.count, nullptr},
                  arith::floorDiv(panel.first, number(width_)));
    });
  }
  /// A word of all panels after the other: what is read lies in few pages of memory at a time.
  Stmt packing(const Piece& block) const {
    const auto wordOf = [&](const PrimExpr& step, const PrimExpr& word, bool last) {
      return eachPanel(block,
                       [&](const Piece& panel, const PrimExpr& at) { return packedWord(panel, at, step, word, last); });
    };
    const int64_t wholeSteps = words_.whole() / kSide, rest = words_.whole() % kSide;
    const PrimExpr lastStep = number(wholeSteps);
    std::vector<Stmt> parts{some("step", wholeSteps, [&](const PrimExpr& step) {
      return some("word", kSide, [&](const PrimExpr& word) { return wordOf(step, word, false); });
    })};
    if (wholeSteps == steps_) return parts.front();
    parts.push_back(some("word", rest, [&](const PrimExpr& word) { return wordOf(lastStep, word, false); }));
    if (words_.isLastPart()) parts.push_back(wordOf(lastStep, number(rest), true));
    const int64_t filled = rest + int64_t{words_.isLastPart()};
    parts.push_back(some("word", kSide - filled, [&](const PrimExpr& word) {
      return eachPanel(block, [&](const Piece&, const PrimExpr& at) {
        return eachTile(
            [&](int64_t tile) { return emptyLanes(at, lastStep, tile, arith::add(word, number(filled)), 0); });
      });
    }));
    return seq(parts);
  }
  Stmt eachTile(const std::function<Stmt(int64_t)>& made) const {
    std::vector<Stmt> parts;
    for (int64_t tile = 0; tile < columnTiles_; ++tile) parts.push_back(made(tile));
    return seq(parts);
  }
  /// Lanes behind the last are zeros.
  Stmt packedWord(const Piece& panel, const PrimExpr& at, const PrimExpr& step, const PrimExpr& word, bool last) const {
    return eachTile([&](int64_t tile) {
      const int64_t first = tile * kSide, count = std::clamp<int64_t>(panel.count - first, 0, kSide);
      if (count == 0) return emptyLanes(at, step, tile, word, 0);
      const Stmt filled = vectorSteps(index_, count, perVector_, [&](const PrimExpr& lane) {
        arith::VarMap places = places_;
        places[roles_.lanes.front().var.get()] = arith::add(arith::add(panel.first, number(first)), lane);
        return storeTo(packed_, {at, step, number(tile), word, lane},
                       words_.word(roles_.across, places, inTile(step, word), last));
      });
      return seq(std::vector<Stmt>{filled, emptyLanes(at, step, tile, word, count)});
    });
  }
  Stmt emptyLanes(const PrimExpr& at, const PrimExpr& step, int64_t tile, const PrimExpr& word, int64_t from) const {
    if (from == kSide) return nullptr;
    return vectorSteps(index_, kSide - from, perVector_, [&](const PrimExpr& lane) {
      return storeTo(packed_, {at, step, number(tile), word, arith::add(lane, number(from))}, WordMaker::bits(0));
    });
  }

  // A weight.
  /// Steps of an axis in small groups, of so many numbers each, and large ones of some of these.
  struct Alike {
    int64_t firstLarge, large, firstSmall, small, numbers;
  };
  /// The whole large groups; the whole small ones behind them; and what is left.
  static std::vector<Alike> alike(int64_t count, int64_t ofSmall, int64_t ofLarge) {
    const int64_t large = count / (ofSmall * ofLarge), rest = count % (ofSmall * ofLarge), small = rest / ofSmall;
    std::vector<Alike> parts;
    if (large > 0) parts.push_back({0, large, 0, ofLarge, ofSmall});
    if (small > 0) parts.push_back({large, 1, 0, small, ofSmall});
    if (rest % ofSmall > 0) parts.push_back({large, 1, small, 1, rest % ofSmall});
    return parts;
  }
  Stmt laidOut(const Alike& lanes, const Alike& sums) const {
    const auto each = [&](std::string_view name, int64_t first, int64_t count, const StepMaker& made) {
      return some(name, count, [&](const PrimExpr& step) { return made(arith::add(step, number(first))); });
    };
    const auto stored = [&](const std::vector<PrimExpr>& at) {
      const auto in = [&](const PrimExpr& large, int64_t ofLarge, const PrimExpr& small, int64_t ofSmall,
                          const PrimExpr& one) {
        return arith::add(arith::mul(arith::add(arith::mul(large, number(ofLarge)), small), number(ofSmall)), one);
      };
      arith::VarMap places;
      places[roles_.lanes.front().var.get()] = in(at[0], columnTiles_, at[2], kSide, at[4]);
      places[roles_.sums.front().var.get()] = in(at[1], kSide, at[3], words_.perWord(), at[5]);
      return storeTo(weight_, at, arith::substitute(PrimExpr(onlyLoad(roles_.across)), places));
    };
    return each("panel", lanes.firstLarge, lanes.large, [&](const PrimExpr& panel) {
      return each("step", sums.firstLarge, sums.large, [&](const PrimExpr& step) {
        return each("word", sums.firstSmall, sums.small, [&](const PrimExpr& word) {
          return each("number", 0, sums.numbers, [&](const PrimExpr& one) {
            return each("tile", lanes.firstSmall, lanes.small, [&](const PrimExpr& tile) {
              return each("lane", 0, lanes.numbers, [&](const PrimExpr& lane) {
                return stored({panel, step, tile, word, lane, one});
              });
            });
          });
        });
      });
    });
  }

  // The sums.
  Stmt oneBlock(const Piece& block) {
    const int64_t panels = (block.count + width_ - 1) / width_;
    packed_ = weight_ ? weight_ : buffer("packed", DataType::Int(32), {panels, steps_, columnTiles_, kSide, kSide});
    const PrimExpr before = weight_ ? arith::floorDiv(block.first, number(width_)) : number(0);
    const Stmt groups = inPieces(number(rows_), {"group", group_, groups_}, [&](const Piece& group) {
      const int64_t tiles = (group.count + kSide - 1) / kSide;
      const BufferRef sums = buffer("sums", type_, {tiles * kSide, width_});
      const Stmt panels = eachPanel(block, [&](const Piece& panel, const PrimExpr& at) {
        return sumsOf(group, panel, arith::add(before, at), tiles, sums);
      });
      return seq(std::vector<Stmt>{make<AllocBuffer>(sums), panels});
    });
    if (weight_) return groups;
    return seq(std::vector<Stmt>{make<AllocBuffer>(packed_), packing(block), groups});
  }
  Stmt sumsOf(const Piece& group, const Piece& panel, const PrimExpr& at, int64_t tiles, const BufferRef& sums) const {
    const auto first = [&](const BufferRef& buffer, std::vector<PrimExpr> indices) {
      indices.resize(buffer->shape.size(), number(0));
      return lower::intrinsic(DataType::Handle(), "address_of", {elementOf(buffer, std::move(indices))});
    };
    const auto text = [](DataType type) { return make<StringImm>(Str(type.str())); };
    const Stmt add = lower::effect("rx_tile_products",
                                   {text(spreadType_), text(acrossType_), first(sums, {}),
                                    first(spread_, {arith::floorDiv(group.first, number(kSide))}), first(packed_, {at}),
                                    lower::int32(tiles), lower::int32(columnTiles_), lower::int32(steps_)});
    const Stmt store = some("row", group.count, [&](const PrimExpr& row) {
      return vectorSteps(index_, panel.count, perVector_, [&](const PrimExpr& lane) {
        arith::VarMap places = places_;
        places[roles_.rows.front().var.get()] = arith::add(group.first, row);
        places[roles_.lanes.front().var.get()] = arith::add(panel.first, lane);
        return epilogue_.store(places, arith::cast(stage_.buffer->dtype, elementOf(sums, {row, lane})));
      });
    });
    return seq(std::vector<Stmt>{add, store});
  }

  const Stage& stage_;
  const Contraction& roles_;
  Epilogue epilogue_;
  DataType type_, spreadType_, acrossType_;  ///< of the sums and of the operands
  DataType index_;
  ThreadGrain grain_;
  WordMaker words_;
  int64_t sums_, rows_, lanes_;      ///< steps of the axes
  int64_t perVector_, numbers_;      ///< lanes of a vector of sums, and of one of the rows' numbers
  int64_t perStep_ = 0, steps_ = 0;  ///< numbers of a step of tiles, and such steps of a sum
  int64_t columnTiles_ = 0, width_ = 0, block_ = 0, group_ = 0;  ///< lanes of a panel and a block, rows of a group
  // Where the walk stands.
  arith::VarMap places_;
  BufferRef spread_, packed_;
  BufferRef weight_;  ///< null where it is laid out in each run
  ForKind groups_ = ForKind::Serial;
};

}  // namespace

StageOutcome hostTileProducts(const StageInput& input) {
  if (!input.vectors.byteTiles && !input.vectors.halfTiles)
    return stageStays("the processor has no registers of tiles");
  const ContractionFinding finding = findContraction(input.stage, input.weights);
  if (!finding.found) return stageStays(std::string(finding.why));
  if (const std::string_view why = whyNoTiles(input.stage, *finding.found, input.vectors); !why.empty())
    return stageStays(std::string(why));
  ProductsByTiles products(input, *finding.found);
  const Stmt made = products.run();
  return {made, products.tookBehind(), {}, {}, products.weight()};
}

}  // namespace rx::schedule
