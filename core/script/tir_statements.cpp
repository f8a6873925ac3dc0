// Statements and functions of TIR. Open statements are frames on a heap stack, so blocks nest without native recursion.
#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/script/reader.h"
#include "core/script/tir_complete.h"

namespace rx::script {

using tir::PrimExpr;
using tir::Stmt;

namespace {
/// Open statements of one function: bounded like all real nesting.
constexpr size_t kMaxOpen = 4 * kMaxNesting;
/// The value of a `with` or statement that opened a frame without a name for it.
NodeRef nothing() { return ir::nullAttr(); }
}  // namespace

Frame& Reader::top() { return frames_.back(); }
Frame* Reader::blockFrame() {
  for (size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].kind == FrameKind::Block) return &frames_[i];
    if (frames_[i].kind == FrameKind::Function) return nullptr;
  }
  return nullptr;
}
Frame* Reader::functionFrame() {
  for (size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].kind == FrameKind::Function) return &frames_[i];
  }
  return nullptr;
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

Stmt Reader::finishFrame(Frame& f) {
  Stmt body = tir::seq(f.stmts);
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
    if (Frame* block = blockFrame()) block->init = tir::seq(frame.stmts);
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
    f.thenCase = tir::seq(f.stmts);
    f.stmts.clear();
    f.kind = FrameKind::Else;
    if (f.scoped) scope_.pop(), scope_.push();
    return;
  }
  closeFrame();
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
  auto open = [&](Frame frame) {
    if (frames_.size() >= kMaxOpen) {
      error(statementSpan_, "script.nesting", "more than " + std::to_string(kMaxOpen) + " statements are open here");
      syntax_->skipBody();
      return;
    }
    frame.span = statementSpan_;
    scope_.push();
    frames_.push_back(std::move(frame));
  };
  auto condition = [&](NodeId id) -> PrimExpr {
    NodeRef value = eval(id);
    PrimExpr p = value ? toPrim(value, id) : nullptr;
    if (p && !p->dtype.isBool() && p->dtype.isIntegral()) p = arith::ne(p, arith::constantInt(p->dtype, 0));
    return p ? p : tir::boolImm(true);
  };
  switch (s.kind) {
    case StmtKind::Error:
    case StmtKind::Pass:
      return;
    case StmtKind::Expr: {
      if (at(s.a).kind == Syn::Text || at(s.a).kind == Syn::Ellipsis) return;
      NodeRef value = eval(s.a);
      if (!value || isa<ir::NullAttr>(value) || isa<tir::Buffer>(value) || isa<tir::IterVar>(value)) return;
      if (isa<tir::StmtNode>(value)) return emit(refAs<tir::StmtNode>(value));
      if (isa<tir::Var>(value) && at(s.a).kind == Syn::Call) return;  // a frame's variable that is not named
      if (PrimExpr p = toPrim(value, s.a)) emit(withSpan(make<tir::Evaluate>(p), statementSpan_));
      return;
    }
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
    case StmtKind::While: {
      Frame frame(FrameKind::While);
      frame.value = condition(s.a);
      return open(std::move(frame));
    }
    case StmtKind::If: {
      Frame frame(FrameKind::If);
      frame.value = condition(s.a);
      return open(std::move(frame));
    }
    case StmtKind::Elif:
    case StmtKind::Else: {
      if (frames_.empty() || frames_.back().kind != FrameKind::Else || !frames_.back().stmts.empty()) {
        error(statementSpan_, "script.syntax", "no 'if' stands before this");
        return syntax_->skipBody();
      }
      if (s.kind == StmtKind::Else) return;
      // The arm is an `if` in the `else`: it closes both.
      frames_.back().implicit = true;
      Frame frame(FrameKind::If);
      frame.value = condition(s.a);
      return open(std::move(frame));
    }
    case StmtKind::With:
      return tirWith(s);
    case StmtKind::Assert: {
      PrimExpr test = condition(s.a);
      Args args;
      args.call = s.b ? s.b : s.a;
      NodeRef message = s.b ? eval(s.b) : ir::strAttr(Str(""));
      if (!message) return;
      args.values = {test, message};
      tAssert(args, 0);
      return;
    }
    case StmtKind::Return: {
      if (!s.a) return;
      NodeRef value = eval(s.a);
      PrimExpr p = value && !isNone(value) ? toPrim(value, s.a) : nullptr;
      if (p)
        emit(withSpan(make<tir::Evaluate>(make<tir::Call>(p->dtype, op::tirOp("ret"), Array<PrimExpr>{p})),
                      statementSpan_));
      return;
    }
    case StmtKind::Break:
    case StmtKind::Continue: {
      auto op = op::tirOp(s.kind == StmtKind::Break ? "break_loop" : "continue_loop");
      return emit(
          withSpan(make<tir::Evaluate>(make<tir::Call>(DataType::Int(32), op, Array<PrimExpr>())), statementSpan_));
    }
    case StmtKind::Def:
      error(statementSpan_, "script.unsupported", "a function inside a TIR function is not understood");
      return syntax_->skipBody();
    default:
      error(statementSpan_, "script.python", "this statement needs Python to be run, which this reader never does");
      syntax_->skipBody();
  }
}

