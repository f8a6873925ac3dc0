#include "core/lower/rank_promotion.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/walk_nested.h"

namespace rx::lower {

using namespace tir;

namespace {

/// A part of an index: `extent` values, `step` apart.
struct Piece {
  int64_t extent;
  PrimExpr place;
};

class PieceFinder {
 public:
  explicit PieceFinder(const LoopExtents& loops) : loops_(loops) {}

  /// The pieces in the order of their variables; false where the index has another form.
  bool find(const PrimExpr& index) {
    walkNested(
        *index,
        [&](const Node& node) {
          if (const auto* var = as<Var>(&node)) variable(*var);
          if (!isOperation(node)) return true;
          const auto* binary = as<BinaryNode>(&node);
          const auto operand = asInt(binary->b);
          known_ = known_ && operand && *operand > 0;
          operations_.push_back({node.kind(), operand.value_or(1)});
          return known_;
        },
        [&](const Node& node) {
          if (isOperation(node)) operations_.pop_back();
        });
    return known_;
  }

  std::vector<Piece> pieces;

 private:
  struct Operation {
    Kind kind;
    int64_t operand;
  };
  static bool isOperation(const Node& node) { return isa<FloorDiv>(&node) || isa<FloorMod>(&node) || isa<Mul>(&node); }

  /// What the operations around it, from the inside, leave of a variable: `extent` values below `bound`.
  void variable(const Var& var) {
    const auto loop = loops_.find(&var);
    if (!known_ || loop == loops_.end()) return;
    PrimExpr place(&var);
    int64_t bound = loop->second, extent = loop->second;
    for (size_t i = operations_.size(); i-- > 0 && known_;) {
      const auto& [kind, operand] = operations_[i];
      const PrimExpr by = arith::constantInt(place->dtype, operand);
      if (kind == Kind::tir_Mul) {
        bound *= operand;
        place = arith::mul(place, by);
      } else if (kind == Kind::tir_FloorDiv) {
        known_ = bound != 0 && (bound % operand == 0 || operand % bound == 0);
        bound /= operand;
        if (extent > bound) extent = std::max<int64_t>(1, bound);
        known_ = known_ && bound % extent == 0;
        place = arith::floorDiv(place, by);
      } else {
        const int64_t step = bound / extent;
        const bool constant = step % operand == 0;
        known_ = constant || operand % step == 0;
        if (!known_) return;
        extent = constant ? 1 : std::max<int64_t>(1, std::min(extent, operand / step));
        bound = constant ? 0 : extent * step;
        place = arith::floorMod(place, by);
      }
    }
    if (known_ && extent > 1) {
      pieces.push_back({extent, arith::floorDiv(place, arith::constantInt(place->dtype, bound / extent))});
    }
  }

  const LoopExtents& loops_;
  std::vector<Operation> operations_;
  bool known_ = true;
};

}  // namespace

std::optional<CompactPlaces> compactPlaces(std::span<const PrimExpr> indices, const LoopExtents& loops) {
  CompactPlaces made;
  for (const PrimExpr& index : indices) {
    PieceFinder finder(loops);
    if (!finder.find(index)) return std::nullopt;
    const DataType type = DataType::Int(32);
    int64_t size = 1;
    PrimExpr place = intImm(0, type);
    for (const Piece& piece : finder.pieces) {
      size *= piece.extent;
      place = arith::add(arith::mul(place, intImm(piece.extent, type)), piece.place);
    }
    made.shape.push_back(intImm(size, type));
    made.places.push_back(place);
  }
  return made;
}

}  // namespace rx::lower
