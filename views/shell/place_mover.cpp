#include "views/shell/place_mover.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

namespace rx::views {
namespace {

QStringList stageNames(const Document& document) {
  QStringList names;
  for (const StepRow& row : document.steps()) names << row.name;
  return names;
}

/// The place of `number` in a list by what stood there before: the nearest of that name.
int nearestOf(const QStringList& now, const QStringList& before, int number) {
  const QString name = before.value(number);
  int best = -1;
  for (int i = 0; i < now.size(); ++i)
    if (now[i] == name && (best < 0 || std::abs(i - number) < std::abs(best - number))) best = i;
  return best < 0 ? std::min(number, static_cast<int>(now.size()) - 1) : best;
}

/// Whether a breakpoint stands at a binding, rather than at a register or an instruction of the program.
bool atBinding(const BreakpointRow& row) { return row.reg < 0 && row.instruction < 0 && !row.variable.isEmpty(); }

/// The breakpoints anew where `change` moves one.
void relocate(DebugSession& debug, const std::function<bool(BreakpointRow&)>& change) {
  std::vector<BreakpointRow> rows = debug.breakpoints();
  bool any = false;
  for (BreakpointRow& row : rows) any = change(row) || any;
  if (!any) return;
  debug.clearBreakpoints();
  for (const BreakpointRow& row : rows) debug.addBreakpoint(row);
}

/// Writes a number where another stood; whether it is another.
bool put(int* where, int number) { return std::exchange(*where, number) != number; }

}  // namespace

PlaceMover::PlaceMover(Desk& desk, QObject* parent) : QObject(parent), desk_(desk) {
  connect(&desk.document, &Document::stageReady, this, &PlaceMover::visit);
  connect(&desk.document, &Document::stepsChanged, this, &PlaceMover::visit);
}

void PlaceMover::look(bool again) {
  if (again && !desk_.document.canRunPasses()) followStages();
  names_ = stageNames(desk_.document);
  waiting_.clear();
  for (const BreakpointRow& row : desk_.debug.breakpoints())
    if (atBinding(row)) waiting_.insert(row.stage);
  for (const Note& note : desk_.notes.rows()) waiting_.insert(note.place.stage);
  selectionWaits_ = true;
  if (again) desk_.document.runPassesTo(desk_.selection.place().stage);
  visit();
}

/// The stages of a folder keep their names when others are written between them.
void PlaceMover::followStages() {
  const QStringList now = stageNames(desk_.document);
  const auto moved = [&](int stage) { return nearestOf(now, names_, stage); };
  Place place = desk_.selection.place();
  place.stage = moved(place.stage);
  desk_.selection.replace(place);
  relocate(desk_.debug, [&](BreakpointRow& row) { return put(&row.stage, moved(row.stage)); });
  desk_.notes.relocate([&](Place note) {
    note.stage = moved(note.stage);
    return note;
  });
}

void PlaceMover::visit() {
  if (selectionWaits_) waiting_.insert(desk_.selection.place().stage);  // a link that opened the file may have moved it
  for (auto each = waiting_.begin(); each != waiting_.end();) {
    const int stage = *each++;
    if (stage <= desk_.document.lastStage() && desk_.document.stage(stage)) settle(stage);
  }
}

void PlaceMover::settle(int stage) {
  waiting_.erase(stage);
  const StageIndexPtr index = desk_.document.stage(stage, false);
  if (index->errorLine > 0) return;  // a stage that can not be read has no functions
  QStringList lost;
  relocate(desk_.debug, [&](BreakpointRow& row) {
    if (row.stage != stage || !atBinding(row)) return false;
    const Place place = movedIn(*index, {row.stage, row.function, row.binding, row.variable});
    if (place.binding < 0 && row.binding >= 0) lost << row.variable;
    return put(&row.binding, place.binding);
  });
  desk_.notes.relocate([&](const Place& note) { return note.stage == stage ? movedIn(*index, note) : note; });
  if (selectionWaits_ && desk_.selection.place().stage == stage) {
    selectionWaits_ = false;
    desk_.selection.replace(movedIn(*index, desk_.selection.place()));
  }
  if (!lost.isEmpty())
    Q_EMIT said(tr("A breakpoint has nothing to stop at any more: there is no %1 in stage %2.")
                    .arg(lost.join(QStringLiteral(", ")), QString::number(stage)));
}

}  // namespace rx::views