// Loops ---------------------------------------------------------------------------------------------------------------

namespace {
struct LoopRow {
  std::string_view name;
  tir::ForKind kind;
};
constexpr LoopRow kLoops[] = {{"serial", tir::ForKind::Serial},
                              {"parallel", tir::ForKind::Parallel},
                              {"vectorized", tir::ForKind::Vectorized},
                              {"unroll", tir::ForKind::Unrolled},
                              {"thread_binding", tir::ForKind::ThreadBinding},
                              {"grid", tir::ForKind::Serial}};
}  // namespace

bool Reader::tirLoop(NodeId call, Frame& frame) {
  NameId base;
  std::string path;
  const SynNode node = at(call);
  if (node.kind != Syn::Call || !dottedPath(node.a, base, path)) {
    error(call, "tir.loop", "a loop of TIR runs over T.grid, T.serial, range and their kin");
    return false;
  }
  if (path.empty()) path = nameText(base);
  const LoopRow* row = nullptr;
  for (const LoopRow& r : kLoops) {
    if (r.name == (path == "range" ? "serial" : path == "thread_binding" ? "thread_binding" : path)) row = &r;
  }
  if (!row) {
    error(call, "tir.loop", "'" + path + "' is no loop of TIR",
          "use T.grid, T.serial, T.parallel, T.vectorized, T.unroll, T.thread_binding or range");
    return false;
  }
  Args args;
  if (!readArgs(call, args)) return false;
  frame.forKind = row->kind;
  auto add = [&](PrimExpr min, PrimExpr extent, PrimExpr step) {
    if (!min || !extent) return false;
    DataType type = extent->dtype;
    if (min->dtype != type) {
      if (!arith::matchTypes(min, extent)) return false;
      type = extent->dtype;
    }
    frame.loops.push_back({make<tir::Var>(Str(), type), min, extent, step});
    return true;
  };
  if (row->name == "grid") {
    for (const NodeRef& value : args.values) {
      const auto* pair = as<ir::ArrayAttr>(value);
      if (pair && pair->items.size() == 2) {
        PrimExpr begin = toPrim(pair->items[0], call), end = toPrim(pair->items[1], call);
        if (!begin || !end || !arith::matchTypes(begin, end)) return false;
        arith::Analyzer analyzer;
        if (!add(begin, analyzer.simplify(arith::sub(end, begin)), nullptr)) return false;
        continue;
      }
      PrimExpr extent = toPrim(value, call);
      if (!extent || !add(arith::constantInt(extent->dtype, 0), extent, nullptr)) return false;
    }
    return true;
  }
  NodeRef v[5];
  static constexpr std::string_view kNames[] = {"start", "stop", "thread", "annotations", "step"};
  Args named = args;
  bool thread = row->kind == tir::ForKind::ThreadBinding;
  // range(begin, end, step) and T.serial(begin, end, step): the third value is a step.
  if (!thread && named.values.size() == 3) {
    named.keywords.emplace_back(names_.intern("step"), named.values[2]);
    named.values.pop_back();
  }
  if (thread && named.values.size() == 2 && isa<ir::StrAttr>(named.values[1])) {
    named.keywords.emplace_back(names_.intern("thread"), named.values[1]);
    named.values.pop_back();
  }
  if (!bind(named, kNames, 1, v)) return false;
  PrimExpr begin = toPrim(v[0], call), end = isNone(v[1]) ? nullptr : toPrim(v[1], call);
  if (!begin || (!isNone(v[1]) && !end)) return false;
  PrimExpr extent;
  if (!end) {
    extent = begin;
    begin = arith::constantInt(extent->dtype, 0);
  } else {
    if (!arith::matchTypes(begin, end)) return false;
    arith::Analyzer analyzer;
    extent = analyzer.simplify(arith::sub(end, begin));
  }
  if (thread) {
    auto tag = toText(v[2], call);
    if (!tag) return error(call, "script.argument", "T.thread_binding needs the name of a thread"), false;
    frame.threadTag = *tag;
  }
  frame.annotations = attrDict(v[3], call);
  if (frame.annotations && frame.annotations->size() == 0) frame.annotations = nullptr;
  PrimExpr step = isNone(v[4]) ? nullptr : toPrim(v[4], call);
  if (step && tir::asInt(step) == 1) step = nullptr;
  if (step && step->dtype != extent->dtype) step = arith::cast(extent->dtype, step);
  return add(begin, extent, step);
}

