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
#include "core/schedule/matrix_product.h"
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

/// Whether steps of the axis are steps of one element: along a row, or along rows that lie one behind the other.
bool goesBeside(const Array<PrimExpr>& indices, const BufferRef& buffer, const Var& axis) {
  return isUnitStride(indices.span(), axis) ||
         (buffer->strides.empty() &&
          growthOf(flatPlace(*refAs<BufferLoad>(elementOf(buffer, indices.vector()))), axis) == 1);
}

/// Whether what is stored and read lies in the order of the axis, or stays where it is.
bool liesBeside(const BufferStore& store, const Var& axis) {
  const ReadsAlong others = readsAlong(store.value, axis, [&](const BufferLoad& load) {
    return !load.predicate && goesBeside(load.indices, load.buffer, axis);
  });
  return goesBeside(store.indices, store.buffer, axis) && others.inOrder && !others.counted;
}

/// Whether steps of a line take what the one before has stored.
bool areChained(std::span<const LineStep> line) {
  return std::any_of(line.begin(), line.end(), [](const LineStep& step) {
    bool own = false;
    walk(*step.store->value, Into::Parts, [&](const Node& node) {
      const auto* load = as<BufferLoad>(&node);
      own = own || (load && load->buffer->data == step.store->buffer->data);
      return !own && !isa<Buffer>(&node);
    });
    return step.loop && own;
  });
}

/// Groups of lines in the place of all of them.
struct Groups {
  StageAxis group, along;
  std::vector<LineStep> line;   ///< by these axes
  std::vector<StageAxis> axes;  ///< all that the steps go over

  bool areBeside() const {
    return std::all_of(line.begin(), line.end(),
                       [&](const LineStep& step) { return liesBeside(*step.store, *along.var); });
  }
};

Groups groupsOf(const For& lines, std::span<const LineStep> line, int64_t count, int64_t size) {
  const DataType index = lines.loopVar->dtype;
  const auto number = [&](int64_t value) { return arith::constantInt(index, value); };
  Groups made{
      {make<Var>(Str("lines"), index), number(count / size)}, {make<Var>(Str("line"), index), number(size)}, {}, {}};
  arith::Canon canon;
  canon.bind(made.group.var, number(0), made.group.extent);
  canon.bind(made.along.var, number(0), made.along.extent);
  const PrimExpr first = count == size ? number(0) : arith::mul(made.group.var, number(size));
  const arith::VarMap places{{lines.loopVar.get(), arith::add(first, made.along.var)}};
  made.axes = {made.group, made.along};
  for (const LineStep& step : line) {
    if (step.loop) canon.bind(step.loop->loopVar, number(0), step.loop->extent);
    if (step.loop) made.axes.push_back({step.loop->loopVar, step.loop->extent});
    made.line.push_back({step.loop, simplified(*step.store, places, canon)});
  }
  return made;
}

/// The steps of a line one behind the other; `each` makes what one does, for those of the lines that are made at once.
Stmt inOrder(std::span<const LineStep> line, const arith::VarMap& outer,
             const std::function<Stmt(const BufferStore& store, const arith::VarMap& places)>& each) {
  std::vector<Stmt> made;
  for (const LineStep& step : line) {
    const auto at = [&](arith::VarMap places) {
      places.insert(outer.begin(), outer.end());
      return each(*step.store, places);
    };
    const StageAxis axis = step.loop ? StageAxis{step.loop->loopVar, step.loop->extent} : StageAxis{};
    made.push_back(step.loop ? overAxes(std::span(&axis, 1), at) : at({}));
  }
  return seq(made);
}

Stmt storedAt(const BufferStore& store, const arith::VarMap& places) {
  return storeTo(store.buffer, indicesAt(store.indices.span(), places), arith::substitute(store.value, places));
}

/// Lanes across lines that lie beside one another.
Stmt inVectors(const Groups& groups, const VectorShape& vectors) {
  const DataType index = groups.along.var->dtype;
  const int64_t beside = *groups.along.steps();
  const int64_t perVector = vectors.lanes(groups.line.front().store->buffer->dtype);
  const bool alone = groups.group.steps() == 1;
  const ThreadGrain grain(groups.axes, vectors.choices.elementsShared, true);
  return grain.over(std::span(&groups.group, alone ? 0 : 1), [&](const arith::VarMap& outer, ForKind kind) {
    const Cut cut{"vectors", std::min(vectors.choices.lineVectors * perVector, beside), kind};
    return inPieces(groups.along.extent, cut, [&](const Piece& piece) {
      return inOrder(groups.line, outer, [&](const BufferStore& store, const arith::VarMap& places) {
        return vectorSteps(index, piece.count, perVector, [&](const PrimExpr& lane) {
          arith::VarMap at = places;
          at[groups.along.var.get()] = arith::add(piece.first, lane);
          return storedAt(store, at);
        });
      });
    });
  });
}

/// Several lines that lie apart at once: a step of one does not wait for the step before, which is of another.
Stmt severalAtOnce(const Groups& groups, const VectorShape& vectors) {
  const DataType index = groups.group.var->dtype;
  const ThreadGrain grain(groups.axes, vectors.choices.elementsShared, true);
  return grain.over({}, [&](const arith::VarMap&, ForKind kind) {
    const Cut cut{"lines", std::min(vectors.choices.linesAtOnce, *groups.group.steps()), kind};
    return inPieces(groups.group.extent, cut, [&](const Piece& piece) {
      return inOrder(groups.line, {{groups.along.var.get(), arith::constantInt(index, 0)}},
                     [&](const BufferStore& store, const arith::VarMap& places) {
                       return steps(index, "line", piece.count, ForKind::Unrolled, [&](const PrimExpr& line) {
                         arith::VarMap at = places;
                         at[groups.group.var.get()] = arith::add(piece.first, line);
                         return storedAt(store, at);
                       });
                     });
    });
  });
}

}  // namespace

Stmt linesBeside(const Stmt& statement, const VectorShape& vectors, std::string&) {
  const auto* lines = as<For>(statement);
  const auto count = lines ? asInt(lines->extent) : std::nullopt;
  if (!count || *count < 1 || lines->forKind != ForKind::Parallel || !arith::isZero(lines->min) || lines->step)
    return nullptr;
  const Line line = lineOf(*lines);
  if (line.steps.empty()) return nullptr;
  const int64_t beside = sideBySide(*lines);
  Stmt made;
  if (beside > 1 && *count % beside == 0) {
    const Groups groups = groupsOf(*lines, line.steps, *count, beside);
    if (groups.areBeside()) made = inVectors(groups, vectors);
  }
  if (!made && areChained(line.steps)) made = severalAtOnce(groupsOf(*lines, line.steps, *count, 1), vectors);
  return made && line.condition ? make<IfThenElse>(line.condition, made, nullptr) : made;
}

}  // namespace rx::schedule
