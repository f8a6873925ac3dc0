// InjectVirtualThread: virtual threads become loops, unrolled or not, around the statements that depend on them; what
// each of them writes gets memory of its own.
#include <algorithm>
#include <utility>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/lower/checked_rewriter.h"
#include "core/lower/intrinsics.h"
#include "core/lower/scope.h"
#include "core/lower/ssa.h"
#include "core/lower/statements.h"
#include "core/lower/touched_by.h"

namespace rx::lower {

using namespace tir;

namespace {

/// Up to so many virtual threads are written out one after the other.
constexpr int64_t kMaxUnrolled = 15;

class Injector : public CheckedRewriter {
 public:
  /// `share`: threads may use one piece of memory where what they write does not depend on the thread.
  Injector(VarRef var, int64_t threads, const Stmt& body, bool share)
      : var_(std::move(var)), threads_(threads), touched_(touchedBy(body, var_.get())), share_(share) {}

 protected:
  Stmt visit(const Stmt& statement) override {
    Stmt made = rewritten(statement);
    if (!seen_ && !force_) return made;
    if (!inside_) return looped(made, false);
    seen_ = force_ = false;
    return made;
  }

  NodeRef enter(const NodeRef& node) override {
    if (const auto* var = as<Var>(node)) {
      seen_ = seen_ || touched_.contains(var);
      return node;
    }
    if (const auto* load = as<BufferLoad>(node)) {
      auto* made = new BufferLoad(*load);
      NodeRef result(made);
      made->predicate = rewrite(load->predicate);
      made->indices = moved(*load->buffer, rewrite(load->indices), load->span);
      made->buffer = widened(load->buffer);
      return result;
    }
    if (asCallOf(node, "tvm_context_id")) {
      if (share_) return node;
      seen_ = true;
      return var_;
    }
    const Call* call = asCallOf(node, "tvm_access_ptr");
    const auto* data = call && call->args.size() == 5 ? as<Var>(call->args[1]) : nullptr;
    const auto own = data ? strides_.find(data) : strides_.end();
    if (own == strides_.end()) return nullptr;
    seen_ = true;
    const PrimExpr lanes = arith::constantInt(own->second->dtype, call->args[0]->dtype.lanes);
    const PrimExpr offset = rewrite(call->args[2]), extent = rewrite(call->args[3]);
    auto* made = new Call(*call);
    made->args = {call->args[0], call->args[1], ownPlace(offset, arith::truncDiv(own->second, lanes)), extent,
                  call->args[4]};
    return NodeRef(made);
  }

 private:
  Stmt rewritten(const Stmt& statement) {
    if (const auto* list = as<SeqStmt>(statement)) return sequence(*list);
    if (const auto* attr = as<AttrStmt>(statement)) {
      rewrite(attr->value);
      return seen_ && !inside_ ? looped(statement, true) : parts(statement);
    }
    if (const auto* bind = as<Bind>(statement)) {
      const PrimExpr value = rewrite(bind->value);
      if (seen_ && !inside_) return looped(statement, true);
      seen_ = false;
      return value == bind->value ? statement : Stmt(make<Bind>(bind->var, value));
    }
    if (auto loop = refAs<For>(statement)) return ofLoop(loop);
    if (auto branch = refAs<IfThenElse>(statement)) return ofBranch(branch);
    if (auto alloc = refAs<AllocBuffer>(statement)) return allocated(alloc);
    if (const auto* loop = as<While>(statement)) {
      refuse("lower.virtual-thread", "a while loop can not run in virtual threads", loop->span);
      return statement;
    }
    if (const auto* store = as<BufferStore>(statement)) return stored(*store);
    if (isa<Evaluate>(statement)) force_ = !share_;
    return parts(statement);
  }

  /// A binding that depends on the thread takes all that follows it into the loop.
  Stmt sequence(const SeqStmt& list) {
    std::vector<Stmt> made;
    int depth = 0;
    for (size_t i = 0; i < list.seq.size(); ++i) {
      depth_ = 0;
      const auto* bind = as<Bind>(list.seq[i]);
      if (bind && !inside_) {
        rewrite(bind->value);
        if (std::exchange(seen_, false)) {
          made.push_back(looped(seq(list.seq.span().subspan(i)), true));
          depth_ = std::max(depth, depth_);
          return inOrder(made);
        }
      }
      made.push_back(rewrite(list.seq[i]));
      depth = std::max(depth, depth_);
    }
    depth_ = depth;
    return inOrder(made);
  }

  Stmt ofLoop(const Ref<For>& loop) {
    if (!arith::isZero(loop->min)) {
      refuse("lower.order", "a loop does not begin at zero: CanonicalizeLoop comes first", loop->span);
      return loop;
    }
    const PrimExpr extent = rewrite(loop->extent);
    if (seen_ && !inside_) {
      Stmt made = looped(loop, true);
      ++depth_;
      return made;
    }
    seen_ = false;
    auto* made = new For(*loop);
    Stmt result(made);
    made->extent = extent;
    made->body = rewrite(loop->body);
    ++depth_;
    return result;
  }

  Stmt ofBranch(const Ref<IfThenElse>& branch) {
    const PrimExpr condition = rewrite(branch->condition);
    if (seen_ && !inside_) return looped(branch, true);
    seen_ = false;
    auto* made = new IfThenElse(*branch);
    Stmt result(made);
    made->condition = condition;
    made->thenCase = rewrite(branch->thenCase);
    if (branch->elseCase) {
      const int depth = std::exchange(depth_, 0);
      made->elseCase = rewrite(branch->elseCase);
      depth_ = std::max(depth, depth_);
    }
    return result;
  }

