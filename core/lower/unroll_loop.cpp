// UnrollLoop: loops that are marked or short enough become copies of their body.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/arith/canon.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/pass_functions.h"
#include "core/lower/ssa.h"
#include "core/pass/config.h"

namespace rx::lower {

using namespace tir;

namespace {

struct UnrollConfig {
  int64_t maxStep, maxDepth, maxExtent;
  bool explicitly, localAccess;
};

/// Steps that a function may be unrolled to; more than that no back end takes.
constexpr int64_t kMostSteps = int64_t{1} << 20;

class Unroller : public CheckedRewriter {
 public:
  explicit Unroller(UnrollConfig config) : config_(config) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    switch (statement->kind()) {
      case Kind::tir_For:
        return loop(cast<For>(parts(statement)));
      case Kind::tir_SeqStmt:
        return sequence(cast<SeqStmt>(statement));
      case Kind::tir_AttrStmt:
        return pragma(cast<AttrStmt>(statement));
      case Kind::tir_BufferStore:
        ++now_.steps;
        touch(*as<BufferStore>(statement)->buffer, as<BufferStore>(statement)->indices);
        return parts(statement);
      case Kind::tir_Evaluate:
        ++now_.steps;
        return parts(statement);
      default:
        return parts(statement);
    }
  }

  NodeRef enter(const NodeRef& node) override {
    const auto* load = as<BufferLoad>(node);
    if (!load) return nullptr;
    touch(*load->buffer, load->indices);
    return node;
  }

 private:
  /// What the statements so far, up to the last sequence, hold.
  struct Counts {
    int64_t steps = 0, unrolled = 0, loops = 0;
  };

  void touch(const Buffer& buffer, const Array<PrimExpr>& indices) {
    const std::string_view scope = buffer.scope();
    if (!config_.localAccess || !(scope.starts_with("local") || scope.starts_with("warp"))) return;
    for (const PrimExpr& index : indices) {
      walk(*index, Into::Parts, [&](const Node& node) {
        if (isa<Var>(&node)) touched_.insert(&node);
        return true;
      });
    }
  }

  Stmt pragma(const Ref<AttrStmt>& attribute) {
    const auto value = asInt(attribute->value);
    if (attribute->key == "pragma_auto_unroll_max_step" && value) {
      const int64_t before = std::exchange(config_.maxStep, *value);
      Stmt body = rewrite(attribute->body);
      config_.maxStep = before;
      return body;
    }
    if (attribute->key == "pragma_unroll_explicit" && value) {
      const bool before = std::exchange(config_.explicitly, *value != 0);
      Stmt body = rewrite(attribute->body);
      config_.explicitly = before;
      return body;
    }
    return parts(attribute);
  }

  Stmt sequence(const Ref<SeqStmt>& statement) {
    std::vector<Stmt> made;
    bool same = true;
    for (const Stmt& part : statement->seq) {
      const Counts before = std::exchange(now_, {});
      made.push_back(rewrite(part));
      same = same && made.back() == part;
      now_.steps += before.steps;
      now_.loops = std::max(now_.loops, before.loops);
      now_.unrolled = std::max(now_.unrolled, before.unrolled);
    }
    return same ? Stmt(statement) : seq(made);
  }

  Stmt loop(const Ref<For>& loop) {
    const auto constant = asInt(canon_.simplify(loop->extent));
    const int64_t extent = constant && *constant <= std::numeric_limits<int32_t>::max() ? *constant : -1;
    const bool local = config_.localAccess && extent > 0 && touched_.contains(loop->loopVar.get());
    const bool marked = loop->forKind == ForKind::Unrolled;
    const bool serial = loop->forKind == ForKind::Serial && extent >= 0 && now_.loops == 0;
    const bool within = serial && now_.unrolled <= config_.maxDepth &&
                        (saturated(extent, now_.steps) <= config_.maxStep || extent <= config_.maxExtent);
    if (marked && extent < 0) {
      refuse(
          "lower.unroll",
          fmt::format("the loop over {} is to be unrolled, but its extent is no constant", loop->loopVar->name.view()),
          loop->span);
      return loop;
    }
    const bool unroll = marked || local || within;
    if (unroll) {
      now_.steps = saturated(extent, now_.steps);
      ++now_.unrolled;
    } else {
      ++now_.loops;
    }
    const bool single = config_.maxExtent == 1 && extent >= 0 && extent <= 1;
    if ((unroll && config_.explicitly) || single) return copies(*loop, extent);
    if (!unroll || marked) return loop;
    auto* copy = new For(*loop);
    copy->forKind = ForKind::Unrolled;
    return Stmt(copy);
  }

  static int64_t saturated(int64_t a, int64_t b) {
    int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
  }

  Stmt copies(const For& loop, int64_t extent) {
    if (now_.steps > kMostSteps || extent > kMostSteps) {
      refuse("lower.unroll",
             fmt::format("unrolling the loop over {} makes more than {} steps", loop.loopVar->name.view(), kMostSteps),
             loop.span);
      return seq({});
    }
    std::vector<Stmt> made;
    for (int64_t i = 0; i < extent; ++i) {
      const PrimExpr value = arith::add(loop.min, intImm(i, loop.loopVar->dtype));
      made.push_back(substitute(loop.body, {{loop.loopVar.get(), value}}));
    }
    return seq(made);
  }

  UnrollConfig config_;
  Counts now_;
  std::unordered_set<const Node*> touched_;  ///< variables in indices of local memory
  arith::Canon canon_;
};

}  // namespace

Result<PrimFuncRef> unrollLoop(const PrimFuncRef& func, Scope& scope) {
  const auto number = [&](std::string_view field) {
    return pass::configNumber(scope.context, "tirx.UnrollLoop", field);
  };
  Unroller unroller({number("auto_max_step"), number("auto_max_depth"), number("auto_max_extent"),
                     number("explicit_unroll") != 0, number("unroll_local_access") != 0});
  auto body = unroller.run(func->body);
  if (!body) return fail(body.diagnostics());
  return withBody(func, *body == func->body ? *body : toSsa(*body));
}

}  // namespace rx::lower
