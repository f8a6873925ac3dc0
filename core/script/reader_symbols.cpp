// Symbolic variables that a signature defines: the names in its dimensions that are written as texts, `"n"` or
// `"T.max(n, 1) + m"`. Their element type is the one that the body declares, `n = T.int64()`.
#include <algorithm>

#include "core/script/relax_reader.h"

namespace rx::script {

namespace {

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

std::vector<std::string_view> pieces(std::string_view s) {
  std::vector<std::string_view> out;
  size_t at = 0;
  while (true) {
    size_t comma = s.find(',', at);
    out.push_back(trimmed(s.substr(at, comma == std::string_view::npos ? comma : comma - at)));
    if (comma == std::string_view::npos) return out;
    at = comma + 1;
  }
}

/// `a, b = T.int64(), T.float32()`: adds each name with its type. False when the line says anything else.
bool readDeclaration(std::string_view line, std::vector<std::pair<std::string_view, DataType>>& out) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos) return false;
  const auto names = pieces(line.substr(0, equals));
  const auto values = pieces(line.substr(equals + 1));
  if (names.size() != values.size()) return false;
  const size_t before = out.size();
  for (size_t i = 0; i < names.size(); ++i) {
    std::string_view value = values[i];
    const bool named =
        !names[i].empty() && identStart(names[i][0]) && std::all_of(names[i].begin(), names[i].end(), identPart);
    if (!named || !value.starts_with("T.") || !value.ends_with("()")) return out.resize(before), false;
    auto type = DataType::parse(value.substr(2, value.size() - 4));
    if (!type || type->isHandle()) return out.resize(before), false;
    out.emplace_back(names[i], *type);
  }
  return true;
}

}  // namespace

std::vector<std::pair<std::string_view, DataType>> Reader::declaredSymbols() const {
  std::vector<std::pair<std::string_view, DataType>> out;
  size_t at = text_.find('\n', syntax_->bodyBegin());
  while (at != std::string_view::npos && at + 1 < text_.size()) {
    const size_t begin = at + 1;
    at = text_.find('\n', begin);
    std::string_view line = trimmed(text_.substr(begin, at == std::string_view::npos ? at : at - begin));
    if (line.empty() || line[0] == '#' || line.starts_with("T.func_attr(") || line.starts_with("R.func_attr("))
      continue;
    if (!readDeclaration(line, out)) break;
  }
  return out;
}

void Reader::maySymbolize(const relax::VarRef& var, bool named, const NodeRef& symbol) {
  const auto* prim = as<relax::PrimStructInfo>(var->sinfo);
  if (!prim || prim->value || prim->dtype != DataType::Int(64)) return;
  const auto* known = as<tir::Var>(symbol);
  if (known && known->dtype == prim->dtype) {
    const_cast<relax::Var*>(var.get())->sinfo = make<relax::PrimStructInfo>(tir::PrimExpr(Ref<tir::Var>(known)));
  } else if (named) {
    symbolic_.insert(var.get());
  }
}

tir::PrimExpr Reader::symbolize(const relax::Var& var) {
  if (!symbolic_.erase(&var)) return nullptr;
  tir::PrimExpr symbol = make<tir::Var>(var.name, DataType::Int(64));
  const_cast<relax::Var&>(var).sinfo = make<relax::PrimStructInfo>(symbol);
  return symbol;
}

/// Names of an expression over dimensions, in their order; the dialect prefixes are none.
void Reader::namesOf(NodeId id, std::vector<NameId>& out) const {
  std::vector<NodeId> stack{id};
  while (!stack.empty()) {
    const NodeId next = stack.back();
    stack.pop_back();
    if (!next) continue;
    const SynNode& n = at(next);
    switch (n.kind) {
      case Syn::Name:
        if (!isDialect(n.a)) out.push_back(n.a);
        break;
      case Syn::Call:  // not the callee
      case Syn::Tuple:
      case Syn::List: {
        auto kids = syntax_->kids(n);
        for (size_t i = kids.size(); i-- > 0;) stack.push_back(kids[i]);
        break;
      }
      case Syn::Binary:
      case Syn::Compare:
        stack.push_back(n.b);
        stack.push_back(n.a);
        break;
      case Syn::Unary:
      case Syn::Keyword:
        stack.push_back(n.a);
        break;
      default:
        break;
    }
  }
}

