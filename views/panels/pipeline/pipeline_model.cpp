#include "views/panels/pipeline/pipeline_model.h"

#include "views/models/list_models.h"
#include "views/models/numbers.h"
#include "views/panels/pipeline/pipeline_rows.h"

namespace rx::views {
namespace {

using Line = PipelineLine;

bool ran(const Line& line) { return line.stage >= 0 && line.step.state == StepState::Done; }
bool changed(const Line& line) { return ran(line) && !line.step.changed.empty(); }
CellTone grey(const Line&) { return CellTone::Grey; }
CellTone nameTone(const Line& line) {
  if (line.stage >= 0 && line.step.state == StepState::Failed) return CellTone::Error;
  return line.on && (!ran(line) || changed(line)) ? CellTone::Normal : CellTone::Grey;
}
CellTone changeTone(const Line& line) {
  if (line.stage >= 0 && line.step.state == StepState::Failed) return CellTone::Error;
  return changed(line) ? CellTone::Warning : CellTone::Grey;
}
QString stageText(const Line& line) { return line.stage < 0 ? QString() : QString::number(line.stage); }
QString changedText(const Line& line) { return line.on ? changeText(line.step) : QStringLiteral("switched off"); }
QString changedTip(const Line& line) {
  const bool failed = line.stage >= 0 && line.step.state == StepState::Failed;
  if (failed || line.step.verdict == Verdict::IllFormed) return line.step.verdictReason;
  return line.on ? changeTip(line.step) : changedText(line);
}
QString sizeText(const Line& line) { return ran(line) ? grouped(line.step.nodes) : QString(); }
QString memoryText(const Line& line) {
  return ran(line) && line.step.planned ? bytesText(*line.step.planned) : QString();
}
QString memoryTip(const Line& line) {
  QString tip = line.step.planned ? QStringLiteral("what the largest function of the stage plans for its values")
                                  : QStringLiteral("the stage plans no memory, or of sizes that a run alone knows");
  if (ran(line) && line.step.bytes >= 0)
    tip += QStringLiteral("; the stage itself takes %1 here beside the one before").arg(bytesText(line.step.bytes));
  return tip;
}
QString timeText(const Line& line) {
  return ran(line) && line.step.milliseconds >= 0 ? durationText(line.step.milliseconds) : QString();
}
QString shareTip(const Line& line) {
  return timeText(line).isEmpty() ? QString()
                                  : QStringLiteral("%1 % of the passes that ran").arg(line.share * 100, 0, 'f', 1);
}
QString helpTip(const Line& line) { return line.name + '\n' + line.help; }

constexpr Column<Line> kColumns[] = {
    {"", [](const Line& line) { return line.on ? QStringLiteral("on") : QStringLiteral("off"); }},
    {"#", stageText, true, true, grey},
    {"pass", [](const Line& line) { return line.name; }, false, false, nameTone, helpTip},
    {"options", [](const Line& line) { return line.options; }, false, true, grey,
     [](const Line& line) { return line.options; }},
    {"changed", changedText, false, false, changeTone, changedTip, changed},
    {"size", sizeText, true, false, grey,
     [](const Line&) { return QStringLiteral("bindings and statements of the result"); }},
    {"memory", memoryText, true, false, grey, memoryTip},
    {"time", timeText, true, false, grey, shareTip, nullptr, nullptr, nullptr, nullptr,
     [](const Line& line) { return line.share; }},
};

}  // namespace

PipelineModel::PipelineModel(QObject* parent) : RowModel(kColumns, parent) {}

Qt::ItemFlags PipelineModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = RowModel::flags(index);
  return index.isValid() && index.column() == kOn ? flags | Qt::ItemIsUserCheckable : flags;
}

QVariant PipelineModel::data(const QModelIndex& index, int role) const {
  const PipelineLine* line = row(index);
  if (line && index.column() == kOn) {
    if (role == Qt::CheckStateRole) return static_cast<int>(line->on ? Qt::Checked : Qt::Unchecked);
    if (role == Qt::DisplayRole) return QString();
    if (role == Qt::AccessibleTextRole) return line->on ? QStringLiteral("on") : QStringLiteral("off");
  }
  return RowModel::data(index, role);
}

bool PipelineModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!row(index) || role != Qt::CheckStateRole || index.column() != kOn || !onSwitch) return false;
  onSwitch(index.row(), value.toInt() == Qt::Checked);
  return true;
}

QVariant PipelineModel::headerData(int section, Qt::Orientation orientation, int role) const {
  double all = 0;
  for (const Line& line : rows())
    if (ran(line)) all += std::max(0.0, line.step.milliseconds);
  if (orientation == Qt::Horizontal && section == kTime && all > 0 && role == Qt::ToolTipRole)
    return QStringLiteral("%1 in all").arg(durationText(all));
  return RowModel::headerData(section, orientation, role);
}

std::vector<PipelineLine> pipelineLines(const Document& document) {
  std::vector<PipelineLine> lines;
  const std::vector<StepRow>& steps = document.steps();
  double all = 0;
  for (const StepRow& step : steps) all += step.state == StepState::Done ? std::max(0.0, step.milliseconds) : 0;
  int stage = 0;
  for (const PipelineRow& row : pipelineRows(document.pipeline(), document.language())) {
    PipelineLine line{row.name(), row.options(), QString::fromUtf8(row.call.row->help), row.on};
    if (row.on && static_cast<size_t>(++stage) < steps.size()) {
      line.stage = stage;
      line.step = steps[static_cast<size_t>(stage)];
      line.share = all > 0 && line.step.milliseconds > 0 ? line.step.milliseconds / all : 0;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace rx::views
