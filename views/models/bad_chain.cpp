#include "views/models/bad_chain.h"

#include <QCoreApplication>
#include <algorithm>
#include <set>
#include <utility>

#include "views/models/numbers.h"

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

  BadChain run(int binding, size_t most) {
    const std::vector<int> bad = reached(binding);
    BadChain chain;
    chain.count = bad.size();
    bool made = false;
    for (const int ordinal : bad) {
      if (chain.links.size() >= most && made) break;
      std::vector<BadLink> links = linksOf(*function_.binding(ordinal));
      made |= std::any_of(links.begin(), links.end(), [](const BadLink& link) { return link.made; });
      if (chain.links.size() < most || made) chain.links.insert(chain.links.end(), links.begin(), links.end());
    }
    const auto above = [](const BadLink& a, const BadLink& b) { return a.binding < b.binding; };
    std::sort(chain.links.begin(), chain.links.end(), above);
    const auto arguments =
        std::count_if(chain.links.begin(), chain.links.end(), [](const BadLink& link) { return link.binding < 0; });
    chain.count += static_cast<size_t>(arguments);
    return chain;
  }

  std::vector<int> bad() const {
    std::vector<int> found;
    for (const BindingRow& row : function_.bindings)
      if (isBad(row.ordinal)) found.push_back(row.ordinal);
    return found;
  }

  std::vector<int> roots(const std::vector<int>& bad, size_t most) const {
    std::vector<int> found;
    for (const int ordinal : bad) {
      if (found.size() >= most) break;
      if (!readsBad(*function_.binding(ordinal))) found.push_back(ordinal);
    }
    return found;
  }

 private:
  bool isBad(int ordinal) const { return debug_.valueState(function_.name, ordinal) == ValueState::Bad; }

  bool readsBad(const BindingRow& row) const {
    return anyInput(row, [this](const OperandRow& input) {
      return input.kind == OperandRow::Kind::Binding
                 ? isBad(input.index)
                 : input.kind == OperandRow::Kind::Param && debug_.valueOfParam(function_.name, input.name).bad();
    });
  }

  /// The bad values that lead to one, in the order of the program. By their states alone: there may be thousands.
  std::vector<int> reached(int binding) const {
    std::vector<int> found, work{binding};
    std::vector<char> seen(function_.bindings.size());
    while (!work.empty()) {
      const int ordinal = work.back();
      work.pop_back();
      const bool known = ordinal >= 0 && static_cast<size_t>(ordinal) < seen.size();
      if (!known || std::exchange(seen[static_cast<size_t>(ordinal)], true)) continue;
      if (!isBad(ordinal)) continue;
      found.push_back(ordinal);
      for (const OperandRow& operand : inputsOf(*function_.binding(ordinal)))
        if (operand.kind == OperandRow::Kind::Binding) work.push_back(operand.index);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  /// Tensors are known by their type, or by their value where the type does not say it.
  bool isTensor(int ordinal) const {
    const BindingRow& row = *function_.binding(ordinal);
    return !row.dtype.isEmpty() || debug_.valueOf(function_.name, ordinal).isTensor;
  }

  /// Who gave a binding its value: of a buffer the call that writes it, of all others they themselves.
  const BindingRow& makerOf(const BindingRow& row) const {
    if (row.role != FlowRole::Buffer) return row;
    for (const int ordinal : row.usedBy) {
      const BindingRow* user = function_.binding(ordinal);
      if (user && std::find(user->writes.begin(), user->writes.end(), row.ordinal) != user->writes.end()) return *user;
    }
    return row;
  }

  /// Whether something holds for what a binding reads, what only names values looked through; it ends with the first. A
  /// buffer does not come from what its call writes into.
  template <typename Holds>
  bool anyInput(const BindingRow& row, const Holds& holds) const {
    const BindingRow& maker = makerOf(row);
    std::vector<const OperandRow*> left;
    const auto lookAt = [&left](const BindingRow& reader) {
      for (auto it = reader.operands.rbegin(); it != reader.operands.rend(); ++it) left.push_back(&*it);
    };
    lookAt(maker);
    std::erase_if(left, [&](const OperandRow* operand) {
      return &maker != &row && operand->kind == OperandRow::Kind::Binding &&
             std::find(maker.writes.begin(), maker.writes.end(), operand->index) != maker.writes.end();
    });
    std::set<int> through;
    while (!left.empty()) {
      const OperandRow& operand = *left.back();
      left.pop_back();
      const BindingRow* source = operand.kind == OperandRow::Kind::Binding ? function_.binding(operand.index) : nullptr;
      if (!source || isTensor(operand.index)) {
        if (holds(operand)) return true;
      } else if (through.insert(operand.index).second) {
        lookAt(*source);
      }
    }
    return false;
  }

  std::vector<OperandRow> inputsOf(const BindingRow& row) const {
    std::vector<OperandRow> inputs;
    anyInput(row, [&inputs](const OperandRow& operand) {
      inputs.push_back(operand);
      return false;
    });
    return inputs;
  }

  /// The link of a bad value, behind those of arguments that brought some in.
  std::vector<BadLink> linksOf(const BindingRow& row) {
    std::vector<BadLink> links;
    const BindingRow& maker = makerOf(row);
    BadLink link{row.ordinal, row.called, row.name, maker.kind, debug_.valueOf(function_.name, row.ordinal), false, {}};
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
      if (!binding && params_.insert(operand.name).second)
        links.push_back(
            {-1, operand.name, operand.name, OpKind::Parameter, input, true, text("came in as an argument")});
    }
    link.made = bad.isEmpty();
    link.reason = link.made && known ? reasonOfMade(maker, link.value) : reasonOf(maker, link.value, bad, nan, inf);
    links.push_back(std::move(link));
    return links;
  }

  /// No other value brought any in; a constant that the call is written with may have.
  static QString reasonOfMade(const BindingRow& row, const ValueSummary& value) {
    const bool written = std::any_of(row.constants.begin(), row.constants.end(),
                                     [](const ConstantRow& constant) { return constant.nan + constant.inf > 0; });
    const QString where = value.step >= 0 ? text("made here, step %1").arg(value.step) : text("made here");
    return where + (written ? text("; a constant holds NaN or Inf") : text("; inputs finite"));
  }

  static QString reasonOf(const BindingRow& row, const ValueSummary& value, const QStringList& bad, qint64 nan,
                          qint64 inf) {
    if (bad.isEmpty()) return text("not every input is known");
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
  std::set<QString> params_;
};

}  // namespace

BadChain badChain(const DebugSession& debug, const FunctionRow& function, int binding, size_t most) {
  return Chain(debug, function).run(binding, most);
}

std::vector<int> badBindings(const DebugSession& debug, const FunctionRow& function) {
  return Chain(debug, function).bad();
}

std::vector<int> badRoots(const DebugSession& debug, const FunctionRow& function, const std::vector<int>& bad,
                          size_t most) {
  return Chain(debug, function).roots(bad, most);
}

}  // namespace rx::views