/// The texts of a type annotation that are dimensions (in a list or tuple), or else that are values of R.Prim.
void Reader::dimensionTexts(NodeId annotation, bool dimensions, std::vector<NodeId>& out) const {
  struct Step {
    NodeId id;
    bool list;   ///< inside a list of dimensions
    bool value;  ///< inside the value of R.Prim
  };
  std::vector<Step> stack{{annotation, false, false}};
  while (!stack.empty()) {
    const auto [id, list, value] = stack.back();
    stack.pop_back();
    if (!id) continue;
    const SynNode& n = at(id);
    switch (n.kind) {
      case Syn::Text:
        if (dimensions ? list : value && !list) out.push_back(id);
        break;
      case Syn::Keyword: {
        std::string_view key = names_.text(n.b);
        if (key == "dtype" || key == "vdevice" || key == "device_mesh" || key == "placement" || key == "derive_func" ||
            key == "scope") {
          break;
        }
        stack.push_back({n.a, list, value || key == "value"});
        break;
      }
      case Syn::Tuple:
      case Syn::List:
      case Syn::Call:
      case Syn::Index: {
        const bool inner = n.kind == Syn::Tuple || n.kind == Syn::List;
        auto kids = syntax_->kids(n);
        for (size_t i = kids.size(); i-- > 0;) stack.push_back({kids[i], list || inner, value});
        break;
      }
      default:
        break;
    }
  }
}

/// Defines what the texts name and nothing else defines. Names that stand alone come first: an expression may be
/// written before them.
void Reader::defineNamesOf(std::span<const NodeId> texts, std::optional<DataType> fixed) {
  std::vector<NameId> found, free;
  for (NodeId id : texts) {
    std::string_view text;
    if (!syntax_->plainText(id, text) || text.empty()) continue;
    if (identStart(text[0]) && std::all_of(text.begin(), text.end(), identPart)) {
      found.push_back(names_.intern(text));
      continue;
    }
    const uint32_t begin = at(id).begin + static_cast<uint32_t>(syntax_->textOf(id).find(text));
    if (NodeId expr = syntax_->expressionIn(begin, begin + static_cast<uint32_t>(text.size()))) namesOf(expr, free);
    syntax_->diagnostics().clear();  // reported where the text is evaluated
  }
  found.insert(found.end(), free.begin(), free.end());
  std::vector<std::pair<std::string_view, DataType>> declared;
  bool known = fixed.has_value();
  for (NameId name : found) {
    if (scope_.lookup(name) || DataType::parse(names_.text(name))) continue;
    if (!known) declared = declaredSymbols(), known = true;
    DataType type = fixed.value_or(inTir_ ? DataType::Int(32) : DataType::Int(64));
    for (const auto& [other, dtype] : declared) {
      if (other == names_.text(name)) type = dtype;
    }
    auto symbol = make<tir::Var>(names_.str(name), type);
    signatureSymbols_.push_back(symbol);
    scope_.define(name, symbol);
  }
}

void Reader::defineSignatureSymbols(std::span<const NodeId> annotations) {
  signatureSymbols_.clear();
  std::vector<NodeId> dims, values;
  for (NodeId id : annotations) {
    dimensionTexts(id, true, dims);
    dimensionTexts(id, false, values);
  }
  // A dimension of Relax is int64 whatever the body says of it; one of TIR, or a value, has the declared type.
  defineNamesOf(dims, inTir_ ? std::nullopt : std::optional<DataType>(DataType::Int(64)));
  defineNamesOf(values, std::nullopt);
}

}  // namespace rx::script
