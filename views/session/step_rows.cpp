#include "views/session/step_rows.h"

#include <QFileInfo>
#include <algorithm>

#include "core/ir/language.h"
#include "core/pass/context_pass.h"
#include "views/session/module_reader.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

std::vector<StepRow::Changed> changedRows(const std::vector<pass::FunctionChange>& changes) {
  using What = pass::FunctionChange::What;
  std::vector<StepRow::Changed> rows;
  for (const pass::FunctionChange& change : changes) {
    rows.push_back({qtText(change.name), static_cast<int>(change.netSize), change.what == What::Added,
                    change.what == What::Removed});
  }
  return rows;
}

}  // namespace

QString optionsOf(const std::string& text) {
  const QString call = qtText(text);
  const qsizetype open = call.indexOf('(');
  return open < 0 ? QString() : call.mid(open + 1, call.size() - open - 2);
}

StepRow dumpedRow(const import::DumpedStage& stage, int number) {
  StepRow row;
  row.number = number;
  row.name = qtText(stage.name);
  row.options = optionsOf(stage.call);
  row.file = stage.file.empty() ? QString() : QFileInfo(qtText(stage.file)).fileName();
  row.state = stage.refused() ? StepState::Failed : StepState::Done;
  row.changed = changedRows(stage.changes);
  row.milliseconds = stage.milliseconds.value_or(-1);
  row.nodes = stage.nodes;
  if (stage.module) row.language = qtText(ir::languageOf(*stage.module).title);
  if (stage.refused())
    row.verdictReason = firstError(problemRows(stage.diagnostics, {stage.source}, QString(), number));
  return row;
}

std::vector<Diagnostic> newFindings(const std::vector<Diagnostic>& before, const std::vector<Diagnostic>& now) {
  std::vector<Diagnostic> fresh;
  for (const Diagnostic& finding : now) {
    const bool known = std::any_of(before.begin(), before.end(), [&](const Diagnostic& earlier) {
      return earlier.rule == finding.rule && earlier.message == finding.message && earlier.context == finding.context;
    });
    if (!known) fresh.push_back(finding);
  }
  return fresh;
}

void setVerdict(StepRow* row, const std::vector<Diagnostic>& findings) {
  row->verdict = hasErrors(findings) ? Verdict::IllFormed : Verdict::WellFormed;
  row->verdictReason.clear();
  for (const Diagnostic& finding : findings) {
    if (row->verdictReason.isEmpty()) row->verdictReason = qtText(finding.message);
  }
}

void setResult(StepRow* row, const pass::StepRecord& record) {
  row->state = record.failed() ? StepState::Failed : StepState::Done;
  row->milliseconds = record.milliseconds;
  row->nodes = record.nodesAfter;
  row->bytes = record.bytesAdded;
  row->remarks.clear();
  for (const pass::Remark& remark : record.remarks) {
    row->remarks.push_back(
        {qtText(remark.function), static_cast<int>(remark.ordinal), qtText(remark.binding->name), qtText(remark.text)});
  }
  row->ways.clear();
  for (const Diagnostic& message : record.messages)
    if (const auto way = pass::wayIn(message))
      row->ways.push_back({qtText(way->says), qtText(way->before), qtText(way->config), qtText(way->value)});
  row->changed = changedRows(record.changes);
  row->verdict = !record.verified            ? Verdict::Unknown
                 : hasErrors(record.verdict) ? Verdict::IllFormed
                                             : Verdict::WellFormed;
  const std::vector<Diagnostic>& why = record.failed() ? record.messages : record.verdict;
  for (const Diagnostic& diagnostic : why) {
    if (diagnostic.severity == Severity::Error) row->verdictReason = qtText(diagnostic.message);
  }
}

StageIndexPtr refusedIndex(const import::DumpedStage& stage, int number) {
  auto index = std::make_shared<StageIndex>();
  index->stage = number;
  index->title = qtText(stage.name);
  index->errorLine = 1;
  if (stage.source) index->text = qtText(stage.source->text()).toUtf8();
  for (const ProblemRow& row : problemRows(stage.diagnostics, {stage.source}, QString(), number)) {
    if (row.severity != Severity::Error || row.line < 1) continue;
    index->errorLine = row.line;
    break;
  }
  findLines(index.get());
  return index;
}

}  // namespace rx::views