void Reader::tirFor(const Statement& s) {
  Frame frame(FrameKind::For);
  frame.span = statementSpan_;
  bool ok = tirLoop(s.b, frame);
  scope_.push();
  if (!ok) {
    scope_.pop();
    syntax_->skipBody();
    return;
  }
  std::vector<NodeId> targets;
  if (at(s.a).kind == Syn::Tuple || at(s.a).kind == Syn::List) {
    targets.assign(syntax_->kids(at(s.a)).begin(), syntax_->kids(at(s.a)).end());
  } else {
    targets = {s.a};
  }
  bool star = targets.size() == 1 && (at(targets[0]).kind == Syn::Star || frame.loops.size() != 1);
  if (star && at(targets[0]).kind == Syn::Name && frame.loops.size() > 1) {
    // `for indices in T.grid(...)`: one name for the tuple of variables.
    std::vector<NodeRef> vars;
    for (size_t i = 0; i < frame.loops.size(); ++i) {
      rename(frame.loops[i].var, Str(nameText(at(targets[0]).a) + "_" + std::to_string(i)));
      vars.push_back(frame.loops[i].var);
    }
    scope_.define(at(targets[0]).a, ir::arrayAttr(std::move(vars)));
  } else if (targets.size() != frame.loops.size()) {
    error(s.a, "tir.loop",
          std::to_string(targets.size()) + " variables for " + std::to_string(frame.loops.size()) + " loops");
  } else {
    for (size_t i = 0; i < targets.size(); ++i) {
      if (at(targets[i]).kind != Syn::Name) {
        error(targets[i], "script.syntax", "the variable of a loop must be a name");
        continue;
      }
      rename(frame.loops[i].var, names_.str(at(targets[i]).a));
      scope_.define(at(targets[i]).a, frame.loops[i].var);
    }
  }
  if (frames_.size() >= kMaxOpen) {
    error(statementSpan_, "script.nesting", "more than " + std::to_string(kMaxOpen) + " statements are open here");
    scope_.pop();
    return syntax_->skipBody();
  }
  frames_.push_back(std::move(frame));
}

// with ----------------------------------------------------------------------------------------------------------------

void Reader::tirWith(const Statement& s) {
  for (size_t i = 0; i + 1 < s.items.size(); i += 2) {
    size_t before = frames_.size();
    if (!tirWithItem(s.items[i], s.items[i + 1])) {
      while (frames_.size() > before) closeFrame();
      if (i > 0) endBlock();
      return syntax_->skipBody();
    }
    // The frame of the first item carries the body; later ones close with it.
    for (size_t f = before; i > 0 && f < frames_.size(); ++f) frames_[f].implicit = true;
  }
}

bool Reader::tirWithItem(NodeId context, NodeId target) {
  NameId base;
  std::string path;
  const SynNode node = at(context);
  if (node.kind == Syn::Call && dottedPath(node.a, base, path) && base == kT_) {
    if (path == "sblock" || path == "block") {
      Args args;
      if (!readArgs(context, args)) return false;
      NodeRef v[3];
      static constexpr std::string_view kNames[] = {"name", "no_realize", "exec_scope"};
      if (!bind(args, kNames, 0, v)) return false;
      Frame frame(FrameKind::Block);
      frame.span = statementSpan_;
      if (!isNone(v[0])) {
        auto name = toText(v[0], context);
        if (!name) return false;
        frame.name = *name;
      }
      if (!isNone(v[1])) frame.noRealize = toInt(v[1], context).value_or(0) != 0;
      scope_.push();
      frames_.push_back(std::move(frame));
      return true;
    }
    if (path == "init") {
      if (!blockFrame()) {
        error(context, "tir.block", "T.init stands outside of any block");
        return false;
      }
      Frame frame(FrameKind::Init);
      frame.span = statementSpan_;
      scope_.push();
      frames_.push_back(std::move(frame));
      return true;
    }
  }
  // Anything else opens frames implicitly; the last of them becomes the frame of this body.
  size_t before = frames_.size();
  Frame splice(FrameKind::Splice);
  splice.span = statementSpan_;
  scope_.push();
  frames_.push_back(std::move(splice));
  NodeRef value = eval(context);
  if (!value) return false;
  (void)before;
  if (target) tirBindTarget(target, value, context);
  return true;
}

// Assignments ---------------------------------------------------------------------------------------------------------

NodeRef Reader::tirBindName(NameId name, NodeRef value, NodeId at) {
  if (const auto* array = as<ir::ArrayAttr>(value)) {
    std::vector<NodeRef> items;
    for (size_t i = 0; i < array->items.size(); ++i) {
      NodeRef item = array->items[i];
      rename(item, Str(nameText(name) + "_" + std::to_string(i)));
      items.push_back(item);
    }
    NodeRef list = ir::arrayAttr(std::move(items));
    scope_.define(name, list);
    return list;
  }
  if (isa<ir::NullAttr>(value)) {
    scope_.define(name, value);
    return value;
  }
  bool fresh = false;
  if (const auto* var = as<tir::Var>(value)) fresh = var->name.empty();
  bool meta = this->at(at).kind == Syn::Call && syntax_->textOf(at).starts_with("T.meta_var");
  if (isa<tir::Buffer>(value) || isa<tir::IterVar>(value) || fresh || meta || isa<tir::BufferRegion>(value) ||
      isa<ir::IRModule>(value) || isa<ir::DictAttrs>(value) || isa<relax::ExprNode>(value)) {
    rename(value, names_.str(name));
    scope_.define(name, value);
    return value;
  }
  if (this->at(at).kind == Syn::Call || isa<tir::Var>(value)) {
    // T.Var("n", "int64") names itself; a variable of the program that is bound again is a value.
    std::string_view text = syntax_->textOf(at);
    if (text.starts_with("T.Var(") || text.starts_with("T.SizeVar(") || text.starts_with("T.env_thread") ||
        text.starts_with("T.launch_thread") || text.starts_with("T.allocate")) {
      scope_.define(name, value);
      return value;
    }
  }
  PrimExpr p = toPrim(value, at);
  if (!p) return nullptr;
  auto var = make<tir::Var>(names_.str(name), p->dtype);
  emit(withSpan(make<tir::Bind>(var, p), statementSpan_));
  scope_.define(name, var);
  return var;
}

