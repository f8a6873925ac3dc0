#include "core/schedule/store_nests.h"

#include <algorithm>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/rewriter.h"
#include "core/lower/statements.h"
#include "core/schedule/index_growth.h"
#include "core/schedule/nest_parts.h"
#include "core/schedule/pieces.h"
#include "core/schedule/reads_along.h"
#include "core/schedule/thread_grain.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// How often counters are taken apart at most.
constexpr int64_t kMostParts = 16;
/// Fewer lanes are no vector.
constexpr int64_t kLeastLanes = 4;

/// Loops around one store.
struct Nest {
  std::vector<StageAxis> axes;
  std::vector<bool> shared;  ///< of each axis, whether its steps may run in any order
  std::vector<PrimExpr> indices;
  PrimExpr value;
  BufferRef buffer;
};

/// Nothing where other statements stand between, or a step is no step of one from zero.
std::optional<Nest> nestOf(const Stmt& statement) {
  Nest nest;
  Stmt inner = statement;
  while (const auto* loop = as<For>(inner)) {
    const bool plain = loop->forKind == ForKind::Serial || loop->forKind == ForKind::Parallel;
    const bool counts = std::none_of(nest.axes.begin(), nest.axes.end(),
                                     [&](const StageAxis& axis) { return lower::uses(loop->extent, axis.var.get()); });
    if (!plain || !counts || loop->step || !arith::isZero(loop->min) || arith::isZero(loop->extent) ||
        (loop->annotations && loop->annotations->size() > 0))
      return std::nullopt;
    nest.axes.push_back({loop->loopVar, loop->extent});
    nest.shared.push_back(loop->forKind == ForKind::Parallel);
    inner = loop->body;
  }
  const auto* store = as<BufferStore>(inner);
  if (!store || store->predicate || store->value->dtype.lanes != 1) return std::nullopt;
  nest.indices = store->indices.vector();
  nest.value = store->value;
  nest.buffer = store->buffer;
  arith::Canon canon;
  const bool writesOnce =
      canon.writesNothing(nest.value) && std::all_of(nest.indices.begin(), nest.indices.end(),
                                                     [&](const PrimExpr& index) { return canon.writesNothing(index); });
  return writesOnce ? std::optional(nest) : std::nullopt;
}

/// The nest with its indices as short as the ranges of its axes allow, by what its axes come to.
void shorten(Nest& nest, const arith::VarMap& places) {
  arith::Canon canon;
  for (const StageAxis& axis : nest.axes) canon.bind(axis.var, arith::constantInt(axis.var->dtype, 0), axis.extent);
  const auto plain = [&](const PrimExpr& expr) { return withPlainIndices(arith::substitute(expr, places), canon); };
  nest.value = plain(nest.value);
  for (PrimExpr& index : nest.indices) index = canon.simplify(plain(index));
}

/// The least number that the axis is divided by, of those that divide it without a rest; 1 where there is none.
int64_t partOf(const Nest& nest, const StageAxis& axis) {
  const auto steps = axis.steps();
  int64_t least = 1;
  const auto look = [&](const PrimExpr& expr) {
    walk(*expr, Into::Parts, [&](const Node& node) {
      const auto* both = isa<FloorDiv>(&node) || isa<FloorMod>(&node) ? as<BinaryNode>(&node) : nullptr;
      const auto by = both && both->a == PrimExpr(axis.var) ? asInt(both->b) : std::nullopt;
      if (by && *by > 1 && *by < *steps && *steps % *by == 0 && (least == 1 || *by < least)) least = *by;
      return !isa<Buffer>(&node);
    });
  };
  if (!steps) return 1;
  look(nest.value);
  for (const PrimExpr& index : nest.indices) look(index);
  return least;
}

/// Loops over the parts of counters in the place of loops over these.
void takeApart(Nest& nest) {
  shorten(nest, {});
  int64_t parts = 0;
  for (size_t i = 0; i < nest.axes.size() && parts < kMostParts;) {
    const StageAxis axis = nest.axes[i];
    const int64_t part = partOf(nest, axis);
    if (part == 1) {
      ++i;
      continue;
    }
    const DataType type = axis.var->dtype;
    const auto number = [&](int64_t value) { return arith::constantInt(type, value); };
    const StageAxis inner{make<Var>(axis.var->name, type), number(part)},
        outer{make<Var>(axis.var->name, type), number(*axis.steps() / part)};
    nest.axes[i] = outer;
    nest.axes.insert(nest.axes.begin() + static_cast<std::ptrdiff_t>(i) + 1, inner);
    nest.shared.insert(nest.shared.begin() + static_cast<std::ptrdiff_t>(i), nest.shared[i]);
    shorten(nest, {{axis.var.get(), arith::add(arith::mul(outer.var, number(part)), inner.var)}});
    ++parts;
  }
}

/// Whether a step reads of what the nest stores no other element than its own.
bool readsOwnAlone(const Nest& nest) {
  bool all = true;
  const auto look = [&](const PrimExpr& expr, bool own) {
    walk(*expr, Into::Parts, [&](const Node& node) {
      const auto* load = as<BufferLoad>(&node);
      if (load && load->buffer->data == nest.buffer->data)
        all = all && own && load->buffer == nest.buffer && arith::sameExprs(load->indices.span(), nest.indices);
      return !isa<Buffer>(&node);
    });
  };
  look(nest.value, true);
  for (const PrimExpr& index : nest.indices) look(index, false);
  return all;
}

