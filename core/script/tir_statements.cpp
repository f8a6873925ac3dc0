// Statements of TIR. Open statements are frames on a heap stack, so blocks nest without native recursion.
#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/script/reader.h"
#include "core/script/tir_complete.h"

namespace rx::script {

using tir::PrimExpr;
using tir::Stmt;

Frame& Reader::top() { return frames_.back(); }
Frame* Reader::blockFrame() {
  return !frames_.empty() && frames_.back().kind == FrameKind::Block ? &frames_.back() : nullptr;
}
void Reader::emit(Stmt stmt) {
  if (!frames_.empty()) frames_.back().stmts.push_back(std::move(stmt));
}

void Reader::rename(const NodeRef& value, const Str& name) {
  if (const auto* var = as<tir::Var>(value); var && var->name.empty()) const_cast<tir::Var*>(var)->name = name;
  if (const auto* buffer = as<tir::Buffer>(value); buffer && buffer->name.empty()) {
    const_cast<tir::Buffer*>(buffer)->name = name;
    rename(buffer->data, name);
  }
  if (const auto* iter = as<tir::IterVar>(value)) rename(iter->var, name);
}

void Reader::emitImplicit(Frame frame) {
  if (frames_.size() >= kMaxOpen) {
    error(statementSpan_, "script.nesting", "more than " + std::to_string(kMaxOpen) + " statements are open here");
    return;
  }
  frame.implicit = true;
  frame.scoped = false;
  frames_.push_back(std::move(frame));
}

/// `T.evaluate(0)` does nothing: beside other statements it is left out, as TVM does.
Stmt Reader::sequenceOf(std::vector<Stmt> stmts) {
  auto idle = [](const Stmt& s) {
    const auto* evaluate = as<tir::Evaluate>(s);
    return evaluate && isa<tir::IntImm>(evaluate->value) && tir::asInt(evaluate->value) == 0;
  };
  if (stmts.size() > 1) std::erase_if(stmts, idle);
  return tir::seq(stmts);
}

Stmt Reader::finishFrame(Frame& f) {
  Stmt body = sequenceOf(f.stmts);
  switch (f.kind) {
    case FrameKind::For: {
      Stmt result = body;
      for (size_t i = f.loops.size(); i-- > 0;) {
        const Loop& loop = f.loops[i];
        Ref<tir::IterVar> thread;
        if (f.forKind == tir::ForKind::ThreadBinding) {
          thread = make<tir::IterVar>(nullptr, make<tir::Var>(Str("iter"), loop.var->dtype), tir::IterType::ThreadIndex,
                                      f.threadTag);
        }
        result = withSpan(
            make<tir::For>(loop.var, loop.min, loop.extent, f.forKind, result, thread, f.annotations, loop.step),
            f.span);
      }
      return result;
    }
    case FrameKind::While:
      return withSpan(make<tir::While>(f.value, body), f.span);
    case FrameKind::If:
      return withSpan(make<tir::IfThenElse>(f.value, body), f.span);
    case FrameKind::Else:
      return withSpan(make<tir::IfThenElse>(f.value, f.thenCase, body), f.span);
    case FrameKind::Attr:
      return withSpan(make<tir::AttrStmt>(f.node, f.key, f.value, body), f.span);
    case FrameKind::Block: {
      auto block = std::make_unique<tir::Block>();
      block->iterVars = Array<Ref<tir::IterVar>>(f.iterVars);
      block->name = f.name;
      block->reads = Array<Ref<tir::BufferRegion>>(f.reads);
      block->writes = Array<Ref<tir::BufferRegion>>(f.writes);
      block->allocBuffers = Array<tir::BufferRef>(f.allocs);
      block->matchBuffers = Array<Ref<tir::MatchBufferRegion>>(f.matches);
      if (!f.attrs.empty()) block->annotations = make<ir::DictAttrs>(f.attrs);
      block->init = f.init;
      block->body = body;
      block->span = f.span;
      if (!f.readsGiven || !f.writesGiven) detectRegions(*block, f.readsGiven, f.writesGiven);
      bool readsGiven = f.readsGiven, writesGiven = f.writesGiven;
      auto ref = Ref<tir::Block>(block.release());
      if (f.iterVars.empty() && !frames_.empty() && frames_.back().kind == FrameKind::Function) {
        rootBlock_ = ref;
        rootReadsGiven_ = readsGiven;
        rootWritesGiven_ = writesGiven;
      }
      if (f.noRealize) return ref;
      PrimExpr where = f.where ? f.where : tir::boolImm(true);
      return withSpan(make<tir::BlockRealize>(Array<PrimExpr>(f.iterValues), where, ref), f.span);
    }
    default:
      return body;
  }
}

/// Closes the innermost frame into the one around it.
void Reader::closeFrame() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  if (frame.scoped) scope_.pop();
  if (frame.kind == FrameKind::Splice) {
    for (Stmt& stmt : frame.stmts) emit(std::move(stmt));
    return;
  }
  if (frame.kind == FrameKind::Init) {
    if (Frame* block = blockFrame()) block->init = sequenceOf(frame.stmts);
    return;
  }
  if (frame.kind == FrameKind::Block && !frame.iterVars.empty() && frame.iterValues.size() != frame.iterVars.size() &&
      !frame.noRealize) {
    error(frame.span, "tir.block",
          "every axis of a block needs a value, unless the block is written with no_realize=True");
    return;
  }
  emit(finishFrame(frame));
}

