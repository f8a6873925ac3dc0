#include "views/models/call_search.h"

#include <algorithm>

namespace rx::views {
namespace {

/// The operator without the namespace that every one has.
QString shortName(const QString& name) {
  for (const char* prefix : {"relax.", "R."}) {
    if (name.startsWith(QLatin1String(prefix))) return name.mid(static_cast<qsizetype>(qstrlen(prefix)));
  }
  return name;
}

bool calls(const BindingRow& binding, const QString& callee, const QString& op, const QByteArray& packed,
           const StageIndex& stage) {
  if (!binding.op.isEmpty() && shortName(binding.op) == op) return true;
  const bool named = std::any_of(binding.operands.begin(), binding.operands.end(), [&](const OperandRow& operand) {
    return operand.kind == OperandRow::Kind::Global && operand.name == callee;
  });
  if (named) return true;
  // A packed function is a text in the call.
  const QByteArrayView text(stage.text.constData() + binding.range.begin, binding.range.end - binding.range.begin);
  return binding.form == BindingForm::Var && text.contains(packed) && text.contains("packed(");
}

}  // namespace

std::vector<CallHit> callsOf(const std::vector<StageIndexPtr>& stages, const QString& callee) {
  std::vector<CallHit> hits;
  if (callee.isEmpty()) return hits;
  const QString op = shortName(callee);
  const QByteArray packed = '"' + callee.toUtf8() + '"';
  for (const StageIndexPtr& stage : stages) {
    if (!stage) continue;
    for (const FunctionRow& function : stage->functions) {
      for (const BindingRow& binding : function.bindings) {
        if (!calls(binding, callee, op, packed, *stage)) continue;
        hits.push_back({stage->stage, stage->title, function.name, binding.ordinal, binding.name, binding.line,
                        QString::fromUtf8(stage->line(binding.line).trimmed())});
      }
    }
  }
  return hits;
}

}  // namespace rx::views
