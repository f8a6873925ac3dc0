// Modules: members, in two passes. The first declares every name (and reads TIR functions whole, whose signatures are
// in their bodies); the second reads the Relax functions, in text order.
#include "core/script/relax_reader.h"

namespace rx::script {

struct Reader::Member {
  NameId name = Names::kNone;
  relax::GlobalVarRef var;
  uint32_t begin = 0, end = 0;  ///< of a Relax function that is read later
  bool isPrivate = false, pure = true;
};

Reader::Reader(std::string_view text, uint32_t file, Names& names, const EraHints& hints, const ParseOptions& options)
    : text_(text), file_(file), names_(names), hints_(hints), options_(options) {
  kT_ = names.intern("T");
  kR_ = names.intern("R");
  kI_ = names.intern("I");
  relax_ = std::make_unique<Relax>();
}
Reader::~Reader() = default;

/// What the decorators of a function say. False when none of them is of a dialect.
bool Reader::decorators(const Statement& s, std::string& kind, bool& isPrivate, bool& pure, bool& sTir) {
  bool found = false;
  for (NodeId id : s.decorators) {
    NodeId callee = at(id).kind == Syn::Call ? at(id).a : id;
    NameId base;
    std::string path;
    if (!dottedPath(callee, base, path)) continue;
    std::string_view last =
        std::string_view(path).substr(path.rfind('.') == std::string::npos ? 0 : path.rfind('.') + 1);
    std::string_view root = names_.text(base);
    if (last == "function" && (root == "R" || path.find("relax") != std::string::npos || root == "relax")) {
      kind = "relax";
    } else if (last == "prim_func") {
      kind = "tir";
    } else if (last == "pyfunc" || last == "macro" || last == "inline" || last == "rewriter") {
      kind = std::string(last);
    } else {
      continue;
    }
    found = true;
    if (at(id).kind != Syn::Call) continue;
    for (NodeId kid : syntax_->kids(at(id))) {
      if (at(kid).kind != Syn::Keyword) continue;
      bool value = at(at(kid).a).kind == Syn::True;
      std::string_view name = names_.text(at(kid).b);
      if (name == "private") isPrivate = value;
      if (name == "pure") pure = value;
      if (name == "s_tir") sTir = value;
    }
  }
  return found;
}

void Reader::classStatement(const Statement& s, std::vector<Member>& members) {
  statementSpan_ = {s.begin, s.end, file_};
  if (s.kind == StmtKind::Expr) {
    if (at(s.a).kind != Syn::Text && at(s.a).kind != Syn::Ellipsis) eval(s.a);
    return;
  }
  if (s.kind == StmtKind::Pass || s.kind == StmtKind::Error) return;
  if (s.kind == StmtKind::Assign && s.items.size() == 1 && at(s.items[0]).kind == Syn::Name) {
    NodeRef value = eval(s.b);
    if (!value) return;
    NameId name = at(s.items[0]).a;
    if (!isa<relax::ExternFunc>(value)) {
      scope_.define(name, value);
      return;
    }
    auto function = refAs<relax::ExternFunc>(value);
    auto var = relax_->module.declare(names_.text(name), function->sinfo);
    relax_->module.update(var, function);
    return;
  }
  if (s.kind != StmtKind::Def) {
    error(statementSpan_, "script.python", "this statement needs Python to be run, which this reader never does");
    syntax_->skipBody();
    return;
  }
  Member member;
  member.name = s.name;
  member.begin = s.begin;
  std::string kind;
  bool sTir = false;
  if (!decorators(s, kind, member.isPrivate, member.pure, sTir) || kind == "pyfunc" || kind == "macro" ||
      kind == "inline" || kind == "rewriter") {
    error(statementSpan_, "script.python",
          "'" + nameText(s.name) + "' is a Python function, which this reader never runs",
          "decorate it with @R.function or @T.prim_func");
    syntax_->skipBody();
    return;
  }
  if (relax_->module.find(names_.text(s.name))) {
    error(statementSpan_, "script.duplicate", "the module has a function '" + nameText(s.name) + "' already",
          "give it another name");
    syntax_->skipBody();
    return;
  }
  if (kind == "tir") {
    member.var = relax_->module.declare(names_.text(s.name), relax::objectSinfo());
    ir::BaseFunc function = readPrimFunc(s, member.isPrivate, sTir);
    if (function) relax_->module.update(member.var, function);
    return;
  }
  scope_.push();
  std::vector<relax::VarRef> params;
  relax::StructInfo ret;
  // Errors of the signature are reported when the function is read.
  size_t errors = diagnostics_.size();
  bool failed = failed_;
  bool ok = relaxSignature(s, params, ret);
  diagnostics_.resize(std::min(errors, diagnostics_.size()));
  failed_ = failed;
  scope_.pop();
  relax::StructInfo signature = relax::objectSinfo();
  if (ok) {
    std::vector<relax::StructInfo> infos;
    for (const auto& p : params) infos.push_back(p->sinfo);
    signature = make<relax::FuncStructInfo>(Array<relax::StructInfo>(std::move(infos)),
                                            ret ? ret : relax::objectSinfo(), member.pure);
  }
  member.var = relax_->module.declare(names_.text(s.name), signature);
  syntax_->skipBody();
  members.push_back(member);
}

namespace {
uint32_t lineStart(std::string_view text, uint32_t at) {
  while (at > 0 && text[at - 1] != '\n') --at;
  return at;
}
}  // namespace

ir::Module Reader::readModule(uint32_t begin, uint32_t end, NameId& name) {
  Syntax syntax(text_, begin, end, file_, names_);
  syntax_ = &syntax;
  Statement s;
  syntax.next(s);
  takeSyntaxErrors();
  if (s.kind != StmtKind::Class) {
    if (!failed_) error({s.begin, s.end, file_}, "script.syntax", "a class is needed behind @I.ir_module");
    return nullptr;
  }
  name = s.name;
  moduleMarker_ = make<ir::IRModule>();
  scope_.push();
  scope_.define(s.name, moduleMarker_);
  std::vector<Member> members;
  while (true) {
    syntax.next(s);
    takeSyntaxErrors();
    if (s.kind == StmtKind::End || s.kind == StmtKind::BlockEnd || diagnostics_.size() >= options_.maxErrors) break;
    if (!members.empty() && !members.back().end) members.back().end = lineStart(text_, s.begin);
    classStatement(s, members);
    takeSyntaxErrors();
  }
  if (!members.empty() && !members.back().end) members.back().end = end;
  for (const Member& member : members) {
    if (options_.cancel.cancelled() || diagnostics_.size() >= options_.maxErrors) break;
    Syntax body(text_, lineStart(text_, member.begin), member.end, file_, names_);
    syntax_ = &body;
    body.next(s);
    takeSyntaxErrors();
    if (s.kind != StmtKind::Def) continue;
    relax::FunctionRef function = readRelaxFunction(s, member.isPrivate, member.pure);
    takeSyntaxErrors();
    if (function) relax_->module.update(member.var, function);
    syntax_ = nullptr;
  }
  syntax_ = nullptr;
  scope_.pop();
  return finishModule();
}

ir::Module Reader::readFunction(uint32_t begin, uint32_t end) {
  Syntax syntax(text_, begin, end, file_, names_);
  syntax_ = &syntax;
  lone_ = true;
  Statement s;
  syntax.next(s);
  takeSyntaxErrors();
  std::string kind;
  bool isPrivate = false, pure = true, sTir = false;
  if (s.kind != StmtKind::Def || !decorators(s, kind, isPrivate, pure, sTir)) {
    if (!failed_) error({s.begin, s.end, file_}, "script.syntax", "a function is needed behind the decorator");
    return nullptr;
  }
  scope_.push();
  // The name of a lone function is not part of it; only a public one carries its own.
  auto var = relax_->module.declare(isPrivate ? std::string_view("main") : names_.text(s.name), relax::objectSinfo());
  if (kind == "relax") scope_.define(s.name, var);
  ir::BaseFunc function;
  if (kind == "tir") {
    function = readPrimFunc(s, isPrivate, sTir);
  } else {
    {
      scope_.push();
      std::vector<relax::VarRef> params;
      relax::StructInfo ret;
      size_t errors = diagnostics_.size();
      bool failed = failed_;
      if (relaxSignature(s, params, ret)) {
        std::vector<relax::StructInfo> infos;
        for (const auto& p : params) infos.push_back(p->sinfo);
        const_cast<relax::GlobalVar*>(var.get())->sinfo = make<relax::FuncStructInfo>(
            Array<relax::StructInfo>(std::move(infos)), ret ? ret : relax::objectSinfo(), pure);
      }
      diagnostics_.resize(std::min(errors, diagnostics_.size()));
      failed_ = failed;
      scope_.pop();
    }
    function = readRelaxFunction(s, isPrivate, pure);
  }
  takeSyntaxErrors();
  syntax_ = nullptr;
  scope_.pop();
  if (!function) {
    failed_ = true;
    return nullptr;
  }
  // A symbol that the text gives names the function; a private one has none.
  std::string_view symbol = ir::strAttrOf(function->attrs, "global_symbol");
  if (!symbol.empty() && !(var->name == symbol)) {
    relax_->module.remove(var->name.view());
    var = relax_->module.declare(symbol, relax::objectSinfo());
  }
  relax_->module.update(var, function);
  return finishModule();
}

ir::Module Reader::finishModule() {
  if (options_.cancel.cancelled()) {
    error({}, "script.cancelled", "reading was cancelled");
    return nullptr;
  }
  if (failed_) return nullptr;
  relax_->module.setAttrs(relax_->attrs);
  return relax_->module.module();
}

}  // namespace rx::script