/// At the end of an indented block: closes what was opened implicitly, then the frame of the block.
void Reader::endBlock() {
  while (frames_.size() > 1 && frames_.back().implicit) closeFrame();
  if (frames_.back().kind == FrameKind::If && syntax_->atElse()) {
    Frame& f = frames_.back();
    f.thenCase = sequenceOf(f.stmts);
    f.stmts.clear();
    f.kind = FrameKind::Else;
    if (f.scoped) scope_.pop(), scope_.push();
    return;
  }
  closeFrame();
  // With the last arm of an `elif` ends the `else` that it stands for.
  while (frames_.size() > 1 && frames_.back().implicit && frames_.back().kind == FrameKind::Else) closeFrame();
}

void Reader::tirBody() {
  size_t base = frames_.size();
  Statement s;
  while (true) {
    syntax_->next(s);
    takeSyntaxErrors();
    if (options_.cancel.cancelled() || diagnostics_.size() >= options_.maxErrors) {
      failed_ = true;
      while (frames_.size() > base) {
        if (frames_.back().scoped) scope_.pop();
        frames_.pop_back();
      }
      return;
    }
    if (s.kind == StmtKind::End || s.kind == StmtKind::BlockEnd) {
      size_t real = base;
      for (size_t i = base; i < frames_.size(); ++i) real = frames_[i].implicit ? real : i + 1;
      if (real > base) {
        endBlock();
        if (s.kind == StmtKind::BlockEnd) continue;
        while (frames_.size() > base) closeFrame();
      }
      while (frames_.size() > base) closeFrame();
      return;
    }
    tirStatement(s);
  }
}

void Reader::tirStatement(Statement& s) {
  statementSpan_ = {s.begin, s.end, file_};
  switch (s.kind) {
    case StmtKind::Error:
      lostStatement_ = true;
      return;
    case StmtKind::Pass:
      return;
    case StmtKind::Expr:
      return tirExprStatement(s);
    case StmtKind::Assign:
      if (s.items.size() > 1) {
        error(statementSpan_, "script.unsupported", "assignments like 'a = b = c' are not understood",
              "write one assignment each");
        return;
      }
      return tirAssign(s.items[0], s.b);
    case StmtKind::AnnAssign:
      return tirAnnAssign(s);
    case StmtKind::AugAssign:
      return tirAugAssign(s);
    case StmtKind::For:
      return tirFor(s);
    case StmtKind::While:
      return tirOpen(Frame(FrameKind::While), s.a);
    case StmtKind::If:
      return tirOpen(Frame(FrameKind::If), s.a);
    case StmtKind::Elif:
    case StmtKind::Else:
      return tirElse(s);
    case StmtKind::With:
      return tirWith(s);
    case StmtKind::Assert:
      return tirAssert(s);
    case StmtKind::Return:
      return tirReturn(s);
    case StmtKind::Break:
    case StmtKind::Continue:
      return tirJump(s);
    case StmtKind::Def:
      error(statementSpan_, "script.unsupported", "a function inside a TIR function is not understood");
      return syntax_->skipBody();
    default:
      error(statementSpan_, "script.python", "this statement needs Python to be run, which this reader never does");
      lostStatement_ = true;
      syntax_->skipBody();
  }
}

