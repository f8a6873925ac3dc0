// AnnotateIrregularLoop: marks loops that `break` or `continue` leaves early, so that no later pass unrolls, splits or
// reorders them.
#include <fmt/format.h>

#include "core/ir/all_nodes.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"

namespace rx::lower {

using namespace tir;

namespace {

/// What a loop can not ask for when it may be left early.
constexpr std::string_view kRegularOnly[] = {"pragma_auto_unroll_max_step", "pragma_unroll_explicit",
                                             "pragma_loop_partition_hint", "software_pipeline_stage"};

class Annotator : public CheckedRewriter {
 protected:
  bool changesExpressions() const override { return false; }
  Stmt visit(const Stmt& statement) override {
    if (const auto* evaluate = as<Evaluate>(statement)) {
      jumps_ = jumps_ || asCallOf(evaluate->value, "break_loop") || asCallOf(evaluate->value, "continue_loop");
      return statement;
    }
    if (!isa<For>(statement) && !isa<While>(statement)) return parts(statement);
    const bool outside = std::exchange(jumps_, false);
    Stmt made = parts(statement);
    if (const auto* loop = as<For>(made); loop && jumps_) made = marked(*loop);
    jumps_ = outside;
    return made;
  }

 private:
  Stmt marked(const For& loop) {
    if (loop.forKind != ForKind::Serial) {
      refuse("lower.loop",
             fmt::format("the loop over {} is left early, so it must be serial", loop.loopVar->name.view()), loop.span);
    }
    for (std::string_view key : kRegularOnly) {
      if (!ir::attrOf(loop.annotations, key)) continue;
      refuse("lower.loop",
             fmt::format("the loop over {} is left early, so it can not have the annotation {}",
                         loop.loopVar->name.view(), key),
             loop.span);
    }
    auto* copy = new For(loop);
    copy->annotations = ir::withAttr(loop.annotations, "irregular_loop_mark", ir::intAttr(1));
    return Stmt(copy);
  }

  bool jumps_ = false;  ///< of the innermost loop so far
};

}  // namespace

Result<PrimFuncRef> annotateIrregularLoop(const PrimFuncRef& func, Scope&) {
  RX_TRY(body, Annotator().run(func->body));
  return withBody(func, body);
}

}  // namespace rx::lower