  Stmt allocated(const Ref<AllocBuffer>& alloc) {
    const BufferRef& buffer = alloc->buffer;
    for (const PrimExpr& size : buffer->shape) rewrite(size);
    if (seen_ && !inside_) return looped(alloc, true);
    seen_ = false;
    if (!touched_.contains(buffer->data.get()) && share_) return alloc;
    if (!isFlat(*buffer, alloc->span)) return alloc;
    const PrimExpr stride = buffer->shape[0];
    strides_[buffer->data.get()] = stride;
    auto* copy = new Buffer(*buffer);
    const BufferRef larger(copy);
    copy->shape = {arith::mul(stride, arith::constantInt(stride->dtype, threads_))};
    return make<AllocBuffer>(larger, alloc->annotations);
  }

  Stmt stored(const BufferStore& store) {
    auto* made = new BufferStore(store);
    Stmt result(made);
    made->value = rewrite(store.value);
    made->predicate = rewrite(store.predicate);
    made->indices = moved(*store.buffer, rewrite(store.indices), store.span);
    made->buffer = widened(store.buffer);
    force_ = !share_;
    return result;
  }

  bool isFlat(const Buffer& buffer, Span span) {
    if (buffer.shape.size() == 1) return true;
    refuse("lower.order", "what virtual threads write is not flat: FlattenBuffer comes first", span);
    return false;
  }

  PrimExpr ownPlace(const PrimExpr& index, const PrimExpr& stride) {
    PrimExpr var = var_, own = index;
    if (!arith::matchTypes(var, own)) return index;
    return analyzer_.simplify(arith::add(own, arith::mul(var, stride)));
  }

  Array<PrimExpr> moved(const Buffer& buffer, const Array<PrimExpr>& indices, Span span) {
    seen_ = seen_ || touched_.contains(buffer.data.get());
    const auto own = strides_.find(buffer.data.get());
    if (own == strides_.end() || !isFlat(buffer, span)) return indices;
    return {ownPlace(indices[0], own->second)};
  }

  /// The view through which threads access memory of their own; its size is, as in TVM, that of the buffer times that
  /// of the allocation before it grew.
  BufferRef widened(const BufferRef& buffer) {
    const auto own = strides_.find(buffer->data.get());
    if (own == strides_.end() || buffer->shape.size() != 1) return buffer;
    BufferRef& known = views_[buffer.get()];
    if (known) return known;
    kept_.push_back(buffer);
    auto* copy = new Buffer(*buffer);
    copy->shape = {arith::mul(buffer->shape[0], own->second)};
    return known = BufferRef(copy);
  }

  /// The statement once for each thread; `before` where it has not been rewritten yet.
  Stmt looped(Stmt statement, bool before) {
    seen_ = force_ = false;
    if (before) {
      inside_ = true;
      statement = rewrite(statement);
      inside_ = false;
      seen_ = false;
    }
    if (depth_ == 0 && threads_ <= kMaxUnrolled) {
      std::vector<Stmt> copies;
      for (int64_t i = 0; i < threads_; ++i) {
        copies.push_back(substitute(statement, {{var_.get(), arith::constantInt(var_->dtype, i)}}));
      }
      return inOrder(copies);
    }
    const auto index = make<Var>(Str(var_->name.string() + ".s"), var_->dtype);
    return make<For>(index, arith::constantInt(var_->dtype, 0), arith::constantInt(var_->dtype, threads_),
                     ForKind::Serial, substitute(statement, {{var_.get(), index}}));
  }

  const VarRef var_;
  const int64_t threads_;
  const std::unordered_set<const Var*> touched_;
  const bool share_;
  bool inside_ = false;                               ///< of the loop over the threads
  bool seen_ = false;                                 ///< something that depends on the thread
  bool force_ = false;                                ///< the statement runs once a thread in any case
  int depth_ = 0;                                     ///< loops in what was just rewritten
  std::unordered_map<const Var*, PrimExpr> strides_;  ///< of memory that each thread has for itself, elements
  std::unordered_map<const Buffer*, BufferRef> views_;
  std::vector<BufferRef> kept_;  // keys of views_ stay alive
  arith::Analyzer analyzer_;
};

/// Inner virtual threads first.
class Threads : public CheckedRewriter {
 protected:
  bool changesExpressions() const override { return false; }
  Stmt visit(const Stmt& statement) override {
    Stmt made = parts(statement);
    const auto* attr = as<AttrStmt>(made);
    const auto* iter = attr && attr->key == "virtual_thread" ? as<IterVar>(attr->node) : nullptr;
    if (!iter) return made;
    const auto count = asInt(attr->value);
    if (!count || *count < 1) {
      refuse("lower.virtual-thread", "the number of virtual threads is a constant", attr->span);
      return made;
    }
    auto loops = Injector(iter->var, *count, attr->body, iter->threadTag.view().starts_with("vthread")).run(attr->body);
    if (loops) return *loops;
    for (const Diagnostic& error : loops.diagnostics()) refuse(error.rule, error.message, error.span);
    return made;
  }
};

}  // namespace

Result<PrimFuncRef> injectVirtualThread(const PrimFuncRef& func, Scope&) {
  RX_TRY(body, Threads().run(func->body));
  return withBody(func, body == func->body ? body : toSsa(body));
}

}  // namespace rx::lower
