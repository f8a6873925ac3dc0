// layout_transform: elements at the places that an index map gives them, and padding where it gives none.
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;

namespace {

/// The final indices of an element.
Indices mappedIndices(const tir::IndexMap& map, const Indices& i) {
  std::unordered_map<const tir::Var*, PrimExpr> values;
  for (size_t k = 0; k < i.size(); ++k) values[map.initialIndices[k].get()] = i[k];
  Indices out;
  for (const PrimExpr& e : map.finalIndices) {
    NodeRef mapped = rewriteNodes(
        e, Into::Parts,
        [&](const NodeRef& node) -> NodeRef {
          auto found = values.find(as<tir::Var>(node));
          return found == values.end() ? nullptr : NodeRef(found->second);
        },
        [](const NodeRef& node) -> NodeRef {
          // The variables of a map have 32 bits in some texts, the indices 64.
          const auto* binary = as<tir::BinaryNode>(node);
          if (!binary) return node;
          PrimExpr a = binary->a, b = binary->b;
          return arith::matchTypes(a, b) ? NodeRef(arith::makeBinary(node->kind(), a, b)) : node;
        });
    out.push_back(rx::cast<tir::ExprNode>(mapped));
  }
  return out;
}

/// One initial index as final ones tell it: alone, or in parts of a constant length (quotient and remainder).
struct Origin {
  std::optional<size_t> alone, quotient, remainder;
  int64_t length = 1;
};
/// Nothing where an index is made in another way: the map has no inverse of this form.
std::optional<std::vector<Origin>> inverseOf(const tir::IndexMap& map) {
  std::vector<Origin> origins(map.initialIndices.size());
  auto originOf = [&](const PrimExpr& e) -> Origin* {
    for (size_t k = 0; k < origins.size(); ++k) {
      if (map.initialIndices[k].get() == e.get()) return &origins[k];
    }
    return nullptr;
  };
  for (size_t f = 0; f < map.finalIndices.size(); ++f) {
    const PrimExpr& e = map.finalIndices[f];
    if (Origin* whole = originOf(e)) {
      if (whole->alone || whole->quotient || whole->remainder) return std::nullopt;
      whole->alone = f;
      continue;
    }
    const auto* part = as<tir::BinaryNode>(e);
    const bool quotient = isa<tir::FloorDiv>(e), remainder = isa<tir::FloorMod>(e);
    Origin* of = quotient || remainder ? originOf(part->a) : nullptr;
    const auto length = of ? tir::asInt(part->b) : std::nullopt;
    if (!length || *length < 1 || of->alone) return std::nullopt;
    std::optional<size_t>& place = quotient ? of->quotient : of->remainder;
    if (place || (of->length != 1 && of->length != *length)) return std::nullopt;
    place = f;
    of->length = *length;
  }
  for (const Origin& origin : origins) {
    if (!origin.alone && !(origin.quotient && origin.remainder)) return std::nullopt;
  }
  return origins;
}

/// What stands where the map puts nothing.
PrimExpr padValue(Lowering& l, DataType type) {
  NodeRef given = ir::attrOf(l.call.attrs, "pad_value");
  if (const auto* prim = as<relax::PrimValue>(given)) {
    if (prim->value) return arith::cast(type, l.inside(prim->value));
  }
  return arith::constant(type, l.floatAttr("pad_value"));
}

/// Reads backwards: every place of the result asks whether it is padding.
Tensor gathered(Lowering& l, const Tensor& x, const Shape& shape, const std::vector<Origin>& origins,
                const PrimExpr& pad) {
  auto body = [&](const Indices& i) {
    Indices in;
    PrimExpr outside;
    for (size_t k = 0; k < origins.size(); ++k) {
      const Origin& origin = origins[k];
      if (origin.alone) {
        in.push_back(i[*origin.alone]);
        continue;
      }
      PrimExpr length = i64(origin.length), high = i[*origin.quotient], low = i[*origin.remainder];
      in.push_back(arith::add(arith::mul(high, length), low));
      PrimExpr rest = l.analyzer.simplify(arith::floorMod(x.dim(k), length));
      if (arith::isZero(rest)) continue;
      // One place may be left over.
      PrimExpr lowOutside = tir::asInt(rest) == origin.length - 1 ? arith::eq(low, rest) : arith::le(rest, low);
      PrimExpr behind = arith::logicalAnd(arith::eq(high, arith::floorDiv(x.dim(k), length)), lowOutside);
      if (!tir::asInt(rest)) {
        PrimExpr uneven = arith::lt(arith::floorMod(x.dim(k), i64(-origin.length)), i64(0));
        behind = arith::logicalAnd(arith::logicalAnd(uneven, arith::eq(high, arith::floorDiv(x.dim(k), length))),
                                   arith::le(rest, low));
      }
      outside = outside ? arith::logicalOr(outside, behind) : behind;
    }
    return outside ? ifThenElse(outside, pad, x(in)) : x(in);
  };
  return l.graph.compute(shape, body, {"te_layout_transform_with_pad", {"axis"}});
}

/// Fills the result, then writes every element at its place: for maps whose inverse is not known.
Tensor scattered(Lowering& l, const Tensor& x, const Shape& shape, const tir::IndexMap& map, const PrimExpr& pad) {
  auto body = [&](const std::vector<Tensor>& out) {
    auto nest = [&](const Tensor& t, const std::function<tir::Stmt(const Indices&)>& inner) {
      return loopOver(extentOf(t.shape()), tir::ForKind::Serial,
                      [&](PrimExpr v) { return inner(placeOf(v, t).vector()); });
    };
    auto fill = [&](const Indices& i) -> tir::Stmt { return store(out[0], i, pad); };
    auto move = [&](const Indices& i) -> tir::Stmt { return store(out[0], mappedIndices(map, i), x(i)); };
    return steps({nest(out[0], fill), nest(x, move)});
  };
  return l.graph.external({{shape, x.dtype()}}, {x}, body, {"te_layout_transform_with_pad"}).front();
}

Outcome layoutTransform(Lowering& l) {
  Tensor x = l.arg(0);
  const auto* map = as<tir::IndexMap>(ir::attrOf(l.call.attrs, "index_map"));
  auto result = l.resultShape();
  if (!map || map->initialIndices.size() != x.rank() || !result) return refuse(l.call, "the index map does not fit");
  const bool padded = !l.analyzer.canProveEqual(extentOf(x.shape()), extentOf(*result));
  if (!padded) {
    std::vector<std::string> names;
    for (const tir::VarRef& var : map->initialIndices) names.push_back(var->name.string());
    Tensor out = l.graph.computeMapped(
        x.dims(), *result, [&](const Indices& i) { return x(i); },
        [map](const Indices& i) { return mappedIndices(*map, i); }, {"te_layout_transform", names});
    return l.finish("te_layout_transform", out);
  }
  PrimExpr pad = padValue(l, x.dtype());
  const auto origins = inverseOf(*map);
  Tensor out = origins ? gathered(l, x, *result, *origins, pad) : scattered(l, x, *result, *map, pad);
  return l.finish("te_layout_transform_with_pad", out);
}

constexpr LegalizeRow kRows[] = {
    {"relax.layout_transform", layoutTransform},
};

}  // namespace

std::span<const LegalizeRow> layoutRows() { return kRows; }

}  // namespace rx::legalize
