#include "core/analysis/tir_checker.h"

#include "core/ir/reflect.h"

namespace rx::analysis {

using namespace tir;

void TirChecker::check(const relax::GlobalVar& name, const PrimFunc& function) {
  findings_.function = name.name.view();
  findings_.block = 0;
  findings_.binding = {};
  findings_.place = function.span;
  vars_.clear();
  loopVars_.clear();
  threads_.clear();
  blockDepth_ = 0;
  for (const VarRef& param : function.params) define(*param, function.span);
  // A dimension by itself defines its symbol for all parameters, so that an earlier one may compute with it.
  for (const BufferRef& b : function.buffers) {
    if (b) defineSymbols(*b);
  }
  for (const BufferRef& b : function.buffers) {
    if (b) buffer(*b, true);
  }
  scope(function.body);
  while (!tasks_.empty() && !findings_.full() && !options_.cancel.cancelled()) {
    const Task task = tasks_.back();
    tasks_.pop_back();
    if (task.kind == Task::Statement) {
      statement(task.node);
    } else {
      vars_.leave(task.at);
      if (task.kind == Task::LeaveBlock) --blockDepth_;
    }
  }
  tasks_.clear();
}

void TirChecker::scope(const Stmt& body) {
  tasks_.push_back({Task::Leave, nullptr, vars_.mark()});
  tasks_.push_back({Task::Statement, body.get()});
}

void TirChecker::define(const Var& var, Span span) {
  if (vars_.add(&var, blockDepth_)) return;
  findings_.error(span, "tir.multiple-definition", fmt::format("variable '{}' is defined twice", var.name.view()));
}

void TirChecker::useVar(const Var& var, Span span) {
  const uint32_t* depth = vars_.find(&var);
  if (!depth) {
    if (!reported_.insert(&var).second) return;
    return findings_.error(span, "tir.undefined-var",
                           fmt::format("variable '{}' is not defined here", var.name.view()));
  }
  if (*depth < blockDepth_ && loopVars_.contains(&var) && reported_.insert(&var).second) {
    findings_.error(span, "tir.loop-var-in-block",
                    fmt::format("a block uses variable '{}' of a loop around it; it has to come in through an "
                                "iteration variable",
                                var.name.view()));
  }
}

void TirChecker::defineSymbols(const Buffer& b) {
  auto each = [&](const PrimExpr& e) {
    if (const auto* var = as<Var>(e)) vars_.add(var, blockDepth_);
  };
  for (const PrimExpr& e : b.shape) each(e);
  for (const PrimExpr& e : b.strides) each(e);
  if (b.elemOffset) each(b.elemOffset);
}

void TirChecker::buffer(const Buffer& b, bool definesSymbols) {
  if (b.data) vars_.add(b.data.get(), blockDepth_);
  if (definesSymbols) defineSymbols(b);
  exprs(b.shape);
  exprs(b.strides);
  expr(b.elemOffset.get());
}

void TirChecker::useBuffer(const Buffer& b) {
  if (b.data) useVar(*b.data, b.span);
}

void TirChecker::expr(const Node* root) {
  if (!root || isa<IntImm>(root)) return;
  struct Step {
    const Node* node;
    size_t leave;  ///< with a null node: the scope to go back to
  };
  std::vector<Step> work{{root, 0}};
  std::vector<const Node*> children;
  while (!work.empty()) {
    const Step step = work.back();
    work.pop_back();
    if (!step.node) {
      vars_.leave(step.leave);
      continue;
    }
    if (const auto* var = as<Var>(step.node)) {
      useVar(*var, var->span);
    } else if (const auto* let = as<Let>(step.node)) {
      expr(let->value.get());
      work.push_back({nullptr, vars_.mark()});
      vars_.add(let->var.get(), blockDepth_);
      work.push_back({let->body.get(), 0});
    } else if (const auto* load = as<BufferLoad>(step.node)) {
      useBuffer(*load->buffer);
      for (const PrimExpr& index : load->indices) work.push_back({index.get(), 0});
      if (load->predicate) work.push_back({load->predicate.get(), 0});
    } else if (const auto* reduce = as<Reduce>(step.node)) {
      const size_t mark = vars_.mark();
      for (const auto& axis : reduce->axis) vars_.add(axis->var.get(), blockDepth_);
      for (const auto& list : {reduce->combiner->lhs, reduce->combiner->rhs}) {
        for (const VarRef& var : list) vars_.add(var.get(), blockDepth_);
      }
      work.push_back({nullptr, mark});
      for (const PrimExpr& e : reduce->source) work.push_back({e.get(), 0});
      for (const PrimExpr& e : reduce->combiner->result) work.push_back({e.get(), 0});
      if (reduce->condition) work.push_back({reduce->condition.get(), 0});
    } else if (isa<ExprNode>(step.node)) {
      children.clear();
      appendChildren(*step.node, Into::Parts, children);
      for (const Node* child : children) {
        if (isa<ExprNode>(child)) work.push_back({child, 0});
      }
    }
  }
}

void TirChecker::regions(const Array<Ref<BufferRegion>>& list) {
  for (const auto& region : list) {
    useBuffer(*region->buffer);
    for (const auto& range : region->region) {
      expr(range->min.get());
      expr(range->extent.get());
    }
  }
}

void TirChecker::statement(const Node* node) {
  if (!node) return;
  if (const auto* s = as<StmtNode>(node); s && s->span.known()) findings_.place = s->span;
  if (const auto* s = as<SeqStmt>(node)) {
    for (size_t k = s->seq.size(); k-- > 0;) tasks_.push_back({Task::Statement, s->seq[k].get()});
  } else if (const auto* s = as<BufferStore>(node)) {
    useBuffer(*s->buffer);
    exprs(s->indices);
    expr(s->value.get());
    expr(s->predicate.get());
  } else if (const auto* s = as<Evaluate>(node)) {
    expr(s->value.get());
  } else if (const auto* s = as<Bind>(node)) {
    expr(s->value.get());
    define(*s->var, s->span);
  } else if (const auto* s = as<For>(node)) {
    expr(s->min.get());
    expr(s->extent.get());
    expr(s->step.get());
    tasks_.push_back({Task::Leave, nullptr, vars_.mark()});
    define(*s->loopVar, s->span);
    loopVars_.insert(s->loopVar.get());
    tasks_.push_back({Task::Statement, s->body.get()});
  } else if (const auto* s = as<IfThenElse>(node)) {
    expr(s->condition.get());
    if (s->elseCase) scope(s->elseCase);
    scope(s->thenCase);
  } else if (const auto* s = as<While>(node)) {
    expr(s->condition.get());
    scope(s->body);
  } else if (const auto* s = as<AssertStmt>(node)) {
    expr(s->condition.get());
    exprs(s->message);
  } else if (const auto* s = as<AttrStmt>(node)) {
    expr(s->value.get());
    tasks_.push_back({Task::Leave, nullptr, vars_.mark()});
    // One thread may be launched at several places; its variable is the same.
    if (const auto* iter = as<IterVar>(s->node)) vars_.add(iter->var.get(), blockDepth_);
    tasks_.push_back({Task::Statement, s->body.get()});
  } else if (const auto* s = as<Allocate>(node)) {
    exprs(s->extents);
    expr(s->condition.get());
    define(*s->var, s->span);
  } else if (const auto* s = as<AllocBuffer>(node)) {
    buffer(*s->buffer, false);
  } else if (const auto* s = as<DeclBuffer>(node)) {
    buffer(*s->buffer, false);
  } else if (const auto* s = as<BlockRealize>(node)) {
    exprs(s->iterValues);
    expr(s->predicate.get());
    if (s->iterValues.size() != s->block->iterVars.size()) {
      findings_.error(s->span, "tir.block-bindings",
                      fmt::format("block '{}' has {} iteration variables, but {} values", s->block->name.view(),
                                  s->block->iterVars.size(), s->iterValues.size()));
    }
    block(*s->block);
  } else if (const auto* s = as<Block>(node)) {
    block(*s);
  }
}

void TirChecker::block(const Block& b) {
  const bool opaque = b.iterVars.empty();
  const size_t mark = vars_.mark();
  for (const auto& iter : b.iterVars) {
    if (!iter->dom) continue;
    expr(iter->dom->min.get());
    expr(iter->dom->extent.get());
  }
  if (!opaque) ++blockDepth_;
  tasks_.push_back({opaque ? Task::Leave : Task::LeaveBlock, nullptr, mark});
  for (const auto& iter : b.iterVars) {
    define(*iter->var, b.span);
  }
  for (const BufferRef& buf : b.allocBuffers) buffer(*buf, false);
  regions(b.reads);
  regions(b.writes);
  for (const auto& match : b.matchBuffers) {
    regions({match->source});
    buffer(*match->buffer, true);
  }
  scope(b.body);
  if (b.init) scope(b.init);
}

}  // namespace rx::analysis
