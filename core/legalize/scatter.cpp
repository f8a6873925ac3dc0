// Operators that write at computed places, as blocks of statements: scatter_elements, scatter_nd.
#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;

Array<PrimExpr> placeOf(PrimExpr flat, const Tensor& t) {
  std::vector<PrimExpr> out(t.rank());
  for (size_t i = t.rank(); i-- > 0;) {
    out[i] = i == 0 ? flat : arith::floorMod(flat, t.dim(i));
    if (i > 0) flat = arith::floorDiv(flat, t.dim(i));
  }
  return Array<PrimExpr>(std::move(out));
}

PrimExpr readAt(const Tensor& t, const PrimExpr& flat) {
  return make<tir::BufferLoad>(t.buffer, placeOf(flat, t), t.dtype());
}
tir::Stmt writeAt(const Tensor& t, const PrimExpr& flat, PrimExpr value) {
  return make<tir::BufferStore>(t.buffer, std::move(value), placeOf(flat, t));
}

tir::Stmt store(const Tensor& t, Indices at, PrimExpr value) {
  return make<tir::BufferStore>(t.buffer, std::move(value), Array<PrimExpr>(std::move(at)));
}
tir::Stmt when(PrimExpr condition, tir::Stmt yes, tir::Stmt no) {
  return make<tir::IfThenElse>(std::move(condition), std::move(yes), std::move(no));
}

tir::Stmt loopOver(const PrimExpr& extent, tir::ForKind kind, const std::function<tir::Stmt(PrimExpr)>& body) {
  auto var = make<tir::Var>(Str("v"), extent->dtype);
  return make<tir::For>(var, tir::intImm(0, extent->dtype), extent, kind, body(var));
}

PrimExpr extentOf(std::span<const PrimExpr> dims) {
  PrimExpr out = i64(1);
  for (const PrimExpr& dim : dims) out = arith::mul(out, dim);
  return out;
}

tir::Stmt inOrder(std::vector<tir::Stmt> statements) {
  return make<tir::AttrStmt>(NodeRef(tir::intImm(0, DataType::Int(32))), Str("pragma_scope"),
                             PrimExpr(make<tir::StringImm>(Str("seq"))), tir::seq(statements));
}

