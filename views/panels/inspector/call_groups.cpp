#include "views/panels/inspector/call_groups.h"

#include <QHash>
#include <algorithm>

namespace rx::views {
namespace {

constexpr size_t kExamples = 4;

/// What decides the work of a call: the operation and the types of what it reads and makes. Empty where a type does not
/// say a shape, since then calls with the same type may be of different sizes.
QString signatureOf(const FunctionRow& function, const BindingRow& binding) {
  if (!binding.callee.isEmpty()) return QLatin1Char('@') + binding.callee;
  const QChar end(u'\n');
  QString all = binding.op;
  const auto add = [&](const QString& shape, const QString& dtype) {
    all += end + shape + end + dtype;
    return !shape.isEmpty();
  };
  for (const OperandRow& operand : binding.operands) {
    const BindingRow* made = operand.kind == OperandRow::Kind::Binding ? function.binding(operand.index) : nullptr;
    const bool param = operand.kind == OperandRow::Kind::Param && operand.index >= 0 &&
                       operand.index < static_cast<int>(function.params.size());
    if (made && !add(made->shape, made->dtype)) return {};
    if (!param) continue;
    const ParamRow& given = function.params[static_cast<size_t>(operand.index)];
    if (!add(given.shape, given.dtype)) return {};
  }
  return add(binding.shape, binding.dtype) ? all : QString();
}

std::vector<CallGroup> groupsOf(const FunctionRow& function) {
  std::vector<CallGroup> groups;
  QHash<QString, size_t> known;
  for (const BindingRow& binding : function.bindings) {
    if ((binding.op.isEmpty() && binding.callee.isEmpty()) || binding.role != FlowRole::Computes) continue;
    const QString signature = signatureOf(function, binding);
    size_t at = groups.size();
    if (const auto found = known.constFind(signature); found != known.cend()) {
      at = *found;
    } else {
      if (!signature.isEmpty()) known.insert(signature, at);
      groups.emplace_back();
    }
    CallGroup& group = groups[at];
    if (group.examples.size() < kExamples) group.examples.push_back(binding.ordinal);
    ++group.count;
  }
  return groups;
}

std::vector<InspectionBar> operatorsOf(const FunctionRow& function) {
  QHash<QString, size_t> known;
  std::vector<InspectionBar> bars;
  for (const BindingRow& binding : function.bindings) {
    const auto at = known.constFind(binding.label);
    if (at == known.cend()) {
      known.insert(binding.label, bars.size());
      bars.push_back({binding.label, 1, binding.kind});
    } else {
      ++bars[*at].count;
    }
  }
  std::sort(bars.begin(), bars.end(), [](const InspectionBar& a, const InspectionBar& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
  return bars;
}

}  // namespace

FunctionCalls callsOf(const StageIndex& stage, const FunctionRow& function, size_t mostCallers) {
  FunctionCalls calls{groupsOf(function), operatorsOf(function), {}};
  int number = 0;
  for (const FunctionRow& other : stage.functions) {
    for (const BindingRow& binding : other.bindings) {
      const auto names = [&](const OperandRow& operand) {
        return operand.kind == OperandRow::Kind::Global && operand.name == function.name;
      };
      if (calls.callers.size() >= mostCallers) return calls;
      if (std::any_of(binding.operands.begin(), binding.operands.end(), names))
        calls.callers.emplace_back(number, binding.ordinal);
    }
    ++number;
  }
  return calls;
}

}  // namespace rx::views
