#include "core/schedule/lines_beside.h"

#include <algorithm>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/loop_nest.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/index_growth.h"
#include "core/schedule/nest_parts.h"
#include "core/schedule/pieces.h"
#include "core/schedule/reads_along.h"
#include "core/schedule/thread_grain.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// A store of a line, in its loop; of the first element alone, in none.
struct LineStep {
  Ref<For> loop;
  Ref<BufferStore> store;
};

/// What all lines do alike.
struct Line {
  PrimExpr condition;  ///< whether they do anything, as where a run alone knows how long they are; null: they do
  std::vector<LineStep> steps;
};

/// No steps where the lines have another form.
Line lineOf(const For& lines) {
  Line found;
  Stmt body = lines.body;
  const auto* asked = as<IfThenElse>(body);
  if (asked && !asked->elseCase && !lower::uses(asked->condition, lines.loopVar.get())) {
    found.condition = asked->condition;
    body = asked->thenCase;
  }
  for (const Stmt& statement : statementsOf(body)) {
    const auto loop = refAs<For>(statement);
    const auto store = refAs<BufferStore>(loop ? loop->body : statement);
    const bool plain = !loop || (loop->forKind == ForKind::Serial && !loop->step && arith::isZero(loop->min) &&
                                 !lower::uses(loop->extent, lines.loopVar.get()));
    if (!plain || !store || store->predicate) return {};
    found.steps.push_back({loop, store});
  }
  return found;
}

/// How many lines lie side by side: what the number of a line is divided by to find where it begins.
int64_t sideBySide(const For& lines) {
  std::optional<int64_t> found;
  bool one = true;
  walk(*lines.body, Into::Parts, [&](const Node& node) {
    const auto* rest = as<FloorMod>(&node);
    const auto size = rest && rest->a == PrimExpr(lines.loopVar) ? asInt(rest->b) : std::nullopt;
    one = one && (!size || !found || *found == *size);
    if (size) found = size;
    return one && !isa<Buffer>(&node);
  });
  return one ? found.value_or(1) : 1;
}

/// The store with what its indices come to.
Ref<BufferStore> simplified(const BufferStore& store, const arith::VarMap& places, arith::Canon& canon) {
  std::vector<PrimExpr> indices = indicesAt(store.indices.span(), places);
  for (PrimExpr& index : indices) index = canon.simplify(withPlainIndices(index, canon));
  return make<BufferStore>(store.buffer, withPlainIndices(arith::substitute(store.value, places), canon),
                           Array<PrimExpr>(std::move(indices)));
}

/// Whether what is stored and read lies in the order of the axis, or stays where it is.
bool liesBeside(const BufferStore& store, const Var& axis) {
  const ReadsAlong reads = readsAlong(store.value, axis);
  return isUnitStride(store.indices.span(), axis) && reads.inOrder && !reads.counted;
}

}  // namespace

Stmt linesBeside(const Stmt& statement, const VectorShape& vectors, std::string&) {
  const auto* lines = as<For>(statement);
  const auto count = lines ? asInt(lines->extent) : std::nullopt;
  if (!count || lines->forKind != ForKind::Parallel || !arith::isZero(lines->min) || lines->step) return nullptr;
  Line found = lineOf(*lines);
  std::vector<LineStep>& line = found.steps;
  const int64_t beside = sideBySide(*lines);
  if (line.empty() || beside < 2 || *count % beside != 0) return nullptr;
  const DataType index = lines->loopVar->dtype;
  const auto number = [&](int64_t value) { return arith::constantInt(index, value); };
  const StageAxis group{make<Var>(Str("lines"), index), number(*count / beside)},
      along{make<Var>(Str("line"), index), number(beside)};
  arith::Canon canon;
  canon.bind(group.var, number(0), group.extent);
  canon.bind(along.var, number(0), along.extent);
  const bool alone = *count == beside;
  const PrimExpr first = alone ? number(0) : arith::mul(group.var, number(beside));
  const arith::VarMap places{{lines->loopVar.get(), arith::add(first, along.var)}};
  std::vector<StageAxis> axes{group, along};
  for (LineStep& step : line) {
    if (step.loop) canon.bind(step.loop->loopVar, number(0), step.loop->extent);
    if (step.loop) axes.push_back({step.loop->loopVar, step.loop->extent});
    step.store = simplified(*step.store, places, canon);
    if (!liesBeside(*step.store, *along.var)) return nullptr;
  }
  const int64_t perVector = vectors.lanes(line.front().store->buffer->dtype);
  const ThreadGrain grain(axes, vectors.choices.elementsShared, true);
  const Stmt nest = grain.over(std::span(&group, alone ? 0 : 1), [&](const arith::VarMap& outer, ForKind kind) {
    const Cut cut{"vectors", std::min(vectors.choices.lineVectors * perVector, beside), kind};
    return inPieces(along.extent, cut, [&](const Piece& piece) {
      std::vector<Stmt> made;
      for (const LineStep& step : line) {
        const auto steps = [&](arith::VarMap at) {
          at.insert(outer.begin(), outer.end());
          return vectorSteps(index, piece.count, perVector, [&](const PrimExpr& lane) {
            at[along.var.get()] = arith::add(piece.first, lane);
            return storeTo(step.store->buffer, indicesAt(step.store->indices.span(), at),
                           arith::substitute(step.store->value, at));
          });
        };
        if (!step.loop) {
          made.push_back(steps({}));
        } else {
          const StageAxis axis{step.loop->loopVar, step.loop->extent};
          made.push_back(overAxes(std::span(&axis, 1), steps));
        }
      }
      return seq(made);
    });
  });
  return found.condition ? make<IfThenElse>(found.condition, nest, nullptr) : nest;
}

}  // namespace rx::schedule