void Reader::tirBindTarget(NodeId target, NodeRef value, NodeId valueNode) {
  const SynNode node = at(target);
  if (node.kind == Syn::Name) {
    tirBindName(node.a, std::move(value), valueNode);
    return;
  }
  if (node.kind == Syn::Tuple || node.kind == Syn::List) {
    const auto* array = as<ir::ArrayAttr>(value);
    std::vector<NodeId> kids(syntax_->kids(node).begin(), syntax_->kids(node).end());
    if (!array || array->items.size() != kids.size()) {
      error(target, "script.assignment", std::to_string(kids.size()) + " names do not fit what is assigned");
      return;
    }
    for (size_t i = 0; i < kids.size(); ++i) tirBindTarget(kids[i], array->items[i], valueNode);
    return;
  }
  if (node.kind == Syn::Index) {
    NodeRef object = eval(node.a);
    if (!object) return;
    if (!isa<tir::Buffer>(object)) {
      error(target, "script.assignment", "only elements of a buffer can be assigned");
      return;
    }
    bool ok = true;
    std::vector<NodeRef> indices = evalIndices(node, ok);
    if (ok) storeTo(refAs<tir::Buffer>(object), std::move(indices), std::move(value), target, nullptr);
    return;
  }
  error(target, "script.assignment", "this can not be assigned to");
}

void Reader::tirAssign(NodeId target, NodeId value) {
  // Several `T.int32()` on one line define several variables.
  NodeRef v = eval(value);
  if (v) tirBindTarget(target, std::move(v), value);
}

void Reader::tirAnnAssign(const Statement& s) {
  if (!s.c) {
    error(statementSpan_, "script.assignment", "a declaration without a value is not understood");
    return;
  }
  NodeRef value = eval(s.c);
  NodeRef annotation = evalAnnotation(s.b);
  if (!value || !annotation) return;
  if (at(s.a).kind != Syn::Name) {
    error(s.a, "script.assignment", "only a name can be declared");
    return;
  }
  NameId name = at(s.a).a;
  PrimExpr p = toPrim(value, s.c);
  if (!p) return;
  tir::VarRef var;
  if (const auto* like = as<tir::Var>(annotation)) {
    var = make<tir::Var>(names_.str(name), like->dtype, like->annotation);
  } else {
    auto type = toType(annotation, s.b);
    if (!type) return;
    var = make<tir::Var>(names_.str(name), type->isVoid() ? p->dtype : *type);
  }
  if (p->dtype != var->dtype && !var->dtype.isHandle() && !p->dtype.isHandle()) p = arith::cast(var->dtype, p);
  emit(withSpan(make<tir::Bind>(var, p), statementSpan_));
  scope_.define(name, var);
}

void Reader::tirAugAssign(const Statement& s) {
  NodeRef old = eval(s.a);
  NodeRef value = eval(s.b);
  if (!old || !value) return;
  NodeRef result = binary(s.op, old, value, s.a);
  if (result) tirBindTarget(s.a, result, s.b);
}

// Statements that are calls -------------------------------------------------------------------------------------------

NodeRef Reader::tEnvThread(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"thread_tag", "dtype"};
  if (!bind(args, kNames, 1, v)) return nullptr;
  auto tag = toText(v[0], args.call);
  auto type = isNone(v[1]) ? std::optional<DataType>(DataType::Int(32)) : toType(v[1], args.call);
  if (!tag || !type) return nullptr;
  auto var = make<tir::Var>(Str(), *type);
  threads_[var.get()] = make<tir::IterVar>(nullptr, var, tir::IterType::ThreadIndex, *tag);
  return var;
}

