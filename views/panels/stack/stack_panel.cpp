#include "views/panels/stack/stack_panel.h"

#include <QVBoxLayout>

#include "views/models/debug_session.h"
#include "views/models/selection.h"
#include "views/panels/binding_menu.h"
#include "views/panels/list_view.h"
#include "views/panels/run_watch.h"

namespace rx::views {

StackPanel::StackPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), model_(new StaleRows<StackModel>(this)), view_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  view_->setModel(model_);
  view_->setStretchColumn(0);
  view_->setEmptyText(tr("The call stack stands here while a run is stopped."));
  view_->setAccessibleName(tr("Call stack"));
  setFocusProxy(view_);
  connect(view_, &ListView::picked, this, &StackPanel::pick);
  connect(view_, &ListView::chosen, this, [this](const QModelIndex& index) {
    pick(index);
    context_.commands->run("view.panel", {"ir"});
  });
  watchRun(context.debug, this, [this] { want(); });
  refresh();
}

void StackPanel::catchUp(unsigned) { refresh(); }

void StackPanel::refresh() {
  model_->setPalette(Palette::forQt(palette()));
  model_->setStale(!context_.debug->pastOf().isEmpty());
  model_->setRows(context_.debug->frames());
  model_->setCurrentRow(model_->rowCount() > 0 ? 0 : -1);
  view_->fitColumns();
  const int count = model_->rowCount();
  Q_EMIT titleChanged(count > 0 ? tr("Call Stack %1").arg(count) : tr("Call Stack"));
}

void StackPanel::pick(const QModelIndex& index) {
  if (const FrameRow* row = model_->row(index))
    context_.selection->selectBinding(row->function, row->binding, row->variable);
}

QStringList StackPanel::menuCommands() const { return QStringList{"debug.stepOut", "-"} + bindingMenu("stack"); }

QString StackPanel::dump() const { return modelText(*model_); }

}  // namespace rx::views
