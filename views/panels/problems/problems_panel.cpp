#include "views/panels/problems/problems_panel.h"

#include <QVBoxLayout>

#include "views/models/document.h"
#include "views/models/selection.h"
#include "views/panels/list_view.h"

namespace rx::views {

ProblemsPanel::ProblemsPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), model_(new ProblemModel(this)), view_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  view_->setModel(model_);
  view_->setStretchColumn(1);
  view_->setLessImportant(4);
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
  if (!row) return;
  const ProblemRow problem = *row;  // commands below may replace the rows
  const bool refused = !problem.file.isEmpty() && problem.file == context_.document->refusedFile();
  const bool open = context_.document->state() == Document::State::Ready;
  if (open && !refused) {
    if (problem.stage != context_.selection->place().stage)
      context_.commands->run("pass.goTo", {QString::number(problem.stage)});
    const StageIndexPtr stage = context_.document->stage(problem.stage, false);
    const ProblemPlace at = problemPlace(problem, stage.get());
    Place place = context_.selection->place();
    if (!at.function.isEmpty()) {
      place.stage = problem.stage;
      place.function = at.function;
      place.variable = at.variable;
      const FunctionRow* function = stage ? stage->function(at.function) : nullptr;
      const BindingRow* binding = function ? function->bindingNamed(at.variable) : nullptr;
      place.binding = binding ? binding->ordinal : -1;
      context_.selection->select(place);
      context_.commands->run("view.panel", {"ir"});
    } else if (problem.file.isEmpty() && problem.line > 0) {
      context_.commands->run("edit.goToLine", {QString::number(problem.line)});
    }
  }
  if (problem.file.isEmpty() || problem.line < 1 || (problem.stage > 0 && open && !refused)) return;
  context_.commands->run("view.panel", {"source"});
  context_.commands->run("view.panelCommand", {"source", "goToLine", QString::number(problem.line)});
}

QString ProblemsPanel::dump() const {
  QStringList texts;
  for (const ProblemRow& row : model_->rows()) texts << problemText(row);
  return texts.join('\n');
}

}  // namespace rx::views
