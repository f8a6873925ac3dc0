#include "core/schedule/pieces.h"

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/schedule/nest_parts.h"

namespace rx::schedule {

using namespace tir;

namespace {

PrimExpr number(const PrimExpr& like, int64_t value) { return arith::constantInt(like->dtype, value); }

/// The piece of what is left behind `first`, which a run alone knows.
Stmt leftBehind(const PrimExpr& first, const PrimExpr& extent, const Cut& cut,
                const std::function<Stmt(const Piece&)>& made) {
  if (cut.leftInHalves) {
    std::vector<Stmt> parts;
    for (int64_t size = cut.size / 2; size > 0; size /= 2) {
      const PrimExpr two = number(extent, 2 * size);
      const PrimExpr begin = arith::mul(arith::floorDiv(extent, two), two);
      const PrimExpr there = arith::le(arith::add(begin, number(extent, size)), extent);
      parts.push_back(make<IfThenElse>(there, made({begin, size, nullptr}), nullptr));
    }
    return seq(parts);
  }
  if (cut.leftIn > 0) {
    const PrimExpr size = number(extent, cut.leftIn);
    const PrimExpr some = arith::add(arith::sub(extent, first), number(extent, cut.leftIn - 1));
    return steps("some", arith::floorDiv(some, size), ForKind::Serial, [&](const PrimExpr& step) {
      return made({arith::add(first, arith::mul(step, size)), cut.leftIn, extent});
    });
  }
  Stmt left = made({first, cut.size, extent});
  for (size_t i = cut.lesser.size(); i-- > 0;) {
    const int64_t size = cut.lesser[i];
    if (size >= cut.size) continue;
    // Of one step it is known to be there.
    const Stmt here = made({first, size, size > 1 ? extent : nullptr});
    left = make<IfThenElse>(arith::le(extent, arith::add(first, number(extent, size))), here, left);
  }
  return make<IfThenElse>(arith::lt(first, extent), left, nullptr);
}

}  // namespace

PrimExpr Piece::step(const PrimExpr& at) const {
  const PrimExpr place = arith::add(first, at);
  return end ? arith::min(place, arith::sub(end, number(end, 1))) : place;
}

Stmt Piece::ifInside(const PrimExpr& at, Stmt statement) const {
  return end ? make<IfThenElse>(arith::lt(arith::add(first, at), end), std::move(statement), nullptr)
             : std::move(statement);
}

Stmt inPieces(const PrimExpr& extent, const Cut& cut, const std::function<Stmt(const Piece&)>& made) {
  const PrimExpr size = number(extent, cut.size);
  if (const auto known = asInt(extent)) {
    const int64_t whole = *known / cut.size, rest = *known % cut.size;
    std::vector<Stmt> parts;
    if (whole > 0) {
      parts.push_back(steps(extent->dtype, cut.name, whole, cut.kind, [&](const PrimExpr& piece) {
        return made({arith::mul(piece, size), cut.size, nullptr});
      }));
    }
    if (rest > 0) parts.push_back(made({number(extent, whole * cut.size), rest, nullptr}));
    return seq(parts);
  }
  const PrimExpr whole = arith::floorDiv(cut.alike ? arith::add(extent, number(extent, cut.size - 1)) : extent, size);
  const Stmt pieces = steps(cut.name, whole, cut.kind, [&](const PrimExpr& piece) {
    return made({arith::mul(piece, size), cut.size, cut.alike ? extent : nullptr});
  });
  std::vector<Stmt> parts{pieces};
  if (!cut.alike) {
    const auto left = make<Var>(Str("left"), extent->dtype);
    parts.push_back(make<Bind>(left, arith::mul(whole, size)));
    parts.push_back(leftBehind(left, extent, cut, made));
  }
  // The last step is known to be one only where there is any.
  return make<IfThenElse>(arith::gt(extent, number(extent, 0)), seq(parts), nullptr);
}

}  // namespace rx::schedule
