#include "views/models/origin_chain.h"

#include <QSet>
#include <algorithm>

#include "views/models/document.h"
#include "views/models/numbers.h"

namespace rx::views {
namespace {

constexpr size_t kMostNamed = 3;  // bindings that one link spells out

using Group = std::vector<SitePlace>;

/// What a binding says, without the lines of its branches.
QByteArray saidBy(const StageIndex& stage, const BindingRow& row) {
  const int length = row.range.end - row.range.begin;
  const QByteArray text = stage.text.mid(row.range.begin, length);
  const qsizetype end = text.indexOf('\n');
  return row.form == BindingForm::If || row.form == BindingForm::Function ? text.left(end) : text;
}

/// A number as it is, of more than one only what it is.
QString constantText(const ConstantRow& row) {
  const bool number = row.count == 1 && row.looked == 1 && row.nan == 0 && row.inf == 0;
  return number ? shortNumber(row.min) : QStringLiteral("constant");
}

/// What a binding reads, in text order: a variable as often as the text names it, which the operands have once.
QStringList inputsOf(const FunctionRow& function, const BindingRow& row) {
  QStringList inputs;
  size_t told = 0, constant = 0;
  const auto tellTo = [&](size_t end) {
    for (; told < end; ++told) {
      const OperandRow& operand = row.operands[told];
      const bool callee = operand.kind == OperandRow::Kind::Global && operand.name == row.label;
      if (operand.kind == OperandRow::Kind::Constant && constant < row.constants.size()) {
        inputs << constantText(row.constants[constant++]);
      } else if (!callee && !operand.name.isEmpty()) {
        inputs << operand.name;
      }
    }
  };
  const auto before = [](const NameRow& name, int offset) { return name.range.begin < offset; };
  auto name = std::lower_bound(function.names.begin(), function.names.end(), row.range.begin, before);
  // The text of an `if` or a function within has what its body reads.
  const bool flat = row.form == BindingForm::Var || row.form == BindingForm::MatchCast;
  for (; flat && name != function.names.end() && name->range.begin < row.range.end; ++name) {
    if (!name->isVariable() || name->defines) continue;
    const auto kind = name->kind == NameRow::Kind::Param ? OperandRow::Kind::Param : OperandRow::Kind::Binding;
    const auto operand = std::find_if(row.operands.begin(), row.operands.end(), [&](const OperandRow& read) {
      return read.kind == kind && read.index == name->target;
    });
    const auto at = static_cast<size_t>(operand - row.operands.begin());
    if (at == row.operands.size()) continue;
    if (at < told) inputs << operand->name;
    tellTo(at + 1);
  }
  tellTo(row.operands.size());
  return inputs;
}

/// "R.divide(powers, total)", "divide(powers, total, alloc12)", "alloc12": short, as the text writes it.
QString valueText(const FunctionRow& function, const BindingRow& row) {
  const QStringList inputs = inputsOf(function, row);
  if (row.label == QLatin1String("alias")) return inputs.join(QStringLiteral(", "));
  if (row.op.isEmpty()) return row.label + '(' + inputs.join(QStringLiteral(", ")) + ')';
  // As scripts write the operators of Relax; other languages write theirs as they are called.
  const QLatin1String kRelax("relax.");
  const QString op = row.op.startsWith(kRelax) ? QStringLiteral("R.") + row.op.mid(kRelax.size()) : row.op;
  return op + '(' + inputs.join(QStringLiteral(", ")) + ')';
}

/// True for what computes rather than holds: of the bindings of a link the one to look at.
bool computes(const BindingRow& row) {
  return row.kind != OpKind::Memory && row.kind != OpKind::Tuple && row.label != QLatin1String("alias");
}

/// What a binding comes from. The end of a value, which a pass adds, comes from what it ends: the first of its inputs
/// that comes from something.
const SharedRows<OriginRow>& originsOf(const FunctionRow& function, const BindingRow& binding) {
  for (const OperandRow& operand : binding.operands) {
    if (!binding.origins.empty()) break;
    const BindingRow* input = operand.kind == OperandRow::Kind::Binding ? function.binding(operand.index) : nullptr;
    if (input && !input->origins.empty()) return input->origins;
  }
  return binding.origins;
}

/// The function of the import that a function is or was lifted out of.
QString importedName(const FunctionRow& function) {
  for (const BindingRow& row : function.bindings) {
    if (!row.origins.empty()) return row.origins.front().function;
  }
  return function.name;
}

class ChainWalk {
 public:
  ChainWalk(Document& document, int last, const FunctionRow& function, const BindingRow& binding, bool request)
      : document_(document),
        last_(last),
        function_(function),
        binding_(binding),
        origins_(originsOf(function, binding)),
        request_(request) {}

  OriginChain run() {
    for (int number = 0; number <= last_; ++number) {
      if (number > 0 && !changed(number)) continue;
      const StageIndexPtr stage = document_.stage(number, request_ || number == last_);
      if (!stage) {
        chain_.complete = false;
      } else if (stage->errorLine > 0) {
        continue;  // a stage that could not be read tells nothing
      } else if (number == 0) {
        addImported(*stage);
      } else {
        addStage(*stage, number);
      }
    }
    return std::move(chain_);
  }

 private:
  /// A pass that changed nothing has nothing to show.
  bool changed(int number) const {
    const StepRow& step = document_.steps()[static_cast<size_t>(number)];
    return step.state != StepState::Done || !step.changed.empty();
  }

