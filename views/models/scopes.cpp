#include "views/models/scopes.h"

#include <QCoreApplication>
#include <algorithm>

namespace rx::views {
namespace {

QString text(const char* source) { return QCoreApplication::translate("Scopes", source); }

}  // namespace

QString scopeName(const BlockRow& block) { return text("scope %1").arg(block.index + 1); }

QString scopeOwner(const FunctionRow& function, const BlockRow& block) {
  const BindingRow* owner = function.binding(block.parent);
  if (!owner) return text("the function");
  const bool unnamed = owner->called == owner->label;  // what a block gives
  if (owner->form == BindingForm::Function)
    return unnamed ? text("a local function") : text("function %1").arg(owner->name);
  const QString who = unnamed ? owner->label : owner->label + QLatin1Char(' ') + owner->name;
  return block.title.isEmpty() ? who : who + QStringLiteral(": ") + block.title;
}

QString scopeTitle(const FunctionRow& function, const BlockRow& block) {
  return scopeName(block) + QStringLiteral(" · ") + scopeOwner(function, block);
}

std::vector<int> scopesReading(const FunctionRow& function, const BindingRow& binding) {
  std::vector<int> scopes;
  for (const int user : binding.usedBy) {
    const BindingRow* row = function.binding(user);
    if (!row) continue;
    // What a branch gives is read in that branch, though who chooses between them names it.
    bool given = false;
    for (const BlockRow& block : function.blocks) {
      if (block.parent != user) continue;
      const auto branch = static_cast<size_t>(block.branch);
      if (branch >= row->yields.size() || row->yields[branch].kind != OperandRow::Kind::Binding ||
          row->yields[branch].index != binding.ordinal)
        continue;
      scopes.push_back(block.index);
      given = true;
    }
    if (!given) scopes.push_back(row->block);
  }
  std::sort(scopes.begin(), scopes.end());
  scopes.erase(std::unique(scopes.begin(), scopes.end()), scopes.end());
  return scopes;
}

}  // namespace rx::views