NodeRef Reader::tLaunchThread(const Args& args, uint32_t) {
  NodeRef v[2];
  static constexpr std::string_view kNames[] = {"thread", "extent"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  PrimExpr extent = toPrim(v[1], args.call);
  if (!extent) return nullptr;
  tir::VarRef var;
  if (const auto* tag = as<ir::StrAttr>(v[0])) {
    var = make<tir::Var>(Str(), extent->dtype);
    threads_[var.get()] = make<tir::IterVar>(nullptr, var, tir::IterType::ThreadIndex, tag->value);
  } else if (isa<tir::Var>(v[0])) {
    var = refAs<tir::Var>(v[0]);
  }
  auto found = var ? threads_.find(var.get()) : threads_.end();
  if (found == threads_.end()) return error(args.call, "tir.thread", "this is no thread of T.env_thread");
  Ref<tir::IterVar>& iter = found->second;
  if (!iter->dom) {
    iter = make<tir::IterVar>(make<tir::Range>(arith::constantInt(extent->dtype, 0), extent), var, iter->iterType,
                              iter->threadTag);
  } else {
    arith::Analyzer analyzer;
    PrimExpr a = iter->dom->extent, b = extent;
    if (!arith::matchTypes(a, b) || !analyzer.canProveEqual(a, b)) {
      return error(args.call, "tir.thread", "this thread was launched with another extent before");
    }
  }
  Frame frame(FrameKind::Attr);
  frame.span = statementSpan_;
  frame.node = iter;
  frame.key = iter->threadTag == "vthread" ? Str("virtual_thread") : Str("thread_extent");
  frame.value = extent;
  emitImplicit(std::move(frame));
  return var;
}

NodeRef Reader::tAttr(const Args& args, uint32_t) {
  if (args.values.size() == 1 && isa<ir::DictAttrs>(args.values[0])) return tAttrDict(args);
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"node", "attr_key", "value"};
  if (!bind(args, kNames, 3, v)) return nullptr;
  auto key = toText(v[1], args.call);
  PrimExpr value = toPrim(v[2], args.call);
  if (!key || !value) return nullptr;
  NodeRef node = v[0];
  if (isa<tir::Var>(node)) {
    auto found = threads_.find(as<tir::Var>(node));
    if (found != threads_.end() && (*key == "thread_extent" || *key == "virtual_thread")) node = found->second;
  }
  if (isa<ir::IntAttr>(node)) node = tryPrim(node);
  Frame frame(FrameKind::Attr);
  frame.span = statementSpan_;
  frame.node = node;
  frame.key = *key;
  frame.value = value;
  emitImplicit(std::move(frame));
  return nothing();
}

/// `T.attr({"key": value})`: each entry is an attribute of nothing in particular.
NodeRef Reader::tAttrDict(const Args& args) {
  const auto* dict = as<ir::DictAttrs>(args.values[0]);
  for (size_t i = 0; i < dict->size(); ++i) {
    PrimExpr value = toPrim(dict->values[i], args.call);
    if (!value) return nullptr;
    Frame frame(FrameKind::Attr);
    frame.span = statementSpan_;
    frame.node = tir::intImm(0, DataType::Int(32));
    frame.key = dict->keys[i];
    frame.value = value;
    emitImplicit(std::move(frame));
  }
  return nothing();
}

NodeRef Reader::tRealize(const Args& args, uint32_t) {
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"buffer_slice", "storage_scope", "condition"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  Ref<tir::BufferRegion> region = regionOf(v[0], args.call);
  auto scope = toText(v[1], args.call);
  if (!region || !scope) return nullptr;
  // A realization of older eras is kept as an attribute of its region.
  Frame frame(FrameKind::Attr);
  frame.span = statementSpan_;
  frame.node = region;
  frame.key = Str("realize_scope");
  frame.value = make<tir::StringImm>(*scope);
  emitImplicit(std::move(frame));
  return nothing();
}

NodeRef Reader::tLetStmt(const Args& args, uint32_t) {
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"value", "type_annotation", "var"};
  if (!bind(args, kNames, 1, v)) return nullptr;
  PrimExpr value = toPrim(v[0], args.call);
  if (!value) return nullptr;
  tir::VarRef var;
  if (isa<tir::Var>(v[2])) {
    var = refAs<tir::Var>(v[2]);
  } else if (const auto* like = as<tir::Var>(v[1])) {
    var = make<tir::Var>(Str(), like->dtype, like->annotation);
  } else {
    var = make<tir::Var>(Str(), value->dtype);
  }
  emit(withSpan(make<tir::Bind>(var, value), statementSpan_));
  return var;
}

NodeRef Reader::tBind(const Args& args, uint32_t row) { return tLetStmt(args, row); }

