#include "views/panels/log/log_panel.h"

#include <QHeaderView>
#include <QScrollBar>
#include <QVBoxLayout>

#include "views/models/debug_session.h"
#include "views/panels/list_view.h"

namespace rx::views {

LogPanel::LogPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), model_(new LogModel(this)), view_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  view_->setModel(model_);
  view_->setStretchColumn(2);
  view_->header()->hide();
  view_->setEmptyText(tr("Nothing said yet."));
  view_->setAccessibleName(tr("Log"));
  setFocusProxy(view_);
  connect(context.debug, &DebugSession::logChanged, this, [this] { want(); });
  refresh();
}

/// A run may say thousands of lines in a second: they are shown together.
void LogPanel::catchUp(unsigned) { refresh(); }

void LogPanel::refresh() {
  const bool atEnd = view_->verticalScrollBar()->value() == view_->verticalScrollBar()->maximum();
  model_->setPalette(Palette::forQt(palette()));
  model_->setRows(context_.debug->log());
  view_->fitColumns();
  if (atEnd) view_->scrollToBottom();
}

QStringList LogPanel::menuCommands() const { return {"edit.copyCommand", "help.saveDiagnostics"}; }

QString LogPanel::dump() const { return modelText(*model_); }

}  // namespace rx::views
