#include "views/panels/breakpoints/breakpoints_panel.h"

#include <QAction>
#include <QVBoxLayout>

#include "views/models/debug_session.h"
#include "views/models/selection.h"
#include "views/panels/list_view.h"

namespace rx::views {

BreakpointsPanel::BreakpointsPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), model_(new BreakpointModel(this)), view_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  view_->setModel(model_);
  view_->setStretchColumn(3);
  view_->setEmptyText(tr("F9 sets a breakpoint at the selected binding."));
  view_->setAccessibleName(tr("Breakpoints"));
  setFocusProxy(view_);
  auto* remove = new QAction(tr("Remove"), view_);
  remove->setShortcut(QKeySequence::Delete);
  remove->setShortcutContext(Qt::WidgetShortcut);
  view_->addAction(remove);
  view_->setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(remove, &QAction::triggered, this, [this] {
    if (const BreakpointRow* row = model_->row(view_->currentIndex())) context_.debug->removeBreakpoint(row->id);
  });
  model_->onEnable = [this](int id, bool enabled) { context_.debug->setBreakpointEnabled(id, enabled); };
  connect(view_, &ListView::chosen, this, &BreakpointsPanel::choose);
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

void BreakpointsPanel::choose(const QModelIndex& index) {
  const BreakpointRow* row = model_->row(index);
  if (!row) return;
  context_.commands->run("pass.goTo", {QString::number(row->stage)});
  context_.selection->selectBinding(row->function, row->binding, row->variable);
}

QString BreakpointsPanel::dump() const { return modelText(*model_); }

}  // namespace rx::views