NodeRef Reader::tAllocate(const Args& args, uint32_t) {
  NodeRef v[5];
  static constexpr std::string_view kNames[] = {"extents", "dtype", "scope", "condition", "annotations"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  bool ok = true;
  auto extents = toPrims(v[0], args.call, ok);
  auto type = toType(v[1], args.call);
  auto scope = isNone(v[2]) ? std::optional<Str>(Str("global")) : toText(v[2], args.call);
  PrimExpr condition = isNone(v[3]) ? PrimExpr(tir::boolImm(true)) : toPrim(v[3], args.call);
  if (!ok || !type || !scope || !condition) return nullptr;
  auto var =
      make<tir::Var>(Str(), DataType::Handle(),
                     make<tir::PointerType>(make<tir::PrimType>(*type), scope->empty() ? Str("global") : *scope));
  emit(withSpan(make<tir::Allocate>(var, *type, extents, condition, attrDict(v[4], args.call)), statementSpan_));
  return var;
}

NodeRef Reader::tAllocateConst(const Args& args, uint32_t) {
  NodeRef v[4];
  static constexpr std::string_view kNames[] = {"data", "dtype", "extents", "annotations"};
  if (!bind(args, kNames, 3, v)) return nullptr;
  bool ok = true;
  auto extents = toPrims(v[2], args.call, ok);
  auto type = toType(v[1], args.call);
  const auto* data = as<ir::ArrayAttr>(v[0]);
  if (!ok || !type || !data) return error(args.call, "script.argument", "T.allocate_const needs a list of numbers");
  auto var =
      make<tir::Var>(Str(), DataType::Handle(), make<tir::PointerType>(make<tir::PrimType>(*type), Str("global")));
  // The constant's content is an annotation of the allocation.
  auto annotations = make<ir::DictAttrs>(std::vector<std::pair<Str, NodeRef>>{{Str("constant"), attrValue(v[0])}});
  emit(withSpan(make<tir::Allocate>(var, *type, extents, tir::boolImm(true), annotations), statementSpan_));
  return var;
}

NodeRef Reader::tAssert(const Args& args, uint32_t) {
  if (args.values.size() < 2) return error(args.call, "script.argument", "T.Assert needs a condition and a message");
  PrimExpr test = toPrim(args.values[0], args.call);
  if (!test) return nullptr;
  Str kind("RuntimeError");
  std::vector<PrimExpr> parts;
  bool ok = true;
  auto part = [&](const NodeRef& value) {
    auto text = toText(value, args.call);
    ok &= text.has_value();
    if (text) parts.push_back(make<tir::StringImm>(*text));
  };
  const NodeRef& message = args.values[1];
  if (const auto* pair = as<ir::ArrayAttr>(message);
      pair && pair->items.size() == 2 && isa<ir::ArrayAttr>(pair->items[1])) {
    auto name = toText(pair->items[0], args.call);
    if (!name) return nullptr;
    kind = *name;
    for (const NodeRef& item : as<ir::ArrayAttr>(pair->items[1])->items) part(item);
  } else if (pair) {
    for (const NodeRef& item : pair->items) part(item);
  } else {
    part(message);
  }
  if (ok)
    emit(withSpan(make<tir::AssertStmt>(test, make<tir::StringImm>(kind), Array<PrimExpr>(std::move(parts))),
                  statementSpan_));
  return nothing();
}

NodeRef Reader::tEvaluate(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "T.evaluate takes one value");
  PrimExpr p = isa<tir::Buffer>(args.values[0]) ? PrimExpr(as<tir::Buffer>(args.values[0])->data)
                                                : toPrim(args.values[0], args.call);
  if (p) emit(withSpan(make<tir::Evaluate>(p), statementSpan_));
  return nothing();
}

NodeRef Reader::tReturn(const Args& args, uint32_t) {
  if (args.values.size() != 1) return error(args.call, "script.argument", "T.ret takes one value");
  PrimExpr p = toPrim(args.values[0], args.call);
  return p ? make<tir::Call>(p->dtype, op::tirOp("ret"), Array<PrimExpr>{p}) : nullptr;
}

NodeRef Reader::tFuncAttr(const Args& args, uint32_t) {
  if (args.values.size() != 1 || !isa<ir::DictAttrs>(args.values[0]))
    return error(args.call, "script.argument", "T.func_attr takes a dictionary");
  auto dict = refAs<ir::DictAttrs>(attrValue(args.values[0]));
  for (size_t i = 0; i < dict->size(); ++i) tirAttrs_.emplace_back(dict->keys[i], dict->values[i]);
  return nothing();
}

NodeRef Reader::tReads(const Args& args, uint32_t) {
  Frame* block = blockFrame();
  if (!block) return error(args.call, "tir.block", "T.reads stands outside of any block");
  std::vector<NodeRef> values = args.values;
  if (values.size() == 1 && isa<ir::ArrayAttr>(values[0])) values = as<ir::ArrayAttr>(values[0])->items.vector();
  if (block->readsGiven) return error(args.call, "tir.block", "the block has T.reads already");
  block->readsGiven = true;
  for (const NodeRef& value : values) {
    if (auto region = regionOf(value, args.call)) block->reads.push_back(region);
  }
  return nothing();
}

NodeRef Reader::tWrites(const Args& args, uint32_t) {
  Frame* block = blockFrame();
  if (!block) return error(args.call, "tir.block", "T.writes stands outside of any block");
  std::vector<NodeRef> values = args.values;
  if (values.size() == 1 && isa<ir::ArrayAttr>(values[0])) values = as<ir::ArrayAttr>(values[0])->items.vector();
  if (block->writesGiven) return error(args.call, "tir.block", "the block has T.writes already");
  block->writesGiven = true;
  for (const NodeRef& value : values) {
    if (auto region = regionOf(value, args.call)) block->writes.push_back(region);
  }
  return nothing();
}

NodeRef Reader::tWhere(const Args& args, uint32_t) {
  Frame* block = blockFrame();
  if (!block || args.values.size() != 1)
    return error(args.call, "tir.block", "T.where takes one condition, inside a block");
  if (block->where) return error(args.call, "tir.block", "the block has T.where already");
  block->where = toPrim(args.values[0], args.call);
  return nothing();
}

