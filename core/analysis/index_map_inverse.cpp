#include "core/analysis/index_map_inverse.h"

#include <fmt/format.h>

#include <numeric>

#include "core/arith/fold.h"
#include "core/arith/iter_map.h"
#include "core/ir/reflect.h"

namespace rx::analysis {

namespace {

using tir::PrimExpr;
constexpr int64_t kMaxMultiple = 1'000'000'000;

/// The least common multiple of what an index is divided by: as many elements fill the last piece.
int64_t pieceOf(const tir::IndexMap& map, const tir::VarRef& index) {
  int64_t multiple = 1;
  for (const PrimExpr& final : map.finalIndices) {
    walk(*final, Into::Parts, [&](const Node& node) {
      const auto* binary = as<tir::BinaryNode>(&node);
      const bool divides = isa<tir::FloorDiv>(&node) || isa<tir::FloorMod>(&node);
      const auto by = binary && divides ? tir::asInt(binary->b) : std::nullopt;
      if (by && *by > 0 && binary->a == index && multiple < kMaxMultiple / *by) multiple = std::lcm(multiple, *by);
      return true;
    });
  }
  return multiple;
}

std::optional<Ref<tir::IndexMap>> inverted(const tir::IndexMap& map, const std::vector<PrimExpr>& extents,
                                           arith::Analyzer& analyzer) {
  std::vector<arith::IterRange> iters;
  for (size_t i = 0; i < extents.size(); ++i) {
    const tir::VarRef& var = map.initialIndices[i];
    iters.push_back({var, make<tir::IntImm>(var->dtype, 0), arith::cast(var->dtype, extents[i])});
  }
  arith::IterMapQuery query{map.finalIndices, iters, nullptr, arith::IterMapLevel::Bijective};
  query.dropUnitIters = false;
  const auto sums = arith::detectIterMap(query, analyzer);
  if (!sums) return std::nullopt;
  std::vector<tir::VarRef> axes;
  std::vector<PrimExpr> values;
  for (size_t i = 0; i < map.finalIndices.size(); ++i) {
    axes.push_back(make<tir::Var>(Str(fmt::format("axis{}", i)), map.finalIndices[i]->dtype));
    values.push_back(axes.back());
  }
  const auto sources = arith::invertIterMap(*sums, values, analyzer);
  if (!sources) return std::nullopt;
  std::vector<PrimExpr> finals;
  for (const tir::VarRef& var : map.initialIndices) {
    auto source = sources->find(var.get());
    finals.push_back(source == sources->end() ? PrimExpr(make<tir::IntImm>(var->dtype, 0))
                                              : analyzer.simplify(source->second));
  }
  return make<tir::IndexMap>(Array<tir::VarRef>(std::move(axes)), Array<PrimExpr>(std::move(finals)));
}

}  // namespace

std::optional<InverseMap> inverseOf(const tir::IndexMap& map, std::span<const PrimExpr> shape,
                                    arith::Analyzer& analyzer) {
  if (shape.size() != map.initialIndices.size()) return std::nullopt;
  std::vector<PrimExpr> extents(shape.begin(), shape.end());
  if (auto exact = inverted(map, extents, analyzer)) return InverseMap{*exact, false};
  for (size_t i = 0; i < extents.size(); ++i) {
    const PrimExpr piece = tir::intImm(pieceOf(map, map.initialIndices[i]), extents[i]->dtype);
    const PrimExpr pieces =
        arith::floorDiv(arith::add(extents[i], arith::sub(piece, tir::intImm(1, piece->dtype))), piece);
    extents[i] = analyzer.simplify(arith::mul(pieces, piece));
  }
  if (auto padded = inverted(map, extents, analyzer)) return InverseMap{*padded, true};
  return std::nullopt;
}

}  // namespace rx::analysis