  /// The bindings of a stage that share a source binding with the one that is asked about, in text order.
  Group groupIn(const StageIndex& stage) const {
    Group group;
    for (const OriginRow& origin : origins_) {
      for (const SitePlace& place : stage.placesOf(origin.key)) group.push_back({0, place.function, place.ordinal});
    }
    if (binding_.origins.empty()) addNamesakes(stage, &group);
    std::sort(group.begin(), group.end());
    group.erase(std::unique(group.begin(), group.end()), group.end());
    return group;
  }

  /// What a pass added for no source binding is known by its name and what it reads.
  void addNamesakes(const StageIndex& stage, Group* group) const {
    for (size_t f = 0; f < stage.functions.size(); ++f) {
      if (stage.functions[f].name != function_.name) continue;
      for (const BindingRow& row : stage.functions[f].bindings) {
        if (row.origins.empty() && row.name == binding_.name &&
            valueText(stage.functions[f], row) == valueText(function_, binding_))
          group->push_back({0, static_cast<int>(f), row.ordinal});
      }
    }
  }

  OriginLink linkTo(const StageIndex& stage, int number, const SitePlace& place) const {
    const BindingRow& row = *stage.binding(place);
    OriginLink link;
    link.stage = number;
    link.pass = document_.steps()[static_cast<size_t>(number)].name;
    link.function = stage.functions[static_cast<size_t>(place.function)].name;
    link.binding = row.ordinal;
    link.variable = row.name;
    link.line = row.line;
    return link;
  }

  static const FunctionRow& functionAt(const StageIndex& stage, const SitePlace& place) {
    return stage.functions[static_cast<size_t>(place.function)];
  }

  /// A link for each source binding; the head of the function where there is none.
  void addImported(const StageIndex& stage) {
    const Group group = groupIn(stage);
    for (const SitePlace& place : group) {
      const BindingRow& row = *stage.binding(place);
      OriginLink link = linkTo(stage, 0, place);
      link.text = valueText(functionAt(stage, place), row);
      if (!row.origins.empty()) {
        link.file = row.origins.front().file;
        link.fileLine = row.origins.front().line;
      }
      chain_.links.push_back(std::move(link));
      seen_.insert(saidBy(stage, row));
      names_.insert(row.name);
    }
    const FunctionRow* function = group.empty() ? stage.function(importedName(function_)) : nullptr;
    if (!function) return;
    chain_.links.push_back({0,
                            document_.steps().front().name,
                            function->name,
                            -1,
                            {},
                            "def " + function->name,
                            function->headLine,
                            {},
                            0});
  }

  void addStage(const StageIndex& stage, int number) {
    Group fresh, altered;
    QSet<QByteArray> now;
    QSet<QString> nowNames;
    for (const SitePlace& place : groupIn(stage)) {
      const BindingRow& row = *stage.binding(place);
      const QByteArray said = saidBy(stage, row);
      now.insert(said);
      nowNames.insert(row.name);
      if (seen_.contains(said)) continue;
      (names_.contains(row.name) ? altered : fresh).push_back(place);
    }
    seen_ = std::move(now);
    names_ = std::move(nowNames);
    const Group& group = fresh.empty() ? altered : fresh;
    if (group.empty()) return;
    const auto best = std::find_if(group.begin(), group.end(),
                                   [&](const SitePlace& place) { return computes(*stage.binding(place)); });
    OriginLink link = linkTo(stage, number, best == group.end() ? group.front() : *best);
    QStringList texts;
    for (const SitePlace& place : group) {
      if (static_cast<size_t>(texts.size()) == kMostNamed) break;
      const BindingRow& row = *stage.binding(place);
      texts << (group.size() == 1 || computes(row) ? valueText(functionAt(stage, place), row) : row.name);
    }
    if (group.size() > kMostNamed) texts << QObject::tr("%1 more").arg(group.size() - kMostNamed);
    const QString last = texts.takeLast();
    link.text = texts.isEmpty() ? last : QObject::tr("%1 and %2").arg(texts.join(QStringLiteral(", ")), last);
    chain_.links.push_back(std::move(link));
  }

  Document& document_;
  int last_;
  const FunctionRow& function_;
  const BindingRow& binding_;
  const SharedRows<OriginRow>& origins_;
  bool request_;
  OriginChain chain_;
  QSet<QByteArray> seen_;
  QSet<QString> names_;
};

}  // namespace

OriginChain originChain(Document& document, int stage, const QString& function, int binding, bool request) {
  const StageIndexPtr index = document.stage(stage, request);
  const FunctionRow* row = index ? index->function(function) : nullptr;
  const BindingRow* found = row ? row->binding(binding) : nullptr;
  if (!found || stage >= static_cast<int>(document.steps().size())) return {{}, found != nullptr};
  return ChainWalk(document, stage, *row, *found, request).run();
}

QString removedBy(Document& document, int from, const QString& function, int binding, int to, bool request) {
  const StageIndexPtr index = document.stage(from, request);
  const FunctionRow* row = index ? index->function(function) : nullptr;
  const BindingRow* found = row ? row->binding(binding) : nullptr;
  if (!found || to >= static_cast<int>(document.steps().size())) return {};
  for (int number = from + 1; number <= to; ++number) {
    const StepRow& step = document.steps()[static_cast<size_t>(number)];
    if (step.state == StepState::Done && step.changed.empty()) continue;
    const StageIndexPtr stage = document.stage(number, request);
    if (!stage) return {};
    if (stage->errorLine > 0) continue;
    if (!stage->counterpart(*found, function).known()) return step.name;
  }
  return {};
}

}  // namespace rx::views
