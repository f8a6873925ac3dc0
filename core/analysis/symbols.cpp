#include "core/analysis/symbols.h"

#include <fmt/format.h>

#include <unordered_map>

#include "core/ir/reflect.h"
#include "core/op/sinfo_text.h"

namespace rx::analysis {

namespace {

class Builder {
 public:
  explicit Builder(const relax::Function& function) : function_(function) {}

  std::vector<Symbol> run() {
    for (const relax::VarRef& param : function_.params) {
      here_ = {param->name, param->span, {}};
      if (param->sinfo) info(*param->sinfo, SymbolBinder::Parameter, param->name.string());
    }
    here_ = {{}, function_.span, {}};
    if (function_.retSinfo) info(*function_.retSinfo, SymbolBinder::Nothing, {});
    walk(*function_.body, Into::Parts, [&](const Node& node) {
      if (const auto* binding = as<relax::BindingNode>(&node)) {
        here_ = {binding->var->name, binding->span, {}};
        if (const auto* cast = as<relax::MatchCast>(&node)) {
          info(*cast->structInfo, SymbolBinder::MatchCast, binding->var->name.string());
        } else if (binding->var->sinfo && ownInfo(*binding)) {
          info(*binding->var->sinfo, SymbolBinder::Nothing, {});
        }
      } else if (const auto* shape = as<relax::ShapeExpr>(&node)) {
        for (const tir::PrimExpr& dim : shape->values) use(dim);
      } else if (const auto* value = as<relax::PrimValue>(&node)) {
        use(value->value);
      } else if (isa<relax::Function>(&node)) {
        return false;
      }
      return true;
    });
    bounds();
    return std::move(symbols_);
  }

 private:
  /// False where the annotation only repeats that of the value.
  static bool ownInfo(const relax::BindingNode& binding) {
    const auto* bound = as<relax::VarBinding>(&binding);
    return !bound || !isa<relax::Var>(bound->value);
  }

  Symbol& symbol(const tir::Var& var) {
    auto [at, fresh] = index_.emplace(&var, symbols_.size());
    if (fresh) {
      Symbol s;
      s.var = tir::VarRef(&var);
      symbols_.push_back(std::move(s));
    }
    return symbols_[at->second];
  }

  void use(const tir::PrimExpr& e) {
    if (isa<tir::IntImm>(e)) return;
    const std::string text = op::primText(e);
    if (const auto* var = as<tir::Var>(e)) return use(*var, text);  // most are: a walk would find nothing else
    walk(*e, Into::Parts, [&](const Node& node) {
      if (const auto* var = as<tir::Var>(&node)) use(*var, text);
      return true;
    });
  }

  /// A shape names a symbol once for each dimension; the table needs the text once.
  void use(const tir::Var& var, const std::string& text) {
    std::vector<SymbolUse>& uses = symbol(var).uses;
    const bool repeated = !uses.empty() && uses.back().span == here_.span && uses.back().variable == here_.variable &&
                          uses.back().text == text;
    if (repeated) return;
    uses.push_back(here_);
    uses.back().text = text;
  }

  /// `axis` is -1 for what is no dimension.
  void value(const tir::PrimExpr& e, SymbolBinder binder, const std::string& name, int axis) {
    const auto* var = as<tir::Var>(e);
    if (var && binder != SymbolBinder::Nothing) {
      Symbol& s = symbol(*var);
      if (s.binder == SymbolBinder::Nothing) {
        s.binder = binder;
        s.boundAt = axis < 0 ? fmt::format("the value of {}", name) : fmt::format("dimension {} of {}", axis, name);
        s.binderVariable = here_.variable;
        s.binderSpan = here_.span;
        if (axis >= 0) s.lower = 0;
        return;
      }
    }
    use(e);
  }

  void info(const Node& root, SymbolBinder binder, const std::string& name) {
    walk(root, Into::Parts, [&](const Node& node) {
      auto dims = [&](const Array<tir::PrimExpr>& values) {
        for (size_t k = 0; k < values.size(); ++k) value(values[k], binder, name, static_cast<int>(k));
        return false;
      };
      if (const auto* shape = as<relax::ShapeExpr>(&node)) return dims(shape->values);
      if (const auto* shape = as<relax::ShapeStructInfo>(&node)) return dims(shape->values);
      if (const auto* prim = as<relax::PrimStructInfo>(&node)) {
        if (prim->value) value(prim->value, binder, name, -1);
        return false;
      }
      return !isa<relax::FuncStructInfo>(&node) && !isa<relax::Var>(&node);
    });
  }

  void bounds() {
    auto apply = [&](std::string_view key, std::optional<int64_t> Symbol::* bound) {
      const NodeRef attr = ir::attrOf(function_.attrs, key);
      const auto* dict = as<ir::DictAttrs>(attr);
      for (Symbol& s : symbols_) {
        const NodeRef value = dict ? dict->get(s.var->name.view()) : nullptr;
        if (value) s.*bound = ir::intAttrOf(ir::Attrs(dict), s.var->name.view(), 0);
      }
    };
    apply("tir_var_lower_bound", &Symbol::lower);
    apply("tir_var_upper_bound", &Symbol::upper);
    const NodeRef attr = ir::attrOf(function_.attrs, "tir_non_negative_var");
    const auto* names = as<ir::ArrayAttr>(attr);
    for (Symbol& s : symbols_) {
      for (size_t k = 0; names && k < names->items.size(); ++k) {
        const auto* text = as<ir::StrAttr>(names->items[k]);
        if (text && text->value == s.var->name) s.lower = std::max<int64_t>(s.lower.value_or(0), 0);
      }
      if (isa<tir::SizeVar>(s.var)) s.lower = std::max<int64_t>(s.lower.value_or(0), 0);
    }
  }

  const relax::Function& function_;
  SymbolUse here_;
  std::vector<Symbol> symbols_;
  std::unordered_map<const tir::Var*, size_t> index_;
};

}  // namespace

std::vector<Symbol> symbolTable(const relax::Function& function) { return Builder(function).run(); }

}  // namespace rx::analysis
