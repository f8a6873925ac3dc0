#include "core/op/layout_transform.h"

#include "core/arith/equal.h"
#include "core/support/stack.h"

namespace rx::op {

namespace {

/// Symbolic bounds of an index, both ends included; null = not known.
struct Bounds {
  PrimExpr low, high;
  bool known() const { return low && high; }
};

class Ranger {
 public:
  Ranger(const tir::IndexMap& map, std::span<const PrimExpr> dims, InferContext& context) : context_(context) {
    for (size_t i = 0; i < dims.size(); ++i) {
      const PrimExpr& dim = dims[i];
      vars_.emplace(map.initialIndices[i].get(), Bounds{int64(0), simplify(arith::sub(dim, int64(1)), context)});
    }
  }

  Bounds of(const PrimExpr& expr) {
    return withStack([&]() -> Bounds {
      if (const auto* var = as<tir::Var>(expr)) {
        auto hit = vars_.find(var);
        return hit == vars_.end() ? Bounds{expr, expr} : hit->second;
      }
      if (isa<tir::IntImm>(expr)) return {expr, expr};
      if (const auto* cast = as<tir::Cast>(expr)) return of(cast->value);
      const auto* binary = as<tir::BinaryNode>(expr);
      if (!binary) return {};
      return combine(expr->kind(), of(binary->a), of(binary->b));
    });
  }

 private:
  PrimExpr ready(const PrimExpr& expr) { return simplify(expr, context_); }
  bool same(const Bounds& b) { return equalValues(b.low, b.high, context_); }

  Bounds combine(Kind kind, const Bounds& a, const Bounds& b) {
    if (!a.known() || !b.known()) return {};
    if (kind == Kind::tir_Add) return {ready(arith::add(a.low, b.low)), ready(arith::add(a.high, b.high))};
    if (kind == Kind::tir_Sub) return {ready(arith::sub(a.low, b.high)), ready(arith::sub(a.high, b.low))};
    if (kind == Kind::tir_Min) return {ready(arith::min(a.low, b.low)), ready(arith::min(a.high, b.high))};
    if (kind == Kind::tir_Max) return {ready(arith::max(a.low, b.low)), ready(arith::max(a.high, b.high))};
    if (kind == Kind::tir_Mul && same(b)) return scaled(a, b.low);
    if (kind == Kind::tir_Mul && same(a)) return scaled(b, a.low);
    const auto divisor = tir::asInt(b.low);
    if (!same(b) || (divisor && *divisor <= 0)) return {};
    if (kind == Kind::tir_FloorDiv || kind == Kind::tir_Div) {
      return {ready(arith::floorDiv(a.low, b.low)), ready(arith::floorDiv(a.high, b.low))};
    }
    if (kind == Kind::tir_FloorMod || kind == Kind::tir_Mod) {
      // A range that is shorter than the period is padded to it, as an index map pads.
      return {int64(0), ready(arith::sub(b.low, int64(1)))};
    }
    return {};
  }

  Bounds scaled(const Bounds& a, const PrimExpr& factor) {
    PrimExpr low = ready(arith::mul(a.low, factor)), high = ready(arith::mul(a.high, factor));
    const auto constant = tir::asInt(factor);
    if (constant && *constant < 0) return {high, low};
    return {low, high};
  }

  InferContext& context_;
  std::unordered_map<const tir::Var*, Bounds> vars_;
};

}  // namespace

namespace {

/// How often a symbolic dimension is divided by a constant, as TVM writes it; null for other indices.
PrimExpr quotientExtent(const tir::IndexMap& map, const PrimExpr& index, std::span<const PrimExpr> dims,
                        InferContext& context) {
  const auto* part = as<tir::FloorDiv>(index);
  const auto length = part ? tir::asInt(part->b) : std::nullopt;
  if (!length || *length < 2) return nullptr;
  for (size_t k = 0; k < map.initialIndices.size() && k < dims.size(); ++k) {
    if (map.initialIndices[k].get() != part->a.get() || tir::asInt(dims[k])) continue;
    if (dims[k]->dtype != DataType::Int(64)) return nullptr;
    if (arith::isZero(simplify(arith::floorMod(dims[k], int64(*length)), context))) return nullptr;
    PrimExpr filled = arith::sub(dims[k], arith::floorMod(dims[k], int64(-*length)));
    return simplify(arith::floorDiv(filled, int64(*length)), context);
  }
  return nullptr;
}

}  // namespace

std::optional<Dims> mapShape(const tir::IndexMap& map, std::span<const PrimExpr> dims, InferContext& context) {
  Ranger ranger(map, dims, context);
  Dims out;
  for (const PrimExpr& index : map.finalIndices) {
    const Bounds bounds = ranger.of(index);
    if (!bounds.known()) return std::nullopt;
    if (PrimExpr quotient = quotientExtent(map, index, dims, context)) {
      out.push_back(quotient);
      continue;
    }
    PrimExpr extent = arith::add(arith::sub(bounds.high, bounds.low), int64(1));
    if (extent->dtype != DataType::Int(64)) extent = arith::cast(DataType::Int(64), extent);
    out.push_back(simplify(extent, context));
  }
  return out;
}

Inferred inferLayoutTransform(const Call& call, InferContext& context) {
  RX_TRY(data, tensorAt(call, 0));
  const auto* map = as<tir::IndexMap>(attr(call, "index_map"));
  if (!map) return refuse(call, "attribute 'index_map' must be an index map");
  const NodeRef& pad = attr(call, "pad_value");
  if (const auto* value = as<relax::PrimValue>(pad)) {
    if (value->value->dtype != data->dtype) {
      return refuse(call,
                    fmt::format("pad_value is {}, the data {}", value->value->dtype.str(), dtypeText(data->dtype)));
    }
  }
  const int64_t rank = static_cast<int64_t>(map->finalIndices.size());
  if (!knownRank(*data)) return tensorOfRank(rank, data->dtype, data->vdevice);
  if (static_cast<int64_t>(map->initialIndices.size()) != data->ndim) {
    return refuse(call, fmt::format("the index map takes {} indices, the data has {} dimensions",
                                    map->initialIndices.size(), data->ndim));
  }
  const Array<PrimExpr>* dims = valuesOf(*data);
  auto mapped = dims ? mapShape(*map, *dims, context) : std::nullopt;
  if (!mapped) return tensorOfRank(rank, data->dtype, data->vdevice);
  return tensor(std::move(*mapped), data->dtype, data->vdevice);
}

}  // namespace rx::op
