// VectorizeLoop: loops that are marked become statements on vectors.
#include <fmt/format.h>

#include "core/arith/fold.h"
#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"
#include "core/lower/statements.h"
#include "core/lower/vector_unit.h"
#include "core/lower/vectorizer.h"
#include "core/pass/config.h"
#include "core/pass/options.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr const char* kRule = "lower.vectorize";
/// Scalable vectors hold that many elements at least, times T.vscale().
constexpr int64_t kScalableLanes = 4;

bool callsSomething(const Stmt& statement) {
  bool found = false;
  walk(*statement, Into::Parts, [&](const Node& node) {
    found = found || isa<tir::Call>(&node);
    return !found && !isa<Buffer>(&node);
  });
  return found;
}

class LoopVectorizer : public CheckedRewriter {
 public:
  LoopVectorizer(const PrimFunc& function, const pass::PassContext& context, std::optional<bool> predicates,
                 bool eachLane)
      : function_(function), context_(context), predicates_(predicates), eachLane_(eachLane) {}

 protected:
  bool changesExpressions() const override { return false; }
  Stmt visit(const Stmt& statement) override {
    if (const auto* attribute = as<AttrStmt>(statement); attribute && attribute->key == "target") {
      const auto before = std::exchange(unit_, vectorUnitOf(attribute->node));
      Stmt made = parts(statement);
      unit_ = before;
      return made;
    }
    const auto* loop = as<For>(statement);
    return loop && loop->forKind == ForKind::Vectorized ? vectorized(cast<For>(statement)) : parts(statement);
  }

 private:
  Stmt vectorized(const Ref<For>& loop) {
    const auto extent = asInt(loop->extent);
    if (!arith::isZero(loop->min)) return refused(loop, "does not begin at 0");
    if (extent && *extent > 1 && unit().riscv && !callsSomething(loop->body)) return inChunks(*loop, *extent);
    if (!extent || *extent < 1) {
      const bool scalable = !extent && arith::usesVScale(loop->extent) && arith::lanesOf(loop->extent);
      if (!scalable) return refused(loop, "has an extent that is no positive constant");
      if (!unit().scalable) return refused(loop, "has a scalable extent, and the target has no scalable vectors");
    } else if (*extent > INT16_MAX) {
      return refused(loop, "has more lanes than a vector can have");
    }
    Vectorizer vectorizer(loop->loopVar, loop->extent, predication());
    auto body = vectorizer.run(loop->body);
    if (body) return *body;
    for (const Diagnostic& error : body.diagnostics()) refuse(error.rule, error.message, error.span);
    return loop;
  }

  Stmt refused(const Ref<For>& loop, std::string_view why) {
    refuse(kRule, fmt::format("the vectorized loop over {} {}", loop->loopVar->name.view(), why), loop->span);
    return loop;
  }

  Predication predication() {
    if (eachLane_) return Predication::EachLane;
    if (!predicates_.value_or(unit().scalable)) return Predication::None;
    return unit().riscv ? Predication::AnyBase : Predication::SameBase;
  }

  /// A fixed number of lanes as whole scalable vectors, the last one cut off by a condition.
  Stmt inChunks(const For& loop, int64_t extent) {
    const DataType type = loop.loopVar->dtype;
    const PrimExpr lanes =
        make<Mul>(intrinsic(DataType::Int(32), "vscale", {}), intImm(kScalableLanes, DataType::Int(32)));
    const PrimExpr size = arith::cast(type, lanes), total = intImm(extent, type), one = intImm(1, type);
    const auto named = [&](const char* suffix, DataType of) {
      return make<Var>(Str(std::string(loop.loopVar->name.view()) + suffix), of);
    };
    const VarRef outer = named(".vla.o", type), inner = named(".vla.i", lanes->dtype);
    const PrimExpr index = arith::add(arith::mul(outer, size), arith::cast(type, inner));
    const Stmt guarded =
        make<IfThenElse>(arith::lt(index, total), substitute(loop.body, {{loop.loopVar.get(), index}}));
    auto* vector = new For(loop);
    const Stmt vectorLoop(vector);
    vector->loopVar = inner;
    vector->min = intImm(0, lanes->dtype);
    vector->extent = lanes;
    vector->body = guarded;
    vector->step = nullptr;
    const PrimExpr chunks = arith::floorDiv(arith::sub(arith::add(total, size), one), size);
    return rewrite(Stmt(make<For>(outer, intImm(0, type), chunks, ForKind::Serial, vectorLoop)));
  }

  /// Of the target in force; that of the function is read when a vectorized loop asks for it.
  const VectorUnit& unit() {
    if (!unit_) unit_ = vectorUnitOf(function_, context_);
    return *unit_;
  }

  const PrimFunc& function_;
  const pass::PassContext& context_;
  std::optional<VectorUnit> unit_;
  const std::optional<bool> predicates_;
  const bool eachLane_;
};

/// Marked loops as plain ones.
Stmt withoutVectors(const Stmt& body) {
  return rewriteStatements(body, [](const Stmt& statement) -> Stmt {
    const auto* loop = as<For>(statement);
    if (!loop || loop->forKind != ForKind::Vectorized) return statement;
    return make<For>(loop->loopVar, loop->min, loop->extent, ForKind::Serial, loop->body);
  });
}

}  // namespace

Result<PrimFuncRef> vectorizeLoop(const PrimFuncRef& func, Scope& scope) {
  if (!pass::flagOf(scope.options, "enable_vectorize")) return withBody(func, withoutVectors(func->body));
  std::optional<bool> predicates;
  constexpr std::string_view kPredication = "tirx.enable_buffer_level_predication";
  if (pass::configOf(scope.context, kPredication)) predicates = pass::configFlag(scope.context, kPredication);
  auto body =
      LoopVectorizer(*func, scope.context, predicates, pass::flagOf(scope.options, "each_lane")).run(func->body);
  if (!body) return fail(body.diagnostics());
  return withBody(func, *body);
}

}  // namespace rx::lower