NodeRef Reader::tBlockAttr(const Args& args, uint32_t) {
  Frame* block = blockFrame();
  if (!block || args.values.size() != 1 || !isa<ir::DictAttrs>(args.values[0])) {
    return error(args.call, "tir.block", "T.sblock_attr takes a dictionary, inside a block");
  }
  auto dict = refAs<ir::DictAttrs>(attrValue(args.values[0]));
  for (size_t i = 0; i < dict->size(); ++i) block->attrs.emplace_back(dict->keys[i], dict->values[i]);
  return nothing();
}

NodeRef Reader::tAxis(const Args& args, uint32_t row) {
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"dom", "binding", "dtype"};
  if (!bind(args, kNames, 1, v)) return nullptr;
  Frame* block = blockFrame();
  if (!block) return error(args.call, "tir.block", "an axis stands outside of any block");
  Ref<tir::Range> dom;
  if (const auto* pair = as<ir::ArrayAttr>(v[0]); pair && pair->items.size() == 2) {
    PrimExpr begin = toPrim(pair->items[0], args.call), end = toPrim(pair->items[1], args.call);
    if (!begin || !end || !arith::matchTypes(begin, end)) return nullptr;
    arith::Analyzer analyzer;
    dom = make<tir::Range>(begin, analyzer.simplify(arith::sub(end, begin)));
  } else if (isa<tir::Range>(v[0])) {
    dom = refAs<tir::Range>(v[0]);
  } else {
    PrimExpr extent = toPrim(v[0], args.call);
    if (!extent) return nullptr;
    dom = make<tir::Range>(arith::constantInt(extent->dtype, 0), extent);
  }
  auto var = make<tir::Var>(Str(), dom->extent->dtype);
  block->iterVars.push_back(make<tir::IterVar>(dom, var, static_cast<tir::IterType>(row)));
  if (!isNone(v[1])) {
    PrimExpr value = toPrim(v[1], args.call);
    if (!value) return nullptr;
    block->iterValues.push_back(value);
  }
  return var;
}

NodeRef Reader::tRemap(const Args& args, uint32_t) {
  NodeRef v[3];
  static constexpr std::string_view kNames[] = {"kinds", "bindings", "dtype"};
  if (!bind(args, kNames, 2, v)) return nullptr;
  Frame* block = blockFrame();
  auto kinds = toText(v[0], args.call);
  const auto* list = as<ir::ArrayAttr>(v[1]);
  if (!block || !kinds || !list)
    return error(args.call, "tir.block", "T.axis.remap takes kinds and a list of loop variables, inside a block");
  std::string_view letters = kinds->view();
  if (letters.size() != list->items.size()) {
    return error(
        args.call, "tir.block",
        std::to_string(letters.size()) + " kinds for " + std::to_string(list->items.size()) + " loop variables");
  }
  std::vector<NodeRef> vars;
  for (size_t i = 0; i < letters.size(); ++i) {
    PrimExpr loopVar = toPrim(list->items[i], args.call);
    const Loop* loop = nullptr;
    Loop thread;
    for (size_t f = frames_.size(); f-- > 0 && !loop && loopVar;) {
      for (const Loop& l : frames_[f].loops) {
        if (l.var == loopVar) loop = &l;
      }
      if (frames_[f].kind == FrameKind::Attr && isa<tir::IterVar>(frames_[f].node) &&
          as<tir::IterVar>(frames_[f].node)->var == loopVar) {
        thread = {as<tir::IterVar>(frames_[f].node)->var, arith::constantInt(frames_[f].value->dtype, 0),
                  frames_[f].value, nullptr};
        loop = &thread;
      }
    }
    if (!loop) return error(args.call, "tir.block", "T.axis.remap needs variables of the loops around the block");
    tir::IterType type = letters[i] == 'R'   ? tir::IterType::CommReduce
                         : letters[i] == 'O' ? tir::IterType::Ordered
                                             : tir::IterType::DataPar;
    if (letters[i] != 'S' && letters[i] != 'R' && letters[i] != 'O') {
      return error(args.call, "tir.block", std::string("'") + letters[i] + "' is no kind of axis; S and R are");
    }
    auto var = make<tir::Var>(Str(), loop->extent->dtype);
    block->iterVars.push_back(make<tir::IterVar>(make<tir::Range>(loop->min, loop->extent), var, type));
    block->iterValues.push_back(loopVar);
    vars.push_back(var);
  }
  if (vars.size() == 1) return vars[0];
  return ir::arrayAttr(std::move(vars));
}

// Functions -----------------------------------------------------------------------------------------------------------

/// Each function has variables of its own for the names that the file declares.
void Reader::defineTypeVars() {
  for (NameId name : typeVars_) {
    if (!scope_.lookup(name)) scope_.define(name, make<tir::Var>(names_.str(name), DataType::Int(64)));
  }
}

