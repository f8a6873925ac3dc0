// Statements of TIR that open a block: loops and `with`.
#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/script/reader.h"
#include "core/script/tir_complete.h"

namespace rx::script {

using tir::PrimExpr;
using tir::Stmt;

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
  const std::string_view name = path == "range" ? std::string_view("serial") : path;
  const auto* row =
      std::find_if(std::begin(kLoops), std::end(kLoops), [&](const LoopRow& r) { return r.name == name; });
  if (row == std::end(kLoops)) {
    error(call, "tir.loop", "'" + path + "' is no loop of TIR",
          "use T.grid, T.serial, T.parallel, T.vectorized, T.unroll, T.thread_binding or range");
    return false;
  }
  Args args;
  if (!readArgs(call, args)) return false;
  frame.forKind = row->kind;
  return row->name == "grid" ? tirGrid(args, frame) : tirRange(std::move(args), frame);
}

bool Reader::addLoop(NodeId call, PrimExpr min, PrimExpr extent, PrimExpr step, Frame& frame) {
  if (!min || !extent || !arith::matchTypes(min, extent)) return false;
  const DataType type = extent->dtype;
  if (!type.isScalar() || !(type.isInt() || type.isUInt())) {
    error(call, "tir.type", "a loop runs over integers, not over " + type.str());
    return false;
  }
  frame.loops.push_back({make<tir::Var>(Str(), type), min, extent, step});
  return true;
}

/// One loop each: an extent, or a pair of begin and end.
bool Reader::tirGrid(const Args& args, Frame& frame) {
  for (const NodeRef& value : args.values) {
    const auto* pair = as<ir::ArrayAttr>(value);
    if (pair && pair->items.size() == 2) {
      PrimExpr begin = toPrim(pair->items[0], args.call), end = toPrim(pair->items[1], args.call);
      if (!begin || !end || !arith::matchTypes(begin, end)) return false;
      if (!addLoop(args.call, begin, arith::Analyzer().simplify(arith::sub(end, begin)), nullptr, frame)) return false;
      continue;
    }
    const PrimExpr extent = toPrim(value, args.call);
    if (!extent || !addLoop(args.call, arith::constantInt(extent->dtype, 0), extent, nullptr, frame)) return false;
  }
  return true;
}

bool Reader::tirRange(Args args, Frame& frame) {
  const NodeId call = args.call;
  const bool thread = frame.forKind == tir::ForKind::ThreadBinding;
  const auto nameLast = [&](std::string_view name) {
    args.keywords.emplace_back(names_.intern(name), args.values.back());
    args.values.pop_back();
  };
  // range(begin, end, step) and T.serial(begin, end, step): the third value is a step.
  if (!thread && args.values.size() == 3) nameLast("step");
  if (thread && args.values.size() == 2 && isa<ir::StrAttr>(args.values[1])) nameLast("thread");
  NodeRef v[5];
  static constexpr std::string_view kNames[] = {"start", "stop", "thread", "annotations", "step"};
  if (!bind(args, kNames, 1, v)) return false;
  PrimExpr begin = toPrim(v[0], call), extent = begin;
  if (!begin) return false;
  if (isNone(v[1])) {
    begin = arith::constantInt(extent->dtype, 0);
  } else {
    PrimExpr end = toPrim(v[1], call);
    if (!end || !arith::matchTypes(begin, end)) return false;
    extent = arith::Analyzer().simplify(arith::sub(end, begin));
  }
  if (thread) {
    const auto tag = toText(v[2], call);
    if (!tag) return error(call, "script.argument", "T.thread_binding needs the name of a thread"), false;
    frame.threadTag = *tag;
  }
  frame.annotations = attrDict(v[3], call);
  if (frame.annotations && frame.annotations->size() == 0) frame.annotations = nullptr;
  PrimExpr step = isNone(v[4]) ? nullptr : toPrim(v[4], call);
  if (step && tir::asInt(step) == 1) step = nullptr;
  if (step && step->dtype != extent->dtype) step = arith::cast(extent->dtype, step);
  return addLoop(call, begin, extent, step, frame);
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
        error(context, "tir.block", "T.init does not stand right inside a block");
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

}  // namespace rx::script
