// Modules: members, in two passes. The first declares every name with what its head says; the second reads the
// functions: those of TIR first, whose signatures are in their bodies, then those of Relax, each in text order.
#include <algorithm>

#include "core/ir/structural_equal.h"
#include "core/script/relax_reader.h"
#include "core/support/nearest.h"

namespace rx::script {

struct Reader::Member {
  NameId name = Names::kNone;
  relax::GlobalVarRef var;
  uint32_t begin = 0, end = 0;
  bool isTir = false, sTir = false;
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

void Reader::warnDecorators(std::span<const NodeId> unknown) {
  for (NodeId id : unknown) {
    warning(spanOf(id), "script.decorator",
            "the decorator '@" + std::string(syntax_->textOf(id)) + "' is Python code: it is not run");
  }
}

/// What the decorators of a function say. False when none of them is of a dialect.
bool Reader::decorators(const Statement& s, std::string& kind, bool& isPrivate, bool& pure, bool& sTir) {
  bool found = false;
  std::vector<NodeId> unknown;
  for (NodeId id : s.decorators) {
    NodeId callee = at(id).kind == Syn::Call ? at(id).a : id;
    NameId base;
    std::string path;
    if (!dottedPath(callee, base, path)) {
      unknown.push_back(id);
      continue;
    }
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
      if (last != "ir_module") unknown.push_back(id);
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
  if (found) warnDecorators(unknown);
  return found;
}

template <class Read>
auto Reader::withoutErrors(Read&& read) {
  const size_t errors = diagnostics_.size();
  const bool failed = failed_;
  const bool metadataLost = metadataLost_;
  auto lost = lost_;
  scope_.push();
  auto result = read();
  scope_.pop();
  lost_ = std::move(lost);
  if (metadataLost_ && !metadataLost) metadata_.reset();  // to be read, and its error said, again
  metadataLost_ = metadataLost;
  diagnostics_.resize(std::min(errors, diagnostics_.size()));
  failed_ = failed;
  return result;
}

relax::StructInfo Reader::declaredSignature(const Statement& s, bool pure) {
  return withoutErrors([&]() -> relax::StructInfo {
    std::vector<relax::VarRef> params;
    relax::StructInfo ret;
    if (!relaxSignature(s, params, ret)) return nullptr;
    std::vector<relax::StructInfo> infos;
    for (const auto& p : params) infos.push_back(p->sinfo);
    return make<relax::FuncStructInfo>(Array<relax::StructInfo>(std::move(infos)), ret ? ret : relax::objectSinfo(),
                                       pure);
  });
}

std::optional<DataType> Reader::declaredReturn(const Statement& s) {
  return withoutErrors([&]() -> std::optional<DataType> {
    if (!s.a) return std::nullopt;
    const tir::Type type = toTirType(eval(s.a));
    const auto* prim = as<tir::PrimType>(type);
    return prim ? std::optional(prim->dtype) : std::nullopt;
  });
}

/// What Python itself runs is for the module a function of the outside, as TVM has it: the others can be read and run.
void Reader::pythonMember(const Statement& s) {
  const std::string_view name = names_.text(s.name);
  warning(statementSpan_, "script.python-function",
          "'" + nameText(s.name) + "' is a Python function: it is not run here");
  syntax_->skipBody();
  if (relax_->module.find(name)) return;
  const auto function = withSpan(make<relax::ExternFunc>(Str(name), nullptr), statementSpan_);
  relax_->module.update(relax_->module.declare(name, function->sinfo), function);
  members_.push_back(s.name);
}

void Reader::classStatement(const Statement& s, std::vector<Member>& members) {
  statementSpan_ = {s.begin, s.end, file_};
  if (s.kind == StmtKind::Expr) {
    if (at(s.a).kind != Syn::Text && at(s.a).kind != Syn::Ellipsis) eval(s.a);
    return;
  }
  if (s.kind == StmtKind::Error && s.name != Names::kNone) lostFunctions_.insert(s.name);
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
  const bool ofDialect = decorators(s, kind, member.isPrivate, member.pure, member.sTir);
  if (kind == "pyfunc") return pythonMember(s);
  if (!ofDialect || kind == "macro" || kind == "inline" || kind == "rewriter") {
    const NodeId decorator = s.decorators.empty() ? kNoNode : s.decorators.back();
    Nearest nearest(syntax_->textOf(at(decorator).kind == Syn::Call ? at(decorator).a : decorator));
    for (const char* known : {"R.function", "T.prim_func"}) nearest.offer(known);
    std::string fix = nearest.fix("@");
    if (fix.empty()) fix = "decorate it with @R.function or @T.prim_func";
    lostFunctions_.insert(s.name);
    error(statementSpan_, "script.python",
          "'" + nameText(s.name) + "' is a Python function, which this reader never runs", std::move(fix));
    syntax_->skipBody();
    return;
  }
  if (relax_->module.find(names_.text(s.name))) {
    error(statementSpan_, "script.duplicate", "the module has a function '" + nameText(s.name) + "' already",
          "give it another name");
    syntax_->skipBody();
    return;
  }
  member.isTir = kind == "tir";
  if (member.isTir) {
    member.var = relax_->module.declare(names_.text(s.name), relax::objectSinfo());
    if (auto type = declaredReturn(s)) relax_->primReturns.emplace(member.var->name.string(), *type);
  } else {
    relax::StructInfo signature = declaredSignature(s, member.pure);
    member.var = relax_->module.declare(names_.text(s.name), signature ? signature : relax::objectSinfo());
  }
  syntax_->skipBody();
  members_.push_back(member.name);
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
  std::vector<NodeId> unknown;
  for (NodeId id : s.decorators) {
    if (syntax.textOf(id).find("ir_module") == std::string_view::npos) unknown.push_back(id);
  }
  warnDecorators(unknown);
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
  for (bool isTir : {true, false}) {
    for (size_t i = 0; i < members.size(); ++i) {
      const size_t index = order_ ? order_->order[i] : i;
      if (options_.cancel.cancelled() || diagnostics_.size() >= options_.maxErrors) break;
      if (members[index].isTir == isTir) readMember(members[index], order_ && order_->circular[index]);
    }
  }
  if (!order_ && !failed_ && !relax_->valueUses.empty()) orderByValues(members);
  syntax_ = nullptr;
  scope_.pop();
  return finishModule();
}

/// Sets betterOrder_ where the order of the text gave a function as a value another type than it has.
void Reader::orderByValues(std::span<const Member> members) {
  std::unordered_map<std::string_view, size_t> indices;
  for (size_t i = 0; i < members.size(); ++i) indices.emplace(names_.text(members[i].name), i);
  auto indexOf = [&](const relax::GlobalVarRef& var) {
    const auto found = indices.find(var->name.view());
    return found == indices.end() || members[found->second].isTir ? members.size() : found->second;
  };
  auto isAsDeclared = [&](size_t index) {
    const ir::BaseFunc function = relax_->module.functionOf(members[index].var.get());
    return !function || structuralEqual(members[index].var->sinfo, function->sinfo);
  };
  std::vector<std::pair<size_t, size_t>> uses;
  bool early = false;
  for (const Relax::ValueUse& use : relax_->valueUses) {
    const size_t user = indexOf(use.user), used = indexOf(use.used);
    if (user == members.size() || used == members.size()) continue;
    uses.emplace_back(user, used);
    early |= used > user && !isAsDeclared(used);
  }
  ValueOrder order = valueOrder(members.size(), uses);
  for (size_t i = 0; i < members.size(); ++i) early |= order.circular[i] && !isAsDeclared(i);
  if (early) betterOrder_ = std::move(order);
}

void Reader::readMember(const Member& member, bool circular) {
  Syntax body(text_, lineStart(text_, member.begin), member.end, file_, names_);
  syntax_ = &body;
  Statement s;
  body.next(s);
  takeSyntaxErrors();
  ir::BaseFunc function;
  if (s.kind == StmtKind::Def) {
    function = member.isTir ? readPrimFunc(s, member.isPrivate, member.sTir)
                            : ir::BaseFunc(readRelaxFunction(s, member.var, member.isPrivate, member.pure, circular));
  }
  takeSyntaxErrors();
  if (function) relax_->module.update(member.var, function);
  syntax_ = nullptr;
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
  if (kind == "relax" && !isDialect(s.name)) scope_.define(s.name, var);
  ir::BaseFunc function;
  if (kind == "tir") {
    function = readPrimFunc(s, isPrivate, sTir);
  } else {
    if (auto signature = declaredSignature(s, pure)) const_cast<relax::GlobalVar*>(var.get())->sinfo = signature;
    function = readRelaxFunction(s, var, isPrivate, pure);
  }
  takeSyntaxErrors();
  syntax_ = nullptr;
  scope_.pop();
  if (!function) {
    failed_ = true;
    return nullptr;
  }
  // A symbol that the text gives names the function, where it can; a private one has none.
  std::string_view symbol = ir::strAttrOf(function->attrs, "global_symbol");
  if (isIdentifier(symbol) && !(var->name == symbol)) {
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
  if (failed_) {
    if (diagnostics_.empty()) error({}, "script.syntax", "the text can not be read");
    return nullptr;
  }
  warnMissing();
  relax_->module.facts().beforePurity = hints_.beforePurity;
  relax_->module.setAttrs(relax_->attrs);
  return relax_->module.module();
}

}  // namespace rx::script