/// What was refused counts as true, so that the body is read.
PrimExpr Reader::tirCondition(NodeId id) {
  NodeRef value = eval(id);
  PrimExpr p = value ? toPrim(value, id) : nullptr;
  if (p && !p->dtype.isBool() && p->dtype.isIntegral()) p = arith::ne(p, arith::constantInt(p->dtype, 0));
  return p ? p : tir::boolImm(true);
}

void Reader::tirOpen(Frame frame, NodeId condition) {
  frame.value = tirCondition(condition);
  if (frames_.size() >= kMaxOpen) {
    error(statementSpan_, "script.nesting", "more than " + std::to_string(kMaxOpen) + " statements are open here");
    syntax_->skipBody();
    return;
  }
  frame.span = statementSpan_;
  scope_.push();
  frames_.push_back(std::move(frame));
}

void Reader::tirExprStatement(const Statement& s) {
  if (at(s.a).kind == Syn::Text || at(s.a).kind == Syn::Ellipsis) return;
  NodeRef value = eval(s.a);
  if (!value || isa<ir::NullAttr>(value) || isa<tir::Buffer>(value) || isa<tir::IterVar>(value)) return;
  if (isa<tir::StmtNode>(value)) return emit(refAs<tir::StmtNode>(value));
  if (isa<tir::Var>(value) && at(s.a).kind == Syn::Call) return;  // a frame's variable that is not named
  if (PrimExpr p = toPrimOrVoid(value, s.a)) emit(withSpan(make<tir::Evaluate>(p), statementSpan_));
}

void Reader::tirElse(const Statement& s) {
  if (frames_.empty() || frames_.back().kind != FrameKind::Else || !frames_.back().stmts.empty()) {
    error(statementSpan_, "script.syntax", "no 'if' stands before this");
    return syntax_->skipBody();
  }
  if (s.kind == StmtKind::Else) return;
  // The arm is an `if` in the `else`: it closes both.
  frames_.back().implicit = true;
  tirOpen(Frame(FrameKind::If), s.a);
}

void Reader::tirAssert(const Statement& s) {
  PrimExpr test = tirCondition(s.a);
  Args args;
  args.call = s.b ? s.b : s.a;
  NodeRef message = s.b ? eval(s.b) : ir::strAttr(Str(""));
  if (!message) return;
  args.values = {test, message};
  tAssert(args, 0);
}

void Reader::tirReturn(const Statement& s) {
  if (!s.a) return;
  NodeRef value = eval(s.a);
  PrimExpr p = value && !isNone(value) ? toPrimOrVoid(value, s.a) : nullptr;
  if (p)
    emit(
        withSpan(make<tir::Evaluate>(make<tir::Call>(p->dtype, op::tirOp("ret"), Array<PrimExpr>{p})), statementSpan_));
}

/// `break` and `continue`.
void Reader::tirJump(const Statement& s) {
  auto op = op::tirOp(s.kind == StmtKind::Break ? "break_loop" : "continue_loop");
  emit(withSpan(make<tir::Evaluate>(make<tir::Call>(DataType::Int(32), op, Array<PrimExpr>())), statementSpan_));
}

}  // namespace rx::script
