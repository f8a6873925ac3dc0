#include "views/models/list_models.h"

#include <algorithm>

#include "views/models/diagnostics_report.h"
#include "views/models/numbers.h"
#include "views/models/value_text.h"

namespace rx::views {
namespace {

CellTone greyWhenSame(const StepRow& step) {
  if (step.state == StepState::Failed) return CellTone::Error;
  return step.number > 0 && (step.state != StepState::Done || step.changed.empty()) ? CellTone::Grey : CellTone::Normal;
}
CellTone alwaysGrey(const StepRow&) { return CellTone::Grey; }
CellTone changeTone(const StepRow& step) {
  if (step.state == StepState::Failed) return CellTone::Error;
  return step.state == StepState::Done && !step.changed.empty() ? CellTone::Warning : CellTone::Grey;
}
CellTone lampTone(const StepRow& step) {
  if (step.state == StepState::Failed) return CellTone::Error;
  return step.verdict == Verdict::WellFormed  ? CellTone::Good
         : step.verdict == Verdict::IllFormed ? CellTone::Error
                                              : CellTone::Grey;
}
QString lamp(const StepRow& step) {
  if (step.state == StepState::Failed) return QStringLiteral("failed");
  return step.verdict == Verdict::WellFormed  ? QStringLiteral("ok")
         : step.verdict == Verdict::IllFormed ? QStringLiteral("ill-formed")
                                              : QString();
}
const char* lampIcon(const StepRow& step) {
  if (step.state == StepState::Failed) return "cross";
  return step.verdict == Verdict::WellFormed ? "check" : step.verdict == Verdict::IllFormed ? "cross" : nullptr;
}
QString passTip(const StepRow& step) {
  QStringList lines{step.name};
  if (!step.help.isEmpty()) lines << step.help;
  if (!step.file.isEmpty()) lines << "file: " + step.file;
  if (!step.options.isEmpty()) lines << "options: " + step.options;
  if (step.nodes > 0) lines << QStringLiteral("%1 bindings and statements").arg(grouped(step.nodes));
  return lines.join('\n');
}
QString lampTip(const StepRow& step) {
  if (step.state == StepState::Failed) return step.verdictReason;
  return step.verdict == Verdict::WellFormed  ? QStringLiteral("well-formed")
         : step.verdict == Verdict::IllFormed ? QStringLiteral("ill-formed: ") + step.verdictReason
                                              : QStringLiteral("not checked");
}
QString timeText(const StepRow& step) {
  const bool known = step.number > 0 && step.state == StepState::Done && step.milliseconds >= 0;
  return known ? durationText(step.milliseconds) : QString();
}

constexpr int kHeading = -1;  // the number of a row that names a language

constexpr Column<StepRow> kPassColumns[] = {
    {"#", [](const StepRow& s) { return QString::number(s.number); }, true, true, alwaysGrey},
    {"", lamp, false, false, lampTone, lampTip, nullptr, lampIcon},
    {"pass", [](const StepRow& s) { return s.name; }, false, false, greyWhenSame, passTip},
    {"changed", changeText, false, false, changeTone, changeTip,
     [](const StepRow& s) { return s.state == StepState::Done && !s.changed.empty(); }},
    {"time", timeText, true, false, alwaysGrey},
};

QString markText(const InstructionRow& r) {
  return r.breakpoint && r.current ? QStringLiteral("breakpoint, next")
         : r.breakpoint            ? QStringLiteral("breakpoint")
         : r.current               ? QStringLiteral("next")
                                   : QString();
}
const char* markIcons(const InstructionRow& r) {
  return r.breakpoint && r.current ? "breakpoint arrow" : r.breakpoint ? "breakpoint" : r.current ? "arrow" : nullptr;
}

constexpr Column<InstructionRow> kBytecodeColumns[] = {
    {"", markText, false, false,
     [](const InstructionRow& r) { return r.breakpoint ? CellTone::Error : CellTone::Normal; }, nullptr, nullptr,
     markIcons},
    {"pc", [](const InstructionRow& r) { return QString::number(r.index); }, true, true,
     [](const InstructionRow&) { return CellTone::Grey; }},
    {"instruction", [](const InstructionRow& r) { return r.text; }, false, true,
     [](const InstructionRow& r) { return r.builtin ? CellTone::Grey : CellTone::Normal; },
     [](const InstructionRow& r) { return r.full; }, nullptr, nullptr, [](const InstructionRow& r) { return r.kind; }},
    {"binding · line",
     [](const InstructionRow& r) {
       if (r.variable.isEmpty()) return QString();
       return r.line > 0 ? QStringLiteral("%1 · %2").arg(r.called, QString::number(r.line)) : r.called;
     },
     true, false, [](const InstructionRow&) { return CellTone::Grey; }},
};

CellTone valueTone(const RegisterRow& r) {
  return r.value.bad()   ? CellTone::Error
         : r.changed     ? CellTone::Accent
         : r.value.known ? CellTone::Normal
                         : CellTone::Grey;
}
QString valueText(const RegisterRow& r) {
  if (!r.value.known) return QStringLiteral("–");
  const QString value = valueInShort(r.value, 3);
  return r.value.place.isEmpty() ? value : QObject::tr("%1 on %2").arg(value, r.value.place);
}
QString rangeTip(const RegisterRow& r) {
  return r.value.isTensor && r.value.finite > 0
             ? QStringLiteral("%1\n%2 … %3").arg(r.value.text, shortNumber(r.value.min), shortNumber(r.value.max))
             : r.value.text;
}
constexpr Column<RegisterRow> kRegisterColumns[] = {
    {"register", [](const RegisterRow& r) { return r.name; }, false, true, valueTone, nullptr, nullptr, nullptr,
     nullptr, [](const RegisterRow& r) { return r.changed; }},
    {"value", valueText, false, true, valueTone, rangeTip},
    {"binding", [](const RegisterRow& r) { return r.binding; }, true, true},
};

constexpr Column<FrameRow> kStackColumns[] = {
    {"function", [](const FrameRow& r) { return r.function; }, false, true},
    {"binding", [](const FrameRow& r) { return r.called; }, false, true},
    {"line", [](const FrameRow& r) { return r.line > 0 ? QString::number(r.line) : QString(); }, true, true},
    {"pc", [](const FrameRow& r) { return r.instruction >= 0 ? QString::number(r.instruction) : QString(); }, true,
     true, [](const FrameRow&) { return CellTone::Grey; }},
};

/// When it stops and what it does then: "where nan(weights) > 0, from hit 3, logs: …".
QString stopsText(const BreakpointRow& r) {
  QStringList parts;
  if (r.kind == BreakpointKind::Data) parts << QStringLiteral("when written");
  if (r.kind == BreakpointKind::Instruction) parts << QStringLiteral("before the instruction");
  if (!r.condition.isEmpty()) parts << QStringLiteral("where ") + r.condition;
  if (!r.hitCondition.isEmpty()) parts << QStringLiteral("at hits ") + r.hitCondition;
  if (!r.logMessage.isEmpty()) parts << QStringLiteral("logs: ") + r.logMessage;
  return parts.isEmpty() ? QStringLiteral("always") : parts.join(QStringLiteral(", "));
}
QString breakpointState(const BreakpointRow& r) {
  return !r.enabled            ? QStringLiteral("off")
         : !r.error.isEmpty()  ? r.error
         : r.verified          ? QStringLiteral("set")
         : r.message.isEmpty() ? QStringLiteral("set at the next run")
                               : r.message;
}

constexpr Column<BreakpointRow> kBreakpointColumns[] = {
    {"binding", [](const BreakpointRow& r) { return r.variable; }, false, true},
    {"function", [](const BreakpointRow& r) { return r.function; }, false, true},
    {"stage",
     [](const BreakpointRow& r) {
       return r.kind == BreakpointKind::Instruction ? QStringLiteral("program") : QString::number(r.stage);
     },
     true, true},
    {"stops", stopsText, false, true,
     [](const BreakpointRow& r) { return r.error.isEmpty() ? CellTone::Normal : CellTone::Error; }, stopsText},
    {"hits", [](const BreakpointRow& r) { return grouped(r.hits); }, true, true},
    {"state", breakpointState, false, false,
     [](const BreakpointRow& r) {
       return !r.error.isEmpty() || !r.message.isEmpty() ? CellTone::Error
              : r.verified                               ? CellTone::Good
                                                         : CellTone::Grey;
     },
     breakpointState},
};

CellTone severityTone(const ProblemRow& r) {
  return r.severity == Severity::Error     ? CellTone::Error
         : r.severity == Severity::Warning ? CellTone::Warning
                                           : CellTone::Grey;
}
constexpr Column<ProblemRow> kProblemColumns[] = {
    {"",
     [](const ProblemRow& r) {
       return r.severity == Severity::Error     ? QStringLiteral("error")
              : r.severity == Severity::Warning ? QStringLiteral("warning")
                                                : QStringLiteral("note");
     },
     false, false, severityTone, nullptr, nullptr,
     [](const ProblemRow& r) {
       return r.severity == Severity::Error ? "error" : r.severity == Severity::Warning ? "warning" : "info";
     }},
    {"message", [](const ProblemRow& r) { return r.message; }, false, false, nullptr, problemText},
    {"rule", [](const ProblemRow& r) { return r.rule; }, false, true, [](const ProblemRow&) { return CellTone::Grey; }},
    {"place",
     [](const ProblemRow& r) {
       if (r.line > 0 && !r.file.isEmpty())
         return QStringLiteral("%1:%2:%3")
             .arg(r.file.section('/', -1), QString::number(r.line), QString::number(r.column));
       // A finding of a run has no file: it stands in the text of the stage.
       const QString where = r.context.section(", ", 0, 0);
       return r.line <= 0       ? r.context
              : where.isEmpty() ? QStringLiteral("line %1").arg(r.line)
                                : QStringLiteral("%1 · line %2").arg(where, QString::number(r.line));
     },
     false, false, [](const ProblemRow&) { return CellTone::Grey; }, [](const ProblemRow& r) { return r.file; }},
    {"found by", [](const ProblemRow& r) { return r.source; }, false, false,
     [](const ProblemRow&) { return CellTone::Grey; }},
    {"", [](const ProblemRow& r) { return r.rule.isEmpty() ? QString() : QStringLiteral("what it means"); }, false,
     false, [](const ProblemRow&) { return CellTone::Accent; },
     [](const ProblemRow& r) {
       return r.rule.isEmpty() ? QString() : QStringLiteral("What %1 means, with an example").arg(r.rule);
     },
     nullptr, [](const ProblemRow& r) { return r.rule.isEmpty() ? "" : "help"; }},
};

constexpr Column<SymbolLine> kSymbolColumns[] = {
    {"symbol", [](const SymbolLine& r) { return r.name; }, false, true},
    {"value", [](const SymbolLine& r) { return r.hasValue ? grouped(r.value) : QStringLiteral("–"); }, true, true,
     [](const SymbolLine& r) { return r.hasValue ? CellTone::Good : CellTone::Grey; }},
    {"bound by", [](const SymbolLine& r) { return r.boundBy.isEmpty() ? QStringLiteral("nothing") : r.boundBy; }, false,
     false, [](const SymbolLine& r) { return r.boundBy.isEmpty() ? CellTone::Error : CellTone::Normal; },
     [](const SymbolLine& r) { return r.line > 0 ? QStringLiteral("line %1").arg(r.line) : QString(); }},
    {"bounds", [](const SymbolLine& r) { return r.bounds; }, false, true},
    {"used in", [](const SymbolLine& r) { return r.used; }, false, false,
     [](const SymbolLine&) { return CellTone::Grey; }, [](const SymbolLine& r) { return r.usedTip; }},
};

constexpr Column<LogLine> kLogColumns[] = {
    {"time", [](const LogLine& r) { return r.time.toString(QStringLiteral("hh:mm:ss.zzz")); }, false, true,
     [](const LogLine&) { return CellTone::Grey; }},
    {"level", [](const LogLine& r) { return logLevel(r.kind); }, false, false,
     [](const LogLine& r) { return r.kind == LogLine::Kind::Error ? CellTone::Error : CellTone::Grey; }},
    {"text", [](const LogLine& r) { return r.text; }, false, true,
     [](const LogLine& r) {
       return r.kind == LogLine::Kind::Error  ? CellTone::Error
              : r.kind == LogLine::Kind::Note ? CellTone::Grey
                                              : CellTone::Normal;
     }},
};

}  // namespace

RegisterRow registerRow(const HeapRow& slot) {
  RegisterRow row;
  row.name = QStringLiteral("heap[%1]").arg(slot.slot);
  row.binding = slot.origin.isEmpty() ? slot.expression : slot.expression + QStringLiteral(", from ") + slot.origin;
  row.value.known = slot.set;
  row.value.text = slot.set ? grouped(slot.value) : QString();
  row.changed = slot.changed;
  return row;
}

namespace {

QString changesOf(const StepRow& step, bool all) {
  if (step.number == 0 && step.state != StepState::Failed) return {};
  if (step.state == StepState::Pending) return QStringLiteral("not run");
  if (step.state == StepState::Running) return QStringLiteral("running…");
  if (step.state == StepState::Failed)
    return step.verdictReason.isEmpty() ? QStringLiteral("failed") : step.verdictReason;
  if (step.changed.empty()) return QStringLiteral("same");
  // A pass of kernels changes dozens: the tip names them.
  constexpr size_t kMostNamed = 3;
  const auto stay =
      static_cast<size_t>(std::count_if(step.changed.begin(), step.changed.end(), [](const StepRow::Changed& change) {
        return !change.added && !change.removed;
      }));
  QStringList parts;
  int added = 0;
  int removed = 0;
  size_t others = 0;
  for (const StepRow::Changed& change : step.changed) {
    added += change.added;
    removed += change.removed;
    if (change.added || change.removed) continue;
    if (!all && stay > kMostNamed && (others > 0 || !parts.isEmpty())) {
      ++others;
      continue;
    }
    parts << (change.netBindings == 0
                  ? change.function
                  : QStringLiteral("%1 %2%3").arg(change.function, change.netBindings > 0 ? "+" : "",
                                                  QString::number(change.netBindings)));
  }
  if (others > 0) parts << QStringLiteral("%1 more").arg(others);
  if (added > 0) parts << QStringLiteral("%1 new").arg(added);
  if (removed > 0) parts << QStringLiteral("%1 gone").arg(removed);
  return parts.join(QStringLiteral(", "));
}

}  // namespace

QString changeText(const StepRow& step) { return changesOf(step, false); }
QString changeTip(const StepRow& step) { return changesOf(step, true); }

SymbolLine symbolLine(const SymbolRow& symbol) {
  SymbolLine line{symbol.name, symbol.boundBy, symbol.binder, symbol.line, symbol.bounds, {}, {}, false, 0};
  if (symbol.uses.empty()) {
    line.used = QStringLiteral("nowhere else");
    return line;
  }
  constexpr qsizetype kShown = 12;
  constexpr qsizetype kTipLines = 24;
  // The uses of one variable stand together; of a long function there are as many as it has bindings.
  qint64 places = 0;
  const QString* last = nullptr;
  QStringList names;
  QStringList tip;
  for (const SymbolUseRow& use : symbol.uses) {
    const bool fresh = !last || *last != use.variable;
    last = &use.variable;
    places += fresh ? 1 : 0;
    const bool named = fresh && names.size() < kShown;
    if (!named && tip.size() >= kTipLines) continue;
    const QString name = use.variable.isEmpty() ? QStringLiteral("result") : use.variable;
    if (tip.size() < kTipLines) tip << name + QStringLiteral(": ") + use.text;
    if (named && !names.contains(name)) names << name;
  }
  const qsizetype rest = static_cast<qsizetype>(symbol.uses.size()) - tip.size();
  if (rest > 0) tip << QStringLiteral("and %1 more").arg(grouped(rest));
  line.usedTip = tip.join('\n');
  line.used = QStringLiteral("%1 %2: %3")
                  .arg(grouped(places), places == 1 ? "place" : "places", names.join(QStringLiteral(", ")));
  if (places > names.size()) line.used += QStringLiteral(", …");
  return line;
}

PassModel::PassModel(QObject* parent) : RowModel(kPassColumns, parent) {}

void PassModel::setSteps(const std::vector<StepRow>& steps) {
  const bool several = std::any_of(steps.begin(), steps.end(), [&](const StepRow& step) {
    return step.language != steps.front().language && !step.language.isEmpty();
  });
  std::vector<StepRow> rows;
  rowOf_.clear();
  for (size_t stage = 0; stage < steps.size(); ++stage) {
    if (several && (stage == 0 || steps[stage].language != steps[stage - 1].language)) {
      StepRow heading;
      heading.number = kHeading;
      heading.name = steps[stage].language;
      rows.push_back(std::move(heading));
    }
    rowOf_.push_back(static_cast<int>(rows.size()));
    rows.push_back(steps[stage]);
  }
  setRows(std::move(rows));
}

bool PassModel::isHeading(int row) const {
  return row >= 0 && row < rowCount() && rows()[static_cast<size_t>(row)].number == kHeading;
}

int PassModel::rowOfStage(int stage) const {
  return stage >= 0 && static_cast<size_t>(stage) < rowOf_.size() ? rowOf_[static_cast<size_t>(stage)] : -1;
}

int PassModel::stageOfRow(int row) const {
  const auto at = std::lower_bound(rowOf_.begin(), rowOf_.end(), row);
  return at != rowOf_.end() && *at == row ? static_cast<int>(at - rowOf_.begin()) : -1;
}

Qt::ItemFlags PassModel::flags(const QModelIndex& index) const {
  return isHeading(index.row()) ? Qt::ItemFlags() : RowModel::flags(index);
}

QVariant PassModel::data(const QModelIndex& index, int role) const {
  if (!isHeading(index.row())) return RowModel::data(index, role);
  if (index.column() != 0) return {};
  if (role == Qt::DisplayRole) return row(index)->name;
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
  if (role == Qt::ForegroundRole) return RowModel::data(index, role);
  if (role != Qt::FontRole) return {};
  QFont font;
  font.setBold(true);
  return font;
}
BytecodeModel::BytecodeModel(QObject* parent) : RowModel(kBytecodeColumns, parent) {}
RegisterModel::RegisterModel(QObject* parent) : RowModel(kRegisterColumns, parent) {}
StackModel::StackModel(QObject* parent) : RowModel(kStackColumns, parent) {}
BreakpointModel::BreakpointModel(QObject* parent) : RowModel(kBreakpointColumns, parent) {}
ProblemModel::ProblemModel(QObject* parent) : RowModel(kProblemColumns, parent) {}
SymbolModel::SymbolModel(QObject* parent) : RowModel(kSymbolColumns, parent) {}
LogModel::LogModel(QObject* parent) : RowModel(kLogColumns, parent) {}

Qt::ItemFlags BreakpointModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = RowModel::flags(index);
  return index.isValid() && index.column() == 0 ? flags | Qt::ItemIsUserCheckable : flags;
}

QVariant BreakpointModel::data(const QModelIndex& index, int role) const {
  const BreakpointRow* found = row(index);
  if (found && role == Qt::CheckStateRole && index.column() == 0) {
    return static_cast<int>(found->enabled ? Qt::Checked : Qt::Unchecked);
  }
  return RowModel::data(index, role);
}

bool BreakpointModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  const BreakpointRow* found = row(index);
  if (!found || role != Qt::CheckStateRole || index.column() != 0 || !onEnable) return false;
  onEnable(found->id, value.toInt() == Qt::Checked);
  return true;
}

}  // namespace rx::views
