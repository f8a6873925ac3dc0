#include "views/panels/problems/problems_panel.h"

#include <QVBoxLayout>

#include "views/models/document.h"
#include "views/panels/list_view.h"

namespace rx::views {

ProblemsPanel::ProblemsPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), model_(new ProblemModel(this)), view_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  view_->setModel(model_);
  view_->setStretchColumn(1);
  view_->setEmptyText(tr("No problems found."));
  view_->setAccessibleName(tr("Problems"));
  setFocusProxy(view_);
  connect(view_, &ListView::chosen, this, &ProblemsPanel::choose);
  connect(context.document, &Document::problemsChanged, this, &ProblemsPanel::refresh);
  refresh();
}

void ProblemsPanel::refresh() {
  model_->setPalette(Palette::forQt(palette()));
  model_->setRows(context_.document->problems());
  view_->fitColumns();
  const int count = model_->rowCount();
  Q_EMIT titleChanged(count > 0 ? tr("Problems %1").arg(count) : tr("Problems"));
}

void ProblemsPanel::choose(const QModelIndex& index) {
  const ProblemRow* row = model_->row(index);
  if (!row || row->line <= 0) return;
  if (row->stage > 0) context_.commands->run("pass.goTo", {QString::number(row->stage)});
  context_.commands->run("edit.goToLine", {QString::number(row->line)});
}

QString ProblemsPanel::dump() const {
  QStringList texts;
  for (const ProblemRow& row : model_->rows()) texts << problemText(row);
  return texts.join('\n');
}

}  // namespace rx::views
