// CanonicalizeLoop: every loop runs from zero in steps of one; its variable becomes `variable * step + min`.
#include <fmt/format.h>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/scope.h"
#include "core/lower/substituter.h"

namespace rx::lower {

using namespace tir;

namespace {

class Canonical : public Substituter {
 protected:
  Stmt visit(const Stmt& statement) override {
    auto loop = refAs<For>(statement);
    if (!loop || (arith::isZero(loop->min) && (!loop->step || arith::isOne(loop->step)))) return parts(statement);
    const DataType type = loop->loopVar->dtype;
    const PrimExpr step = loop->step ? loop->step : arith::constantInt(type, 1);
    if (!analyzer_.canProveGreaterEqual(step, 1)) {
      refuse("lower.loop-step",
             fmt::format("the step of the loop over {} may not be positive", loop->loopVar->name.view()), loop->span);
      return statement;
    }
    auto* made = new For(*loop);
    Stmt result(made);
    values[loop->loopVar.get()] = arith::add(arith::mul(loop->loopVar, rewrite(step)), rewrite(loop->min));
    made->body = rewrite(loop->body);
    values.erase(loop->loopVar.get());
    const PrimExpr up = arith::sub(arith::add(rewrite(loop->extent), rewrite(step)), arith::constantInt(type, 1));
    made->extent = analyzer_.simplify(arith::floorDiv(up, rewrite(step)));
    made->min = arith::constantInt(type, 0);
    made->step = nullptr;
    return result;
  }

 private:
  arith::Analyzer analyzer_;
};

}  // namespace

Result<PrimFuncRef> canonicalizeLoop(const PrimFuncRef& func, Scope&) {
  RX_TRY(body, Canonical().run(func->body));
  return withBody(func, body);
}

}  // namespace rx::lower