/// Whether steps of the axis have an element each, whatever the other axes are.
bool isOwnIndex(const Nest& nest, const StageAxis& axis) {
  return std::any_of(nest.indices.begin(), nest.indices.end(),
                     [&](const PrimExpr& index) { return index == PrimExpr(axis.var); });
}

bool asks(const PrimExpr& value) {
  bool found = false;
  walk(*value, Into::Parts, [&](const Node& node) {
    found = found || lower::asCallOf(NodeRef(&node), "if_then_else");
    return !found && !isa<Buffer>(&node);
  });
  return found;
}

/// The axis whose steps lie in order, of those that may become the innermost; the number of axes where none does.
size_t alongOf(const Nest& nest) {
  if (asks(nest.value) || nest.buffer->dtype.bits < 8) return nest.axes.size();
  for (size_t i = nest.axes.size(); i-- > 0;) {
    const StageAxis& axis = nest.axes[i];
    if (!isUnitStride(nest.indices, *axis.var) || axis.usualSteps() < kLeastLanes) continue;
    if (i + 1 < nest.axes.size() && !isOwnIndex(nest, axis)) continue;
    const ReadsAlong reads = readsAlong(nest.value, *axis.var,
                                        [&](const BufferLoad& load) { return load.buffer->data == nest.buffer->data; });
    if (reads.inOrder && !reads.counted) return i;
  }
  return nest.axes.size();
}

/// So much of the axis in vectors.
Stmt inVectors(const Nest& nest, const StageAxis& along, const Piece& piece, int64_t perVector, arith::VarMap places) {
  return vectorSteps(along.var->dtype, piece.count, perVector, [&](const PrimExpr& lane) {
    places[along.var.get()] = arith::add(piece.first, lane);
    return piece.ifInside(lane,
                          storeTo(nest.buffer, indicesAt(nest.indices, places), arith::substitute(nest.value, places)));
  });
}

Stmt made(const Nest& nest, const VectorShape& vectors) {
  const ThreadGrain grain(nest.axes, vectors.choices.elementsShared, true);
  const size_t at = alongOf(nest);
  std::vector<StageAxis> around = nest.axes;
  const bool sharedOutside = !around.empty() && (nest.shared.front() || isOwnIndex(nest, around.front()));
  const auto serial = [&](const arith::VarMap& places) {
    return storeTo(nest.buffer, indicesAt(nest.indices, places), arith::substitute(nest.value, places));
  };
  if (at == nest.axes.size()) {
    const Stmt plain = overAxes(around, serial);
    return sharedOutside ? grain.outermost(plain) : plain;
  }
  const StageAxis along = nest.axes[at];
  around.erase(around.begin() + static_cast<std::ptrdiff_t>(at));
  const int64_t perVector = vectors.lanes(nest.buffer->dtype);
  const Cut cut{"vectors",
                along.steps() ? std::min(vectors.choices.nestVectors * perVector, *along.steps()) : perVector};
  if (at > 0 && sharedOutside && grain.shares()) {
    return grain.over(around, [&](const arith::VarMap& places, ForKind) {
      return inPieces(along.extent, cut,
                      [&](const Piece& piece) { return inVectors(nest, along, piece, perVector, places); });
    });
  }
  // Where threads share what lies in order each has some of it, in all steps of the others.
  const bool strips = grain.shares() && ((at == 0 && nest.shared[at]) || isOwnIndex(nest, along));
  if (strips) {
    return grain.over({}, [&](const arith::VarMap&, ForKind kind) {
      return inPieces(along.extent, {cut.name, cut.size, kind}, [&](const Piece& piece) {
        return overAxes(around,
                        [&](const arith::VarMap& places) { return inVectors(nest, along, piece, perVector, places); });
      });
    });
  }
  return overAxes(around, [&](const arith::VarMap& places) {
    return inPieces(along.extent, cut,
                    [&](const Piece& piece) { return inVectors(nest, along, piece, perVector, places); });
  });
}

/// Rewrites the nests that run one behind the other.
class NestRewriter : public lower::Rewriter {
 public:
  explicit NestRewriter(const VectorShape& vectors) : vectors_(vectors) {}
  bool some() const { return some_; }

 protected:
  bool changesExpressions() const override { return false; }
  Stmt visit(const Stmt& statement) override {
    const auto* block = as<tir::Block>(statement);
    if (isa<SeqStmt>(statement) || isa<AttrStmt>(statement) || isa<BlockRealize>(statement) ||
        (block && block->iterVars.empty()))
      return parts(statement);
    auto nest = isa<For>(statement) ? nestOf(statement) : std::nullopt;
    if (!nest || !readsOwnAlone(*nest)) return statement;
    takeApart(*nest);
    some_ = true;
    return made(*nest, vectors_);
  }

 private:
  const VectorShape& vectors_;
  bool some_ = false;
};

}  // namespace

Stmt storeNests(const Stmt& statement, const VectorShape& vectors, std::string&) {
  NestRewriter rewriter(vectors);
  const Stmt nests = rewriter.rewrite(statement);
  return rewriter.some() ? nests : nullptr;
}

}  // namespace rx::schedule
