// ThreadSync: threads of a block wait for each other where one could meet what
// another has not done yet.
#include <fmt/format.h>

#include <algorithm>

#include "core/ir/all_nodes.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"
#include "core/lower/rewriter.h"
#include "core/lower/sync_plan.h"
#include "core/lower/with_parts.h"

namespace rx::lower {

using namespace tir;

namespace {

constexpr std::string_view kScopes[] = {"shared", "shared.dyn", "warp", "global"};

Stmt barrier(std::string_view scope) { return effect("tvm_storage_sync", {make<StringImm>(Str(scope))}); }

/// Copies that were started are waited for by each thread alone: what they
/// brought is there for all only afterwards.
class AfterWaiting : public Rewriter {
 protected:
  Stmt visit(const Stmt& statement) override {
    const auto* queue = as<AttrStmt>(statement);
    if (!queue || queue->key != "async_wait_queue_scope") return parts(statement);
    const auto* inflight = as<AttrStmt>(queue->body);
    if (!inflight || inflight->key != "async_wait_inflight_count") return parts(statement);
    const Stmt both[] = {barrier("shared"), inflight->body};
    return withParts(*queue, queue->value, withParts(*inflight, inflight->value, seq(both)));
  }
};

class Inserter : public Rewriter {
 public:
  Inserter(std::string_view scope, const std::unordered_set<const StmtNode*>& places)
      : scope_(scope), places_(places) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    if (!places_.contains(statement.get())) return parts(statement);
    const Stmt both[] = {barrier(scope_), parts(statement)};
    return seq(both);
  }

 private:
  const std::string_view scope_;
  const std::unordered_set<const StmtNode*>& places_;
};

}  // namespace

Result<PrimFuncRef> threadSync(const PrimFuncRef& func, Scope& scope) {
  const std::string_view memory = ir::strAttrOf(scope.options, "storage_scope");
  if (std::find(std::begin(kScopes), std::end(kScopes), memory) == std::end(kScopes)) {
    return fail("pass.option-value",
                fmt::format("storage_scope is shared, shared.dyn, warp or global, not '{}'", memory));
  }
  const Stmt body = memory == "shared" ? AfterWaiting().rewrite(func->body) : func->body;
  RX_TRY(places, syncPlan(body, memory));
  return withBody(func, places.empty() ? body : Inserter(memory, places).rewrite(body));
}

}  // namespace rx::lower
