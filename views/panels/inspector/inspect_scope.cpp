// Where a value is computed, in a language whose text may write it elsewhere, and why there.
#include <algorithm>

#include "views/models/scopes.h"
#include "views/panels/inspector/inspector_parts.h"

namespace rx::views {
namespace {

QString text(const char* source) { return inspectorText(source); }

/// "scope 2", "scopes 1, 2 and 3".
QString scopesText(const std::vector<int>& scopes) {
  QStringList numbers;
  for (const int scope : scopes) numbers << QString::number(scope + 1);
  if (numbers.size() == 1) return text("scope %1").arg(numbers.first());
  const QString last = numbers.takeLast();
  return text("scopes %1 and %2").arg(numbers.join(QStringLiteral(", ")), last);
}

}  // namespace

void addScope(Inspector& inspector) {
  const FunctionRow& function = *inspector.function;
  const BindingRow& binding = *inspector.binding;
  if (function.kind != FunctionKind::Graph || function.blocks.size() < 2) return;
  InspectionSection& section = inspector.section(text("Scope"));
  const BlockRow& scope = function.blocks[static_cast<size_t>(binding.block)];
  addRow(section, {}, {{scopeName(scope)}, {scopeOwner(function, scope), InkRole::Grey}});
  const std::vector<int> readers = scopesReading(function, binding);
  if (readers.empty()) return;
  const bool shared = readers.size() > 1;
  const QString where = readers.size() == 1 && readers.front() == binding.block
                            ? text("Read there alone.")
                            : text("Read in %1.").arg(scopesText(readers));
  addRow(section, {}, {{where}});
  if (shared)
    addRow(section, {},
           {{text("Scope %1 is the innermost that holds all of them: there it is computed once for all.")
                 .arg(scope.index + 1)}});
  // The text stands where a value is first read.
  const bool elsewhere = binding.parent != scope.parent || (scope.parent >= 0 && binding.branch != scope.branch);
  const BindingRow* around = function.binding(binding.parent);
  if (elsewhere && around)
    addRow(section, {}, {{text("The text writes it inside of %1, where it is read first.").arg(around->called)}});
}

}  // namespace rx::views
