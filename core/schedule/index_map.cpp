#include "core/schedule/index_map.h"

#include <algorithm>

#include "core/arith/fold.h"
#include "core/arith/int_set.h"
#include "core/arith/iter_map.h"
#include "core/ir/all_nodes.h"
#include "core/lower/rewriter.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// How far a sum of pieces reaches: as far as its largest term, since they lie side by side.
PrimExpr extentOf(const arith::IterSum& sum, DataType type, arith::Canon& canon) {
  PrimExpr extent;
  for (const arith::IterSplit& term : sum.args) {
    const PrimExpr own = arith::mul(term.extent, term.scale);
    extent = extent ? arith::max(extent, own) : own;
  }
  return extent ? canon.simplify(extent) : arith::constantInt(type, 1);
}

/// Numbers of one type, and variables in the place of others.
class Retyper : public lower::Rewriter {
 public:
  Retyper(DataType type, const arith::VarMap& vars) : type_(type), vars_(vars) {}

 protected:
  NodeRef enter(const NodeRef& node) override {
    const auto* number = as<IntImm>(node);
    if (number) return arith::constantInt(type_, number->value);
    const auto* var = as<Var>(node);
    const auto other = var ? vars_.find(var) : vars_.end();
    return other == vars_.end() ? nullptr : NodeRef(other->second);
  }

 private:
  const DataType type_;
  const arith::VarMap& vars_;
};

}  // namespace

Ref<IndexMap> overTypes(const IndexMap& map, std::span<const PrimExpr> like) {
  bool same = true;
  int bits = 0;
  for (size_t i = 0; i < like.size(); ++i) {
    same = same && map.initialIndices[i]->dtype == like[i]->dtype;
    bits = std::max(bits, static_cast<int>(like[i]->dtype.bits));
  }
  if (same) return Ref<IndexMap>(&map);
  std::vector<VarRef> from;
  arith::VarMap vars;
  for (size_t i = 0; i < like.size(); ++i) {
    from.push_back(make<Var>(map.initialIndices[i]->name, DataType::Int(bits)));
    vars[map.initialIndices[i].get()] = from.back();
  }
  std::vector<PrimExpr> to;
  Retyper retyper(DataType::Int(bits), vars);
  for (const PrimExpr& index : map.finalIndices) to.push_back(retyper.rewrite(index));
  return make<IndexMap>(Array<VarRef>(std::move(from)), Array<PrimExpr>(std::move(to)));
}

std::vector<PrimExpr> mapIndices(const IndexMap& map, std::span<const PrimExpr> indices, arith::Canon& canon) {
  arith::VarMap values;
  for (size_t i = 0; i < indices.size(); ++i) values[map.initialIndices[i].get()] = indices[i];
  std::vector<PrimExpr> made;
  for (const PrimExpr& index : map.finalIndices) made.push_back(canon.simplify(arith::substitute(index, values)));
  return made;
}

std::optional<std::vector<PrimExpr>> mapShape(const IndexMap& map, std::span<const PrimExpr> shape,
                                              arith::Canon& canon) {
  arith::Analyzer analyzer;
  std::vector<arith::IterRange> ranges;
  arith::Domains domains;
  int bits = shape.empty() ? 32 : 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    const PrimExpr zero = arith::constantInt(shape[i]->dtype, 0);
    ranges.push_back({map.initialIndices[i], zero, shape[i]});
    domains[map.initialIndices[i].get()] = arith::IntSet::fromRange(zero, shape[i]);
    bits = std::max(bits, static_cast<int>(shape[i]->dtype.bits));
  }
  const DataType type = DataType::Int(bits);
  const auto sums =
      arith::detectIterMap({map.finalIndices.span(), ranges, nullptr, arith::IterMapLevel::NoCheck, false}, analyzer);
  std::vector<PrimExpr> made;
  for (size_t i = 0; i < map.finalIndices.size(); ++i) {
    PrimExpr extent;
    if (sums) {
      extent = extentOf((*sums)[i], type, canon);
    } else {
      const arith::IntSet set = arith::evalSet(map.finalIndices[i], domains);
      if (!set.bounded()) return std::nullopt;
      extent = canon.simplify(arith::add(arith::sub(set.max, set.min), arith::constantInt(type, 1)));
    }
    made.push_back(arith::cast(type, extent));
  }
  return made;
}

}  // namespace rx::schedule