namespace {

/// What stands in the output after an update meets what was there.
std::optional<PrimExpr> reduced(std::string_view mode, const PrimExpr& old, const PrimExpr& update) {
  if (mode == "update") return update;
  if (mode == "add") return arith::add(old, update);
  if (mode == "mul") return arith::mul(old, update);
  if (mode == "min") return arith::min(old, update);
  if (mode == "max") return arith::max(old, update);
  return std::nullopt;
}

Outcome scatterElements(Lowering& l) {
  Tensor data = l.tensor(l.call.args[0], true), indices = l.tensor(l.call.args[1], true);
  Tensor updates = l.tensor(l.call.args[2], true);
  auto axis = normalAxis(l.intAttr("axis"), data.rank());
  std::string_view mode = l.strAttr("reduction");
  if (!axis || indices.rank() != data.rank()) return refuse(l.call, "axis or rank do not fit");
  if (!reduced(mode, i64(0), i64(0))) return refuse(l.call, "this reduction can not be lowered");
  auto split = [&](const Tensor& t) {
    std::span<const PrimExpr> dims = t.shape().span();
    return std::pair(extentOf(dims.first(*axis)), extentOf(dims.subspan(*axis + 1)));
  };
  PrimExpr range = data.dim(*axis), after = split(data).second;
  auto [indexBefore, indexAfter] = split(indices);
  PrimExpr indexRange = indices.dim(*axis);
  auto body = [&, before = indexBefore, inner = indexAfter](const std::vector<Tensor>& out) {
    tir::Stmt copy = loopOver(extentOf(data.shape()), tir::ForKind::Parallel,
                              [&](PrimExpr v) { return writeAt(out[0], v, readAt(data, v)); });
    auto update = [&](PrimExpr fused) {
      PrimExpr i = arith::floorDiv(fused, inner), j = arith::floorMod(fused, inner);
      PrimExpr from = arith::add(arith::mul(i, arith::mul(indexRange, inner)), j);
      PrimExpr to = arith::add(arith::mul(i, arith::mul(range, after)), j);
      return loopOver(indexRange, tir::ForKind::Serial, [&](PrimExpr k) {
        PrimExpr source = arith::add(from, arith::mul(k, inner));
        PrimExpr index = readAt(indices, source);
        // Negative places count from the end.
        PrimExpr negative = arith::lt(index, arith::constantInt(index->dtype, 0));
        PrimExpr shifted = arith::add(index, arith::mul(arith::cast(index->dtype, negative), range));
        PrimExpr target = arith::add(to, arith::mul(shifted, after));
        return writeAt(out[0], target, *reduced(mode, readAt(out[0], target), readAt(updates, source)));
      });
    };
    tir::Stmt scatter = loopOver(arith::mul(before, inner), tir::ForKind::Parallel, update);
    return inOrder({copy, scatter});
  };
  std::vector<Tensor> out =
      l.graph.external({{data.dims(), data.dtype()}}, {data, indices, updates}, body, {"scatter_elements_generic"});
  return l.finish("scatter_elements", out);
}

Outcome scatterNd(Lowering& l) {
  Tensor data = l.tensor(l.call.args[0], true), given = l.arg(1), updates = l.tensor(l.call.args[2], true);
  std::string_view mode = l.strAttr("reduction");
  if (given.rank() == 0) return refuse(l.call, "the indices have no dimension");
  std::vector<size_t> axes{given.rank() - 1};
  for (size_t i = 0; i + 1 < given.rank(); ++i) axes.push_back(i);
  Tensor indices = transposeStage(l, given, axes);
  auto depth = tir::asInt(indices.dim(0));
  bool fits =
      depth && *depth >= 0 && *depth <= static_cast<int64_t>(data.rank()) && updates.rank() + 1 >= indices.rank();
  if (!fits) return refuse(l.call, "the depth of the indices is not known");
  if (!reduced(mode, i64(0), i64(0))) return refuse(l.call, "this reduction can not be lowered");
  PrimExpr count = extentOf(indices.shape().span().subspan(1));
  PrimExpr size = extentOf(updates.shape().span().subspan(indices.rank() - 1));
  auto body = [&](const std::vector<Tensor>& out) {
    tir::Stmt copy = loopOver(extentOf(data.shape()), tir::ForKind::Serial,
                              [&](PrimExpr v) { return writeAt(out[0], v, readAt(data, v)); });
    auto update = [&](PrimExpr i) {
      return loopOver(size, tir::ForKind::Parallel, [&](PrimExpr j) {
        PrimExpr offset = size, target = j;
        for (int64_t k = *depth; k-- > 0;) {
          PrimExpr place = readAt(indices, arith::add(i, arith::mul(i64(k), count)));
          target = arith::add(target, arith::mul(offset, place));
          offset = arith::mul(offset, data.dim(static_cast<size_t>(k)));
        }
        PrimExpr source = arith::add(arith::mul(i, size), j);
        return writeAt(out[0], target, *reduced(mode, readAt(out[0], target), readAt(updates, source)));
      });
    };
    return inOrder({copy, loopOver(count, tir::ForKind::Serial, update)});
  };
  std::vector<Tensor> out =
      l.graph.external({{data.dims(), data.dtype()}}, {data, indices, updates}, body, {"scatter_nd_generic"});
  return l.finish("scatter_nd", out);
}

constexpr LegalizeRow kRows[] = {
    {"relax.scatter_elements", scatterElements},
    {"relax.scatter_nd", scatterNd},
};

}  // namespace

std::span<const LegalizeRow> scatterRows() { return kRows; }

}  // namespace rx::legalize
