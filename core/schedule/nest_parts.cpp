#include "core/schedule/nest_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/loop_nest.h"
#include "core/lower/rewriter.h"

namespace rx::schedule {

using namespace tir;

namespace {

class LoadReplacer : public lower::Rewriter {
 public:
  LoadReplacer(const Buffer& buffer, const std::function<PrimExpr(const BufferLoad&)>& made)
      : buffer_(buffer), made_(made) {}

 protected:
  NodeRef enter(const NodeRef& node) override {
    const auto* load = as<BufferLoad>(node);
    return load && load->buffer.get() == &buffer_ ? NodeRef(made_(*load)) : nullptr;
  }

 private:
  const Buffer& buffer_;
  const std::function<PrimExpr(const BufferLoad&)>& made_;
};

}  // namespace

PrimExpr elementOf(const BufferRef& buffer, std::vector<PrimExpr> indices) {
  return make<BufferLoad>(buffer, Array<PrimExpr>(std::move(indices)), buffer->dtype);
}

Stmt storeTo(const BufferRef& buffer, std::vector<PrimExpr> indices, PrimExpr value) {
  return make<BufferStore>(buffer, std::move(value), Array<PrimExpr>(std::move(indices)));
}

PrimExpr fusedMultiplyAdd(PrimExpr a, PrimExpr b, PrimExpr c) {
  const DataType type = c->dtype;
  return lower::intrinsic(type, "fma", {std::move(a), std::move(b), std::move(c)});
}

PrimExpr withLoads(const PrimExpr& expr, const Buffer& buffer, const std::function<PrimExpr(const BufferLoad&)>& made) {
  return LoadReplacer(buffer, made).rewrite(expr);
}

std::vector<PrimExpr> indicesAt(std::span<const PrimExpr> indices, const arith::VarMap& places) {
  std::vector<PrimExpr> made;
  for (const PrimExpr& index : indices) made.push_back(arith::substitute(index, places));
  return made;
}

Stmt storeAt(const Stage& stage, const arith::VarMap& places, const PrimExpr& value) {
  return storeTo(stage.buffer, indicesAt(stage.indices, places), arith::substitute(value, places));
}

OtherAxes axesWithout(std::span<const StageAxis> axes, std::initializer_list<VarRef> taken) {
  OtherAxes left;
  for (const StageAxis& axis : axes) {
    if (std::find(taken.begin(), taken.end(), axis.var) == taken.end())
      (axis.reduces ? left.reduced : left.places).push_back(axis);
  }
  return left;
}

Stmt steps(DataType index, std::string_view name, int64_t count, ForKind kind, const StepMaker& made) {
  return steps(name, arith::constantInt(index, count), kind, made);
}

Stmt steps(std::string_view name, const PrimExpr& count, ForKind kind, const StepMaker& made) {
  if (arith::isOne(count)) return made(arith::constantInt(count->dtype, 0));
  const auto var = make<Var>(Str(name), count->dtype);
  return lower::loopOver(var, count, kind, made(var));
}

Stmt vectorSteps(DataType index, int64_t count, int64_t lanes, const StepMaker& made) {
  return vectorParts(index, count, lanes,
                     [&](const PrimExpr& first, const PrimExpr& lane) { return made(arith::add(first, lane)); });
}

Stmt vectorParts(DataType index, int64_t count, int64_t lanes, const VectorMaker& made) {
  std::vector<Stmt> parts;
  const int64_t whole = count / lanes, rest = count % lanes;
  const auto piece = [&](const PrimExpr& first, int64_t width) {
    return steps(index, "lane", width, ForKind::Vectorized, [&](const PrimExpr& lane) { return made(first, lane); });
  };
  if (whole > 0) {
    parts.push_back(steps(index, "vector", whole, ForKind::Unrolled, [&](const PrimExpr& vector) {
      return piece(arith::mul(vector, arith::constantInt(index, lanes)), lanes);
    }));
  }
  if (rest > 0) parts.push_back(piece(arith::constantInt(index, whole * lanes), rest));
  return seq(parts);
}

Stmt lanePanels(const PrimExpr& lanes, int64_t perVector, int64_t vectors, ForKind kind, const PanelMaker& made) {
  const auto number = [&](int64_t value) { return arith::constantInt(lanes->dtype, value); };
  const PrimExpr whole = arith::floorDiv(lanes, number(vectors * perVector));
  std::vector<Stmt> parts;
  if (!arith::isZero(whole)) {
    parts.push_back(steps("panel", whole, kind, [&](const PrimExpr& panel) {
      const PrimExpr first = arith::mul(panel, number(vectors * perVector));
      std::vector<PrimExpr> firsts;
      for (int64_t v = 0; v < vectors; ++v) firsts.push_back(arith::add(first, number(v * perVector)));
      return made(firsts);
    }));
  }
  const PrimExpr last = arith::sub(lanes, number(perVector)), begin = arith::mul(whole, number(vectors * perVector));
  const auto known = asInt(lanes);
  if (!known) {
    const PrimExpr left = arith::add(arith::sub(lanes, begin), number(perVector - 1));
    parts.push_back(steps("left", arith::floorDiv(left, number(perVector)), ForKind::Serial, [&](const PrimExpr& v) {
      return made({arith::min(arith::add(begin, arith::mul(v, number(perVector))), last)});
    }));
    return seq(parts);
  }
  std::vector<PrimExpr> left;
  for (int64_t first = *asInt(begin); first < *known; first += perVector)
    left.push_back(number(std::min(first, *known - perVector)));
  if (!left.empty()) parts.push_back(made(left));
  return seq(parts);
}

PrimExpr placesFrom(const PrimExpr& first, int64_t lanes) {
  return make<Ramp>(first, arith::constantInt(first->dtype, 1), lower::int32(lanes),
                    first->dtype.withLanes(static_cast<int16_t>(lanes)));
}

Stmt panelVectors(const std::vector<PrimExpr>& firsts, int64_t perVector,
                  const std::function<Stmt(const PrimExpr& lane, const PrimExpr& place)>& made) {
  std::vector<Stmt> parts;
  for (size_t v = 0; v < firsts.size(); ++v) {
    const DataType index = firsts[v]->dtype;
    const PrimExpr first = arith::constantInt(index, static_cast<int64_t>(v) * perVector);
    parts.push_back(steps(index, "lane", perVector, ForKind::Vectorized, [&](const PrimExpr& lane) {
      return made(arith::add(first, lane), arith::add(firsts[v], lane));
    }));
  }
  return seq(parts);
}

Stmt overAxes(std::span<const StageAxis> axes, const std::function<Stmt(const arith::VarMap& places)>& made) {
  arith::VarMap places;
  std::vector<VarRef> vars;
  for (const StageAxis& axis : axes) {
    vars.push_back(lower::renamed(*axis.var, ""));
    places[axis.var.get()] = vars.back();
  }
  Stmt body = made(places);
  for (size_t i = axes.size(); i-- > 0;) {
    body = lower::loopOver(vars[i], axes[i].extent, ForKind::Serial, std::move(body));
  }
  return body;
}

Stmt inParallel(const Stmt& nest) {
  const auto* loop = as<For>(nest);
  if (!loop) return nest;
  auto* parallel = new For(*loop);
  parallel->forKind = ForKind::Parallel;
  return Stmt(parallel);
}

}  // namespace rx::schedule
