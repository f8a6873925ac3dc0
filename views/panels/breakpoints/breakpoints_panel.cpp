#include "views/panels/breakpoints/breakpoints_panel.h"

#include <QEvent>
#include <QKeyEvent>
#include <QVBoxLayout>

#include "views/models/debug_session.h"
#include "views/models/expression_words.h"
#include "views/models/selection.h"
#include "views/panels/binding_menu.h"
#include "views/panels/list_view.h"

namespace rx::views {
namespace {

constexpr int kStops = 3;  // the column that says when a breakpoint stops

}  // namespace

BreakpointsPanel::BreakpointsPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      model_(new BreakpointModel(this)),
      view_(new ListView(this)),
      edit_(new RowEdit(context, view_)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  view_->setModel(model_);
  view_->setStretchColumn(kStops);
  view_->setEmptyText(
      tr("%1 sets a breakpoint at the selected binding, %2 one that stops only where something is true.")
          .arg(context.commands->label("debug.toggleBreakpoint"), context.commands->label("debug.condition")));
  view_->setAccessibleName(tr("Breakpoints"));
  setFocusProxy(view_);
  view_->installEventFilter(this);
  model_->onEnable = [this](int id, bool enabled) { context_.debug->setBreakpointEnabled(id, enabled); };
  connect(view_, &ListView::chosen, this, &BreakpointsPanel::choose);
  connect(edit_, &RowEdit::kept, this, &BreakpointsPanel::keepCondition);
  connect(view_, &ListView::picked, this, &BreakpointsPanel::select);
  connect(context.debug, &DebugSession::breakpointsChanged, this, &BreakpointsPanel::refresh);
  refresh();
}

void BreakpointsPanel::refresh() {
  model_->setPalette(Palette::forQt(palette()));
  model_->setRows(context_.debug->breakpoints());
  view_->fitColumns();
  const int count = model_->rowCount();
  Q_EMIT titleChanged(count > 0 ? tr("Breakpoints %1").arg(count) : tr("Breakpoints"));
}

/// A row selects its binding in the stage that is shown; another stage is gone to when the row is chosen.
void BreakpointsPanel::select(const QModelIndex& index) {
  const BreakpointRow* row = model_->row(index);
  if (row && row->binding >= 0 && row->stage == context_.selection->place().stage)
    context_.selection->selectBinding(row->function, row->binding, row->variable);
}

void BreakpointsPanel::choose(const QModelIndex& index) {
  const BreakpointRow* found = model_->row(index);
  if (!found) return;
  const BreakpointRow row = *found;
  if (row.kind == BreakpointKind::Instruction) {
    context_.commands->run("debug.goToInstruction", {row.function, QString::number(row.instruction)});
    return;
  }
  context_.commands->run("pass.goTo", {QString::number(row.stage)});
  if (row.binding >= 0) context_.selection->selectBinding(row.function, row.binding, row.variable);
  context_.commands->run("view.panel", {"ir"});
}

bool BreakpointsPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched != view_ || event->type() != QEvent::KeyPress) return Panel::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  if (key == Qt::Key_Delete) return command("remove", {});
  if (key == Qt::Key_F2) return command("edit", {});
  return false;
}

/// At a binding in the text, under its line; of an instruction here.
bool BreakpointsPanel::edit(int number) {
  const BreakpointRow& row = model_->rows()[static_cast<size_t>(number)];
  const QModelIndex index = model_->index(number, kStops);
  view_->setCurrentIndex(index);
  if (row.kind != BreakpointKind::Instruction) {
    choose(index);
    return context_.commands->run("debug.condition");
  }
  edited_ = row.id;
  edit_->open(index, tr("Condition of the breakpoint"), row.condition, row.error, row.errorBegin, row.errorEnd);
  return true;
}

void BreakpointsPanel::keepCondition(const QString& text) {
  for (const BreakpointRow& row : model_->rows()) {
    if (row.id != edited_) continue;
    if (const QString fault = text.isEmpty() ? QString() : expressionFault(text); !fault.isEmpty()) {
      Q_EMIT message(fault);
      return;
    }
    BreakpointRule rule = row;
    rule.condition = text;
    return context_.debug->setBreakpointRule(edited_, rule);
  }
}

bool BreakpointsPanel::obey(const QString& name, const QStringList& arguments) {
  int number = view_->currentIndex().row();
  for (int row = 0; row < model_->rowCount() && !arguments.isEmpty(); ++row)
    if (model_->rows()[static_cast<size_t>(row)].id == arguments[0].toInt()) number = row;
  if (number < 0 || number >= model_->rowCount()) return false;
  if (name == "edit") return edit(number);
  if (name != "remove") return false;
  context_.debug->removeBreakpoint(model_->rows()[static_cast<size_t>(number)].id);
  return true;
}

QStringList BreakpointsPanel::menuCommands() const {
  return QStringList{"debug.hitCount", "debug.clearBreakpoints", "-"} + bindingMenu("breakpoints");
}

QString BreakpointsPanel::dump() const { return modelText(*model_); }

}  // namespace rx::views