bool Reader::tirParams(const Statement& head, std::vector<tir::VarRef>& params, std::vector<tir::BufferRef>& buffers) {
  // Scalars first: dimensions may be written over parameters that come later.
  for (const Param& param : head.params) {
    if (!param.annotation || at(param.annotation).kind != Syn::Attr) continue;
    NodeRef value = evalAnnotation(param.annotation);
    if (const auto* type = as<ir::TypeAttr>(value))
      scope_.define(param.name, make<tir::Var>(names_.str(param.name), type->value));
  }
  for (const Param& param : head.params) {
    statementSpan_ = {param.begin, param.end, file_};
    if (!param.annotation) {
      error(statementSpan_, "script.annotation", "the parameter '" + nameText(param.name) + "' has no annotation",
            "write T.handle, T.Buffer(...) or a type such as T.int32");
      return false;
    }
    NodeRef value = evalAnnotation(param.annotation);
    if (!value) return false;
    const Str& name = names_.str(param.name);
    if (isa<tir::Buffer>(value)) {
      auto buffer = refAs<tir::Buffer>(value);
      rename(buffer, name);
      params.push_back(make<tir::Var>(Str(name.string() + "_handle"), DataType::Handle()));
      buffers.push_back(buffer);
      scope_.define(param.name, buffer);
    } else if (isa<tir::Var>(value)) {
      rename(value, name);
      params.push_back(refAs<tir::Var>(value));
      buffers.push_back(nullptr);
      scope_.define(param.name, value);
    } else {
      auto type = toType(value, param.annotation);
      if (!type) return false;
      tir::VarRef var = refAs<tir::Var>(scope_.lookup(param.name));
      if (!var || var->dtype != *type || at(param.annotation).kind != Syn::Attr) var = make<tir::Var>(name, *type);
      params.push_back(var);
      buffers.push_back(nullptr);
      scope_.define(param.name, var);
    }
    const_cast<tir::Var*>(params.back().get())->span = statementSpan_;
  }
  return true;
}

NodeRef Reader::evalAnnotation(NodeId id) {
  NodeRef value = eval(id);
  if (!value) return nullptr;
  if (const auto* type = as<ir::TypeAttr>(value); type && type->value.isHandle())
    return make<tir::Var>(Str(), DataType::Handle());
  return value;
}

tir::Type Reader::toTirType(const NodeRef& value) {
  if (const auto* type = as<ir::TypeAttr>(value)) return make<tir::PrimType>(type->value);
  if (const auto* text = as<ir::StrAttr>(value)) {
    if (auto type = DataType::parse(text->value.view())) return make<tir::PrimType>(*type);
  }
  if (const auto* var = as<tir::Var>(value))
    return var->annotation ? var->annotation : tir::Type(make<tir::PrimType>(var->dtype));
  return nullptr;
}

ir::BaseFunc Reader::readPrimFunc(const Statement& head, bool isPrivate, bool) {
  Span span{head.begin, head.end, file_};
  bool outer = inTir_;
  inTir_ = true;
  scope_.push();
  threads_.clear();
  tirAttrs_.clear();
  tirParams_.clear();
  tirBuffers_.clear();
  frames_.clear();
  defineTypeVars();
  bool ok = tirParams(head, tirParams_, tirBuffers_);
  tir::Type ret;
  if (ok && head.a) {
    NodeRef value = eval(head.a);
    if (value && !isNone(value)) ret = toTirType(value);
    ok = value != nullptr;
  }
  ir::BaseFunc result;
  if (!ok) {
    failed_ = true;
    syntax_->skipBody();
  } else {
    Frame function(FrameKind::Function);
    function.scoped = false;
    frames_.push_back(std::move(function));
    tirBody();
    if (!frames_.empty() && frames_[0].kind == FrameKind::Function) {
      Frame frame = std::move(frames_[0]);
      // A block that is the whole body is the root: its regions are not detected.
      const auto* realize = frame.stmts.size() == 1 ? as<tir::BlockRealize>(frame.stmts[0]) : nullptr;
      if (realize && rootBlock_ && realize->block == rootBlock_ && frame.allocs.empty()) {
        auto* root = const_cast<tir::Block*>(rootBlock_.get());
        if (!rootReadsGiven_) root->reads = {};
        if (!rootWritesGiven_) root->writes = {};
      }
      rootBlock_ = nullptr;
      Stmt body = completeFunction(tir::seq(frame.stmts), frame.allocs);
      bool symbol = false;
      for (const auto& [key, value] : tirAttrs_) symbol |= key == "global_symbol";
      if (symbol && isPrivate) {
        error(span, "tir.private", "a private function can not have the attribute 'global_symbol'",
              "remove the attribute, or private=True");
      }
      if (!isPrivate && !symbol) tirAttrs_.emplace_back(Str("global_symbol"), ir::strAttr(names_.str(head.name)));
      ir::Attrs attrs;
      if (!tirAttrs_.empty()) attrs = make<ir::DictAttrs>(tirAttrs_);
      result = withSpan(
          make<tir::PrimFunc>(Array<tir::VarRef>(tirParams_), Array<tir::BufferRef>(tirBuffers_), body, ret, attrs),
          span);
    }
  }
  frames_.clear();
  scope_.pop();
  inTir_ = outer;
  return result;
}

}  // namespace rx::script
