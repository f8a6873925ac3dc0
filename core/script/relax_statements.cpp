// Statements and functions of Relax. Open blocks are frames on a heap stack; bindings go to the builder as they are
// read, except the last one of a branch, which names what the branch gives.
#include <algorithm>
#include <cstring>

#include "core/script/relax_reader.h"

namespace rx::script {

using relax::Expr;
using relax::StructInfo;
using tir::PrimExpr;

void Reader::takeBuilderErrors(Span span) {
  if (relax_->builder.diagnostics().empty()) return;
  for (Diagnostic& d : relax_->builder.takeDiagnostics()) {
    if (!d.span.known()) d.span = span;
    failed_ |= d.severity == Severity::Error;
    if (diagnostics_.size() < options_.maxErrors) diagnostics_.push_back(std::move(d));
  }
}

// Bindings ------------------------------------------------------------------------------------------------------------

void Reader::bindExpr(NameId name, const Expr& value, const StructInfo& annotation, Span span) {
  RelaxFrame& frame = relax_->frames.back();
  bool output = false;
  if (frame.kind == RelaxFrameKind::Dataflow) {
    for (const auto& [out, begin] : frame.outputs) output |= out == name && span.begin >= begin;
  }
  build::BlockBuilder& builder = relax_->builder;
  relax::VarRef var = output ? builder.emitOutput(value, names_.str(name), annotation, span)
                             : builder.emit(value, names_.str(name), annotation, span);
  takeBuilderErrors(span);
  scope_.define(name, var);
  frame.lastVar = var;
  frame.lastName = name;
}

void Reader::flushPending() {
  RelaxFrame& frame = relax_->frames.back();
  if (!frame.pending.set) return;
  Pending pending = std::move(frame.pending);
  frame.pending = {};
  bindExpr(pending.name, pending.value, pending.annotation, pending.span);
}

void Reader::relaxBind(NameId name, NodeRef value, NodeId valueNode, const StructInfo& annotation) {
  RelaxFrame& frame = relax_->frames.back();
  if (value == moduleMarker_ && moduleMarker_) return scope_.define(name, value);
  if (isa<tir::PrimFunc>(value)) {
    error(statementSpan_, "relax.inline-primfunc", "a TIR function can not stand inside a Relax function",
          "make it a member of the module");
    return;
  }
  if (isa<tir::Var>(value) && at(valueNode).kind == Syn::Call) {
    // `n = T.int64()` declares a symbolic variable, or names the one of the signature.
    const auto* var = as<tir::Var>(value);
    if (!var->name.empty() && !(var->name == names_.text(name))) {
      error(statementSpan_, "relax.symbolic-name",
            "the variable is called '" + var->name.string() + "' on the right side and '" + nameText(name) +
                "' on the left");
      return;
    }
    NodeRef old = scope_.lookup(name);
    PrimExpr known = old ? tryPrim(old) : nullptr;
    if (const auto* before = as<tir::Var>(known)) {
      if (before->dtype != var->dtype) {
        error(statementSpan_, "relax.symbolic-dtype",
              "'" + nameText(name) + "' is " + before->dtype.str() + " in the signature, not " + var->dtype.str(),
              "write T." + before->dtype.str() + "()");
        return;
      }
      if (isa<tir::Var>(old)) return;
      return scope_.define(name, known);
    }
    rename(value, names_.str(name));
    return scope_.define(name, value);
  }
  if (const auto* cast = as<relax::MatchCast>(value)) {
    StructInfo info = cast->structInfo;
    if (annotation && !op::sameStructInfo(annotation, info)) {
      // The annotation of 2022 says the type of the tensor where match_shape says its dimensions.
      const auto* a = as<relax::TensorStructInfo>(annotation);
      const auto* b = as<relax::TensorStructInfo>(info);
      if (a && b && b->dtype.isVoid()) {
        info = annotation;
      } else {
        error(statementSpan_, "relax.annotation", "the annotation is not what R.match_cast says", "leave it out");
        return;
      }
    }
    flushPending();
    bool output = false;
    for (const auto& [out, begin] : frame.outputs) output |= out == name && statementSpan_.begin >= begin;
    relax::VarRef var = relax_->builder.emitMatchCast(cast->value, info, names_.str(name), statementSpan_, output);
    takeBuilderErrors(statementSpan_);
    scope_.define(name, var);
    frame.lastVar = var;
    frame.lastName = name;
    return;
  }
  if (isa<ir::VDevice>(value) || isa<ir::DeviceMesh>(value) || isa<relax::StructInfoNode>(value))
    return scope_.define(name, value);
  Expr expr;
  if (isa<ir::IntAttr>(value) || isa<ir::FloatAttr>(value) || isa<ir::BoolAttr>(value)) {
    Args args;
    args.call = valueNode;
    args.values = {value};
    expr = refAs<relax::ExprNode>(rConst(args, 0));
  } else {
    expr = op::toExpr(value);
  }
  if (!expr) {
    error(statementSpan_, "relax.binding", "this can not be bound to a variable");
    return;
  }
  if (isa<relax::Op>(expr)) {
    error(statementSpan_, "relax.binding", "an operator by itself can not be bound to a variable");
    return;
  }
  if (frame.kind == RelaxFrameKind::Then || frame.kind == RelaxFrameKind::Else) {
    frame.pending = {true, name, expr, annotation, statementSpan_};
    return;
  }
  bindExpr(name, expr, annotation, statementSpan_);
}

void Reader::relaxAssign(NodeId target, NodeRef value, NodeId valueNode, const StructInfo& annotation) {
  const SynNode node = at(target);
  if (node.kind == Syn::Name) return relaxBind(node.a, std::move(value), valueNode, annotation);
  if (node.kind != Syn::Tuple && node.kind != Syn::List) {
    error(target, "relax.binding", "only names can be bound");
    return;
  }
  std::vector<NodeId> kids(syntax_->kids(node).begin(), syntax_->kids(node).end());
  if (const auto* array = as<ir::ArrayAttr>(value)) {
    if (array->items.size() != kids.size()) {
      error(target, "relax.binding",
            std::to_string(kids.size()) + " names do not fit " + std::to_string(array->items.size()) + " values");
      return;
    }
    std::vector<NodeId> values(kids.size(), valueNode);
    if (at(valueNode).kind == Syn::Tuple || at(valueNode).kind == Syn::List) {
      values.assign(syntax_->kids(at(valueNode)).begin(), syntax_->kids(at(valueNode)).end());
    }
    for (size_t i = 0; i < kids.size(); ++i) {
      relaxAssign(kids[i], array->items[i], i < values.size() ? values[i] : valueNode, nullptr);
      if (i + 1 < kids.size()) flushPending();
    }
    return;
  }
  Expr expr = op::toExpr(value);
  if (!expr) {
    error(target, "relax.binding", "this value can not be taken apart");
    return;
  }
  Expr tuple = relax_->builder.normalizeArgument(expr);
  takeBuilderErrors(statementSpan_);
  const auto* info = as<relax::TupleStructInfo>(tuple->sinfo);
  if (!info || info->items.size() != kids.size()) {
    error(target, "relax.binding",
          info ? std::to_string(kids.size()) + " names do not fit " + std::to_string(info->items.size()) + " fields"
               : std::string("this value is no tuple, it can not be taken apart"));
    return;
  }
  for (size_t i = 0; i < kids.size(); ++i) {
    relaxAssign(kids[i], make<relax::TupleGetItem>(tuple, static_cast<int64_t>(i)), valueNode, nullptr);
    if (i + 1 < kids.size()) flushPending();
  }
}

namespace {
/// What may be the value of a branch without a binding of its own.
bool isLeafOrTuple(const Expr& e) {
  Kind k = e->kind();
  return (isa<relax::Var>(e) && !isa<relax::DataflowVar>(e)) || k == Kind::relax_Tuple || k == Kind::relax_Constant ||
         k == Kind::relax_ShapeExpr || k == Kind::relax_PrimValue || k == Kind::relax_StringImm ||
         k == Kind::relax_DataTypeImm || k == Kind::relax_GlobalVar || k == Kind::relax_ExternFunc;
}
}  // namespace

// Dataflow ------------------------------------------------------------------------------------------------------------

namespace {
bool identStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool identPart(char c) { return identStart(c) || (c >= '0' && c <= '9'); }
}  // namespace

/// Finds the outputs of a dataflow block before it is read: the names in its R.output, and for each the place of its
/// last binding. Lines of the block are those at the indentation of its first line.
void Reader::openDataflow(const Statement&) {
  RelaxFrame frame(RelaxFrameKind::Dataflow);
  frame.span = statementSpan_;
  uint32_t at = syntax_->bodyBegin();
  // The first line of the body with something on it.
  auto lineEnd = [&](uint32_t from) {
    const void* hit = from < text_.size() ? std::memchr(text_.data() + from, '\n', text_.size() - from) : nullptr;
    return hit ? static_cast<uint32_t>(static_cast<const char*>(hit) - text_.data())
               : static_cast<uint32_t>(text_.size());
  };
  struct Line {
    uint32_t begin, indent;
    NameId name;
  };
  std::vector<std::pair<uint32_t, std::pair<uint32_t, uint32_t>>> lines;  // begin of text, range of its name
  uint32_t indent = 0;
  bool first = true;
  uint32_t output = 0;
  at = lineEnd(at);
  while (at < text_.size()) {
    uint32_t begin = at + 1;
    uint32_t end = lineEnd(begin);
    uint32_t i = begin;
    uint32_t column = 0;
    while (i < end && (text_[i] == ' ' || text_[i] == '\t'))
      column = text_[i++] == '\t' ? column / 8 * 8 + 8 : column + 1;
    at = end;
    if (i >= end || text_[i] == '#' || text_[i] == '\r') continue;
    if (first) indent = column, first = false;
    if (column < indent && text_[i] != ')' && text_[i] != ']' && text_[i] != '}') break;
    if (column != indent) continue;
    std::string_view rest = text_.substr(i, end - i);
    if (rest.starts_with("R.output") || rest.starts_with("relax.output")) {
      output = i;
      break;
    }
    if (identStart(text_[i])) {
      uint32_t stop = i;
      while (stop < end && identPart(text_[stop])) ++stop;
      uint32_t next = stop;
      while (next < end && text_[next] == ' ') ++next;
      if (next < end && (text_[next] == '=' || text_[next] == ':' || text_[next] == ','))
        lines.push_back({i, {i, stop}});
    }
  }
  if (output) {
    uint32_t i = output;
    while (i < text_.size() && text_[i] != '(') ++i;
    uint32_t depth = 0;
    for (; i < text_.size(); ++i) {
      if (text_[i] == '(' || text_[i] == '[') ++depth;
      if ((text_[i] == ')' || text_[i] == ']') && --depth == 0) break;
      if (text_[i] == '#') i = lineEnd(i);
      if (i < text_.size() && identStart(text_[i])) {
        uint32_t stop = i;
        while (stop < text_.size() && identPart(text_[stop])) ++stop;
        frame.outputs.emplace_back(names_.intern(text_.substr(i, stop - i)), 0);
        i = stop - 1;
      }
    }
    // The last binding of each output in the block; earlier ones of the same name stay inside it.
    std::unordered_map<NameId, size_t> index;
    for (size_t k = 0; k < frame.outputs.size(); ++k) index.emplace(frame.outputs[k].first, k);
    for (const auto& [begin, range] : lines) {
      NameId name = names_.find(text_.substr(range.first, range.second - range.first));
      auto found = name == Names::kNone ? index.end() : index.find(name);
      if (found != index.end()) frame.outputs[found->second].second = begin;
    }
  }
  scope_.push();
  relax_->frames.push_back(std::move(frame));
  relax_->builder.beginDataflow();
}

void Reader::closeDataflow() {
  RelaxFrame frame = std::move(relax_->frames.back());
  relax_->frames.pop_back();
  relax_->builder.endDataflow();
  std::vector<std::pair<NameId, NodeRef>> outputs;
  relax::VarRef last;
  NameId lastName = Names::kNone;
  for (const auto& [name, begin] : frame.outputs) {
    NodeRef value = scope_.lookup(name);
    if (isa<relax::Var>(value)) {
      outputs.emplace_back(name, value);
      if (frame.lastVar && frame.lastVar == value) last = frame.lastVar, lastName = name;
    }
  }
  scope_.pop();
  for (auto& [name, value] : outputs) scope_.define(name, std::move(value));
  RelaxFrame& outer = relax_->frames.back();
  outer.lastVar = last;
  outer.lastName = lastName;
}

// Functions -----------------------------------------------------------------------------------------------------------

namespace {
/// The names of dimensions that stand alone in texts of a signature.
void symbolsOf(Syntax& syntax, NodeId id, std::vector<std::pair<NameId, NodeId>>& out) {
  std::vector<NodeId> stack{id};
  while (!stack.empty()) {
    NodeId next = stack.back();
    stack.pop_back();
    if (!next) continue;
    const SynNode& n = syntax.node(next);
    switch (n.kind) {
      case Syn::Text: {
        std::string_view text;
        if (syntax.plainText(next, text) && !text.empty() && identStart(text[0]) &&
            std::all_of(text.begin(), text.end(), identPart)) {
          out.emplace_back(syntax.names().intern(text), next);
        }
        break;
      }
      case Syn::Call:
      case Syn::Index:
      case Syn::Tuple:
      case Syn::List: {
        auto kids = syntax.kids(n);
        for (size_t i = kids.size(); i-- > 0;) stack.push_back(kids[i]);
        break;
      }
      case Syn::Keyword:
        if (syntax.names().text(n.b) != "dtype" && syntax.names().text(n.b) != "vdevice" &&
            syntax.names().text(n.b) != "device_mesh" && syntax.names().text(n.b) != "placement" &&
            syntax.names().text(n.b) != "derive_func") {
          stack.push_back(n.a);
        }
        break;
      default:
        break;
    }
  }
}
}  // namespace

/// Evaluates parameters and return annotation in the present scope, which gets the parameters and symbolic variables.
bool Reader::relaxSignature(const Statement& head, std::vector<relax::VarRef>& params, StructInfo& ret) {
  bool ok = true;
  defineTypeVars();
  relax_->symbolicTexts = newSymbols_ = true;
  // Only texts inside lists are dimensions; a type such as "float32" stands outside of any.
  auto collect = [&](NodeId annotation) {
    std::vector<NodeId> stack{annotation};
    std::vector<std::pair<NameId, NodeId>> found;
    while (!stack.empty()) {
      NodeId id = stack.back();
      stack.pop_back();
      if (!id) continue;
      const SynNode n = at(id);
      if (n.kind == Syn::Tuple || n.kind == Syn::List) {
        symbolsOf(*syntax_, id, found);
        continue;
      }
      if (n.kind == Syn::Keyword) {
        std::string_view key = names_.text(n.b);
        if (key == "value") symbolsOf(*syntax_, n.a, found);
        stack.push_back(n.a);
        continue;
      }
      if (n.kind == Syn::Call || n.kind == Syn::Index) {
        auto kids = syntax_->kids(n);
        for (size_t i = kids.size(); i-- > 0;) stack.push_back(kids[i]);
      }
    }
    for (const auto& [name, node] : found) {
      if (DataType::parse(names_.text(name)) || scope_.lookup(name)) continue;
      scope_.define(name, make<tir::Var>(names_.str(name), DataType::Int(64)));
    }
  };
  // Parameters are visible to the annotations that follow them, and to those before in texts.
  for (const Param& param : head.params) collect(param.annotation);
  for (const Param& param : head.params) {
    Span span{param.begin, param.end, file_};
    statementSpan_ = span;
    if (!param.annotation) {
      error(span, "relax.annotation", "the parameter '" + nameText(param.name) + "' has no annotation",
            "write R.Tensor(...), R.Shape(...), R.Prim(...) or R.Object");
      ok = false;
      continue;
    }
    NodeRef value = eval(param.annotation);
    StructInfo info = value ? toSinfo(value, param.annotation) : nullptr;
    if (!info) {
      ok = false;
      continue;
    }
    const auto* prim = as<relax::PrimStructInfo>(info);
    if (isa<ir::TypeAttr>(value) && prim && prim->dtype == DataType::Int(64)) {
      // `n: T.int64` (v0.26): the parameter is a symbolic variable itself.
      PrimExpr known = tryPrim(scope_.lookup(param.name));
      if (!known) known = make<tir::Var>(names_.str(param.name), DataType::Int(64));
      info = make<relax::PrimStructInfo>(known);
    }
    auto var = withSpan(make<relax::Var>(names_.str(param.name), info), span);
    params.push_back(var);
    scope_.define(param.name, var);
  }
  if (head.a) {
    collect(head.a);
    NodeRef value = eval(head.a);
    ret = value ? toSinfo(value, head.a) : nullptr;
    ok &= ret != nullptr;
  }
  relax_->symbolicTexts = newSymbols_ = false;
  return ok;
}

bool Reader::openFunction(const Statement& head, bool isPrivate, bool pure, bool local) {
  statementSpan_ = {head.begin, head.end, file_};
  RelaxFrame frame(RelaxFrameKind::Function);
  frame.span = statementSpan_;
  frame.name = head.name;
  frame.pure = pure;
  frame.isPrivate = isPrivate || local;
  frame.local = local;
  std::vector<relax::VarRef> params;
  relax::StructInfo ret;
  scope_.push();
  bool ok = relaxSignature(head, params, ret);
  if (!ok) {
    scope_.pop();
    return false;
  }
  frame.ret = ret;
  if (local) {
    std::vector<StructInfo> infos;
    for (const auto& p : params) infos.push_back(p->sinfo);
    auto signature =
        make<relax::FuncStructInfo>(Array<StructInfo>(std::move(infos)), ret ? ret : relax::objectSinfo(), pure);
    frame.self = make<relax::Var>(names_.str(head.name), signature);
    scope_.define(head.name, frame.self);
    for (const Param& p : head.params) {
      if (p.name != head.name) continue;
      for (const auto& v : params) {
        if (v->name == names_.text(p.name)) scope_.define(p.name, v);
      }
    }
  }
  relax_->frames.push_back(std::move(frame));
  relax_->builder.beginFunction(Array<relax::VarRef>(std::move(params)));
  return true;
}

relax::FunctionRef Reader::closeFunction() {
  RelaxFrame frame = std::move(relax_->frames.back());
  relax_->frames.pop_back();
  scope_.pop();
  Expr output = frame.output;
  if (!output) {
    error(frame.span, "relax.no-return", "the function '" + nameText(frame.name) + "' returns nothing",
          "end it with a return");
    output = make<relax::Tuple>(Array<Expr>());
  }
  bool symbol = false;
  for (const auto& [key, value] : frame.attrs) symbol |= key == "global_symbol";
  if (symbol && frame.isPrivate && !frame.local) {
    error(frame.span, "relax.private", "a private function can not have the attribute 'global_symbol'",
          "remove the attribute, or private=True");
  }
  if (!frame.isPrivate && !symbol) frame.attrs.emplace_back(Str("global_symbol"), ir::strAttr(names_.str(frame.name)));
  ir::Attrs attrs;
  if (!frame.attrs.empty()) attrs = make<ir::DictAttrs>(frame.attrs);
  relax::FunctionRef function = relax_->builder.endFunction(output, frame.ret, frame.pure, attrs, true);
  takeBuilderErrors(frame.span);
  if (!function) return nullptr;
  const_cast<relax::Function*>(function.get())->span = frame.span;
  if (!frame.local || relax_->frames.empty()) return function;
  // A local function is bound to the variable that its own body calls, unless its signature became better known.
  relax::VarRef self = frame.self;
  RelaxFrame& outer = relax_->frames.back();
  bool flow = outer.kind == RelaxFrameKind::Dataflow;
  bool output2 = false;
  for (const auto& [out, begin] : outer.outputs) output2 |= out == frame.name;
  if (!op::sameStructInfo(self->sinfo, function->sinfo) || (flow && !output2)) {
    self = flow && !output2 ? relax::VarRef(make<relax::DataflowVar>(names_.str(frame.name), function->sinfo))
                            : make<relax::Var>(names_.str(frame.name), function->sinfo);
  }
  auto binding = make<relax::VarBinding>(self, Expr(function));
  const_cast<relax::VarBinding*>(binding.get())->span = frame.span;
  relax_->builder.emitBinding(binding);
  scope_.define(frame.name, self);
  outer.lastVar = self;
  outer.lastName = frame.name;
  return function;
}

void Reader::closeRelaxFrame() {
  RelaxFrame& frame = relax_->frames.back();
  if (frame.kind == RelaxFrameKind::Dataflow) return closeDataflow();
  if (frame.kind == RelaxFrameKind::Function) {
    closeFunction();
    return;
  }
  // A branch: its last binding names and gives its value; a leaf bound last is the value itself.
  NameId name = frame.lastName;
  Expr body = frame.lastVar;
  if (frame.pending.set) {
    name = frame.pending.name;
    if (isLeafOrTuple(frame.pending.value)) {
      body = frame.pending.value;
      frame.pending = {};
    } else {
      flushPending();
      body = relax_->frames.back().lastVar;
    }
  }
  RelaxFrame branch = std::move(relax_->frames.back());
  relax_->frames.pop_back();
  scope_.pop();
  if (const auto* tuple = body ? as<relax::TupleStructInfo>(body->sinfo) : nullptr; tuple && tuple->items.empty()) {
    body = make<relax::Tuple>(Array<Expr>());
  }
  if (!body) {
    error(branch.span, "relax.branch", "a branch must end with a binding",
          "bind the result of both branches to one name");
    body = make<relax::Tuple>(Array<Expr>());
  }
  relax::SeqRef seq = relax_->builder.endSeq(body);
  takeBuilderErrors(branch.span);
  if (branch.kind == RelaxFrameKind::Then) {
    if (!syntax_->atElse()) {
      error(branch.span, "relax.branch", "an 'if' of Relax needs an 'else'", "bind the same name in both branches");
      return;
    }
    RelaxFrame other(RelaxFrameKind::Else);
    other.span = branch.span;
    other.cond = branch.cond;
    other.thenBranch = seq;
    other.thenName = name;
    scope_.push();
    relax_->builder.beginSeq();
    relax_->frames.push_back(std::move(other));
    return;
  }
  if (branch.thenName != name && name != Names::kNone && branch.thenName != Names::kNone) {
    error(branch.span, "relax.branch",
          "both branches must end by binding the same name: the first binds '" + nameText(branch.thenName) +
              "', the other '" + nameText(name) + "'");
  }
  if (name == Names::kNone || branch.thenName == Names::kNone) return;
  Expr choice = withSpan(make<relax::If>(branch.cond, branch.thenBranch, seq), branch.span);
  Span saved = statementSpan_;
  statementSpan_ = branch.span;
  RelaxFrame& outer = relax_->frames.back();
  if (outer.kind == RelaxFrameKind::Then || outer.kind == RelaxFrameKind::Else) {
    outer.pending = {true, name, choice, nullptr, branch.span};
  } else {
    bindExpr(name, choice, nullptr, branch.span);
  }
  statementSpan_ = saved;
}

relax::FunctionRef Reader::readRelaxFunction(const Statement& head, bool isPrivate, bool pure) {
  relax_->frames.clear();
  if (!openFunction(head, isPrivate, pure, false)) {
    failed_ = true;
    syntax_->skipBody();
    return nullptr;
  }
  relaxBody();
  relax::FunctionRef function;
  while (!relax_->frames.empty()) {
    if (relax_->frames.size() == 1) {
      function = closeFunction();
    } else {
      closeRelaxFrame();
    }
  }
  return function;
}

void Reader::relaxBody() {
  Statement s;
  while (true) {
    syntax_->next(s);
    takeSyntaxErrors();
    if (s.kind == StmtKind::End) return;
    if (options_.cancel.cancelled() || diagnostics_.size() >= options_.maxErrors) {
      failed_ = true;
      return;
    }
    if (s.kind == StmtKind::BlockEnd) {
      if (relax_->frames.size() == 1) return;
      closeRelaxFrame();
      continue;
    }
    relaxStatement(s);
  }
}

void Reader::relaxStatement(Statement& s) {
  statementSpan_ = {s.begin, s.end, file_};
  flushPending();
  RelaxFrame& frame = relax_->frames.back();
  auto tooDeep = [&] {
    if (relax_->frames.size() < kMaxNesting + 8) return false;
    error(statementSpan_, "script.nesting", "more than " + std::to_string(kMaxNesting) + " blocks are open here");
    syntax_->skipBody();
    return true;
  };
  if (frame.kind == RelaxFrameKind::Function && frame.output && s.kind != StmtKind::Pass) {
    error(statementSpan_, "relax.return", "nothing can follow the return of a function");
    syntax_->skipBody();
    return;
  }
  if (frame.kind == RelaxFrameKind::Dataflow && frame.outputDone && s.kind != StmtKind::Pass &&
      s.kind != StmtKind::Error) {
    error(statementSpan_, "relax.output", "nothing can follow R.output in its block",
          "move it before R.output, or behind the block");
    syntax_->skipBody();
    return;
  }
  switch (s.kind) {
    case StmtKind::Error:
    case StmtKind::Pass:
      return;
    case StmtKind::Expr: {
      if (at(s.a).kind == Syn::Text || at(s.a).kind == Syn::Ellipsis) return;
      NodeRef value;
      if (at(s.a).kind == Syn::Call) {
        NameId base;
        std::string path;
        if (dottedPath(at(s.a).a, base, path) && path == "output") {
          Args args;
          if (!readArgs(s.a, args)) return;
          rOutput(args, 0);
          return;
        }
      }
      value = eval(s.a);
      if (!value || isa<ir::NullAttr>(value)) return;
      if (const auto* cast = as<relax::MatchCast>(value)) {
        relax_->builder.emitMatchCast(cast->value, cast->structInfo, names_.str(names_.intern("_")), statementSpan_);
        takeBuilderErrors(statementSpan_);
        return;
      }
      Expr expr = op::toExpr(value);
      if (!expr) {
        error(statementSpan_, "relax.statement", "this does nothing as a statement");
        return;
      }
      if (frame.kind == RelaxFrameKind::Then || frame.kind == RelaxFrameKind::Else) {
        frame.pending = {true, names_.intern("_"), expr, nullptr, statementSpan_};
        return;
      }
      relax::VarRef var = relax_->builder.emit(expr, names_.str(names_.intern("_")), nullptr, statementSpan_);
      takeBuilderErrors(statementSpan_);
      const auto* tuple = as<relax::TupleStructInfo>(var->sinfo);
      if (!tuple || !tuple->items.empty()) {
        error(statementSpan_, "relax.unused-value", "a value that is not void must be bound to a name",
              "write `_ = ...`");
      }
      return;
    }
    case StmtKind::Assign: {
      if (s.items.size() > 1) {
        error(statementSpan_, "script.unsupported", "assignments like 'a = b = c' are not understood",
              "write one assignment each");
        return;
      }
      NodeRef value = eval(s.b);
      if (value) return relaxAssign(s.items[0], std::move(value), s.b, nullptr);
      // What the statement would have bound is known as an object, so that one error does not cause more.
      if (at(s.items[0]).kind == Syn::Name && !scope_.lookup(at(s.items[0]).a)) {
        scope_.define(at(s.items[0]).a, make<relax::Var>(names_.str(at(s.items[0]).a), relax::objectSinfo()));
      }
      if (at(s.items[0]).kind == Syn::Name) {
        frame.lastName = at(s.items[0]).a;
        frame.lastVar = refAs<relax::Var>(scope_.lookup(frame.lastName));
      }
      return;
    }
    case StmtKind::AnnAssign: {
      NodeRef annotation = eval(s.b);
      StructInfo info = annotation ? toSinfo(annotation, s.b) : nullptr;
      NodeRef value =
          s.c ? eval(s.c) : error(statementSpan_, "relax.binding", "a declaration without a value is not understood");
      if (info && value) return relaxAssign(s.a, std::move(value), s.c, info);
      if (at(s.a).kind == Syn::Name) {
        scope_.define(at(s.a).a, make<relax::Var>(names_.str(at(s.a).a), info ? info : relax::objectSinfo()));
        frame.lastName = at(s.a).a;
      }
      return;
    }
    case StmtKind::Return: {
      if (frame.kind != RelaxFrameKind::Function) {
        error(statementSpan_, "relax.return", "a return can not stand inside a block or a branch");
        return;
      }
      NodeRef value =
          s.a ? eval(s.a)
              : error(statementSpan_, "relax.return", "a function returns a value", "return R.tuple() for nothing");
      Expr expr = value ? op::toExpr(value) : Expr(make<relax::Tuple>(Array<Expr>()));
      if (isa<relax::MatchCast>(value)) expr = nullptr;
      if (!expr) {
        error(statementSpan_, "relax.return", "this can not be returned");
        expr = make<relax::Tuple>(Array<Expr>());
      }
      frame.output = expr;
      return;
    }
    case StmtKind::With: {
      NameId base;
      std::string path;
      NodeId context = s.items[0];
      bool flow = s.items.size() == 2 && at(context).kind == Syn::Call && dottedPath(at(context).a, base, path) &&
                  path == "dataflow";
      if (!flow) {
        error(statementSpan_, "relax.statement", "only R.dataflow() can open a block of Relax");
        return syntax_->skipBody();
      }
      if (frame.kind == RelaxFrameKind::Dataflow) {
        error(statementSpan_, "relax.dataflow", "a dataflow block can not stand inside another");
        return syntax_->skipBody();
      }
      return openDataflow(s);
    }
    case StmtKind::If: {
      if (frame.kind == RelaxFrameKind::Dataflow) {
        error(statementSpan_, "relax.dataflow", "an 'if' can not stand inside a dataflow block");
        syntax_->skipBody();
        return;
      }
      if (tooDeep()) return;
      NodeRef value = eval(s.a);
      Expr cond = value ? op::toExpr(value) : nullptr;
      if (!cond) cond = make<relax::Tuple>(Array<Expr>());
      cond = relax_->builder.normalizeArgument(cond);
      takeBuilderErrors(statementSpan_);
      RelaxFrame branch(RelaxFrameKind::Then);
      branch.span = statementSpan_;
      branch.cond = cond;
      scope_.push();
      relax_->builder.beginSeq();
      relax_->frames.push_back(std::move(branch));
      return;
    }
    case StmtKind::Else:
      if (frame.kind == RelaxFrameKind::Else) return;
      [[fallthrough]];
    case StmtKind::Elif:
      error(statementSpan_, "relax.branch", "'elif' is not understood in Relax", "write an 'if' inside the 'else'");
      return syntax_->skipBody();
    case StmtKind::Def: {
      std::string kind;
      bool isPrivate = false, pure = true, sTir = false;
      if (!decorators(s, kind, isPrivate, pure, sTir)) {
        error(statementSpan_, "script.python", "a Python function inside a Relax function is not understood",
              "write @R.function before it");
        return syntax_->skipBody();
      }
      if (kind != "relax") {
        error(statementSpan_, "relax.inline-primfunc", "a TIR function can not stand inside a Relax function",
              "make it a member of the module");
        return syntax_->skipBody();
      }
      if (tooDeep()) return;
      if (!openFunction(s, isPrivate, pure, true)) syntax_->skipBody();
      return;
    }
    default:
      error(statementSpan_, "script.python", "this statement needs Python to be run, which this reader never does");
      syntax_->skipBody();
  }
}

}  // namespace rx::script
