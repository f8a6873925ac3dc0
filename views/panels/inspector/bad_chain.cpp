#include "views/panels/inspector/bad_chain.h"

#include <QCoreApplication>
#include <algorithm>
#include <set>

#include "views/models/numbers.h"
#include "views/panels/values/selected_value.h"

namespace rx::views {
namespace {

QString text(const char* source) { return QCoreApplication::translate("BadChain", source); }

/// How an operation makes a NaN out of infinities, by the word that its label begins with.
struct NanRow {
  const char* label;
  const char* reason;
};
constexpr NanRow kNanOfInf[] = {
    {"subtract", QT_TRANSLATE_NOOP("BadChain", "Inf - Inf")},
    {"add", QT_TRANSLATE_NOOP("BadChain", "Inf - Inf")},
    {"divide", QT_TRANSLATE_NOOP("BadChain", "Inf / Inf")},
    {"multiply", QT_TRANSLATE_NOOP("BadChain", "0 × Inf")},
    {"matmul", QT_TRANSLATE_NOOP("BadChain", "0 × Inf or Inf - Inf in a sum")},
    {"nn.conv", QT_TRANSLATE_NOOP("BadChain", "0 × Inf or Inf - Inf in a sum")},
    {"sum", QT_TRANSLATE_NOOP("BadChain", "Inf - Inf in the sum")},
    {"mean", QT_TRANSLATE_NOOP("BadChain", "Inf - Inf in the sum")},
    {"nn.softmax", QT_TRANSLATE_NOOP("BadChain", "Inf - Inf, from the largest")},
    {"sin", QT_TRANSLATE_NOOP("BadChain", "of Inf")},
    {"cos", QT_TRANSLATE_NOOP("BadChain", "of Inf")},
};

class Chain {
 public:
  Chain(const DebugSession& debug, const FunctionRow& function) : debug_(debug), function_(function) {}

  std::vector<BadLink> run(int binding) {
    std::vector<int> work{binding};
    while (!work.empty()) {
      const int ordinal = work.back();
      work.pop_back();
      const BindingRow* row = function_.binding(ordinal);
      if (!row || !seen_.insert(ordinal).second) continue;
      const ValueSummary value = debug_.valueOf(function_.name, ordinal);
      if (!value.bad()) continue;
      add(*row, value, &work);
    }
    std::sort(links_.begin(), links_.end(), [](const BadLink& a, const BadLink& b) { return a.binding < b.binding; });
    return std::move(links_);
  }

 private:
  /// The operands, through what only names values.
  std::vector<OperandRow> inputsOf(const BindingRow& row) const {
    std::vector<OperandRow> inputs, left(row.operands.rbegin(), row.operands.rend());
    std::set<int> through;
    while (!left.empty()) {
      const OperandRow operand = left.back();
      left.pop_back();
      const BindingRow* source = operand.kind == OperandRow::Kind::Binding ? function_.binding(operand.index) : nullptr;
      const bool holds = source && !debug_.valueOf(function_.name, operand.index).isTensor;
      if (!holds) {
        inputs.push_back(operand);
      } else if (through.insert(operand.index).second) {
        left.insert(left.end(), source->operands.rbegin(), source->operands.rend());
      }
    }
    return inputs;
  }

  void add(const BindingRow& row, const ValueSummary& value, std::vector<int>* work) {
    BadLink link{row.ordinal, row.called, row.name, row.kind, value, false, {}};
    QStringList bad;
    qint64 nan = 0, inf = 0;
    bool known = true;
    for (const OperandRow& operand : inputsOf(row)) {
      const bool binding = operand.kind == OperandRow::Kind::Binding;
      if (!binding && operand.kind != OperandRow::Kind::Param) continue;
      const ValueSummary input =
          binding ? debug_.valueOf(function_.name, operand.index) : debug_.valueOfParam(function_.name, operand.name);
      known = known && input.known;
      if (!input.bad()) continue;
      bad += operand.name;
      nan = std::max(nan, input.nan);
      inf = std::max(inf, input.inf);
      if (binding)
        work->push_back(operand.index);
      else if (params_.insert(operand.name).second)
        links_.push_back({-1, operand.name, operand.name, OpKind::Parameter, input, true, text("came in as an argument")});
    }
    link.made = bad.isEmpty();
    link.reason = reasonOf(row, value, bad, nan, inf, known);
    links_.push_back(std::move(link));
  }

  static QString reasonOf(const BindingRow& row, const ValueSummary& value, const QStringList& bad, qint64 nan,
                          qint64 inf, bool known) {
    if (bad.isEmpty() && !known) return text("not every input is known");
    if (bad.isEmpty())
      return value.step >= 0 ? text("made here, step %1; inputs finite").arg(value.step)
                             : text("made here; inputs finite");
    if (value.nan > 0 && nan == 0 && inf > 0) {
      const QString label = row.label.section(QLatin1Char(' '), -1);
      for (const NanRow& known_reason : kNanOfInf)
        if (label.startsWith(QLatin1String(known_reason.label))) return text(known_reason.reason);
      return text("NaN made of Inf");
    }
    const QString from =
        bad.size() > 1 ? text("passed on by %1").arg(bad.join(QStringLiteral(", "))) : text("passed on");
    if (value.nan + value.inf > nan + inf) return from + text(", spread to more elements");
    return from;
  }

  const DebugSession& debug_;
  const FunctionRow& function_;
  std::set<int> seen_;
  std::set<QString> params_;
  std::vector<BadLink> links_;
};

}  // namespace

std::vector<BadLink> badChain(const DebugSession& debug, const FunctionRow& function, int binding) {
  return Chain(debug, function).run(binding);
}

}  // namespace rx::views
