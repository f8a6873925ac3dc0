// RemoveNoOp: statements that do nothing, loops that never run, stores of what is there already.
#include <algorithm>

#include "core/arith/fold.h"
#include "core/arith/intervals.h"
#include "core/arith/vector.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/canon_rewriter.h"
#include "core/lower/intrinsics.h"
#include "core/lower/pass_functions.h"
#include "core/lower/statements.h"
#include "core/pass/config.h"

namespace rx::lower {

using namespace tir;

namespace {

class NoOpRemover : public CanonRewriter {
 public:
  NoOpRemover(arith::Canon& canon, bool ignoresProfiler) : CanonRewriter(canon), ignoresProfiler_(ignoresProfiler) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    switch (statement->kind()) {
      case Kind::tir_AllocBuffer:
      case Kind::tir_DeclBuffer:
        return statement;
      case Kind::tir_Evaluate:
        return isSeen(as<Evaluate>(statement)->value) ? statement : seq({});
      case Kind::tir_BufferStore:
        return store(cast<BufferStore>(statement));
      default:
        return CanonRewriter::visit(statement);
    }
  }

  Stmt visitAttr(const Ref<AttrStmt>& attribute) override {
    if (attribute->key == "pragma_debug_skip_region") return seq({});
    if (attribute->key == "async_wait_queue_scope") {
      // A wait for fewer than no copies waits for nothing.
      const auto* inner = as<AttrStmt>(attribute->body);
      arith::Canon canon;
      const bool none = inner && inner->key == "async_wait_inflight_count" &&
                        canon.canProve(arith::lt(inner->value, arith::constantInt(inner->value->dtype, 0)));
      if (none) return rewrite(inner->body);
    }
    const Stmt made = CanonRewriter::visitAttr(attribute);
    const auto* node = as<AttrStmt>(made);
    return node && isNoOp(*node->body) ? effectsOf({node->value}) : made;
  }

  Stmt visitIf(const Ref<IfThenElse>& branch) override {
    const Stmt made = CanonRewriter::visitIf(branch);
    const auto* node = as<IfThenElse>(made);
    if (!node) return made;
    const bool noThen = isNoOp(*node->thenCase), noElse = node->elseCase && isNoOp(*node->elseCase);
    if (noThen && (noElse || !node->elseCase)) return effectsOf({node->condition});
    if (noElse) return make<IfThenElse>(node->condition, node->thenCase);
    if (noThen) return make<IfThenElse>(arith::logicalNot(node->condition), node->elseCase);
    return made;
  }

  Stmt visitFor(const Ref<For>& loop) override {
    const arith::IntSet extents = arith::valuesOf(loop->extent, domains_);
    if (extents.max && canon_.canProve(arith::le(extents.max, arith::constantInt(extents.max->dtype, 0)))) {
      return seq({});
    }
    domains_[loop->loopVar.get()] = arith::IntSet::fromRange(loop->min, loop->extent);
    const Stmt made = CanonRewriter::visitFor(loop);
    domains_.erase(loop->loopVar.get());
    const auto* node = as<For>(made);
    if (arith::isZero(node->extent)) return seq({});
    return isNoOp(*node->body) ? effectsOf({node->min, node->extent}) : made;
  }

 private:
  bool isSeen(const PrimExpr& value) const {
    constexpr std::string_view kProfiler[] = {"timer_init_cuda", "timer_start_cuda", "timer_end_cuda",
                                              "timer_finalize_cuda"};
    const auto named = [&](std::string_view name) { return arith::asIntrinsic(value, name) != nullptr; };
    if (ignoresProfiler_ && std::ranges::any_of(kProfiler, named)) return false;
    return !canon_.writesNothing(value);
  }

  /// What evaluating the values does beside giving them.
  Stmt effectsOf(const std::vector<PrimExpr>& values) const {
    std::vector<Stmt> effects;
    for (const PrimExpr& value : values) {
      if (!canon_.writesNothing(value)) effects.push_back(make<Evaluate>(value));
    }
    return seq(effects);
  }

  bool allEqual(const Array<PrimExpr>& a, const Array<PrimExpr>& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!canon_.canProveEqual(a[i], b[i])) return false;
    }
    return true;
  }

  Stmt store(const Ref<BufferStore>& store) {
    const auto* load = as<BufferLoad>(store->value);
    const bool same = load && load->buffer == store->buffer && allEqual(load->indices, store->indices);
    if (!same && !storesWhatIsThere(*store)) return store;
    std::vector<PrimExpr> values{store->value};
    values.insert(values.end(), store->indices.begin(), store->indices.end());
    return effectsOf(values);
  }

  static bool loadsFrom(const ExprNode& value, const Buffer& buffer) {
    bool found = false;
    walk(value, Into::Parts, [&](const Node& node) {
      const auto* load = as<BufferLoad>(&node);
      found = found || (load && load->buffer->data == buffer.data);
      return !found && !isa<Buffer>(&node);
    });
    return found;
  }

  bool storesWhatIsThere(const BufferStore& store) {
    // Nothing is known of what memory holds but that it is what a load gives.
    if (store.value->dtype.isHandle() || !loadsFrom(*store.value, *store.buffer)) return false;
    const PrimExpr there = make<BufferLoad>(store.buffer, store.indices, store.value->dtype, store.predicate);
    const PrimExpr difference = arith::sub(store.value, there);
    return asInt(canon_.simplify(arith::eq(difference, arith::constantInt(difference->dtype, 0)))) == 1;
  }

  const bool ignoresProfiler_;
  arith::Domains domains_;  ///< of the loops around
};

}  // namespace

Result<PrimFuncRef> removeNoOp(const PrimFuncRef& func, Scope& scope) {
  arith::Canon canon(effectOfCall);
  const bool ignores = pass::configFlag(scope.context, "tirx.RemoveNoOp", "ignore_profiler_call");
  return withBody(func, NoOpRemover(canon, ignores).rewrite(func->body));
}

}  // namespace rx::lower
