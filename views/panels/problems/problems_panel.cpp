#include "views/panels/problems/problems_panel.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/document.h"
#include "views/models/selection.h"
#include "views/panels/list_view.h"
#include "views/panels/problems/rule_page.h"

namespace rx::views {

ProblemsPanel::ProblemsPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      model_(new ProblemModel(this)),
      view_(new ListView(this)),
      explain_(new QPushButton(tr("What does this mean?"), this)),
      fix_(new QPushButton(tr("Apply fix"), this)),
      page_(new RulePage(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_, 1);
  layout->addWidget(page_);
  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(6, 4, 6, 4);
  buttons->addWidget(fix_);
  buttons->addWidget(explain_);
  buttons->addStretch();
  layout->addLayout(buttons);
  view_->setModel(model_);
  view_->setStretchColumn(1);
  view_->setLessImportant(4);
  view_->setEmptyText(tr("No problems found."));
  view_->setAccessibleName(tr("Problems"));
  setFocusProxy(view_);
  connect(page_, &RulePage::cameOrWent, this, &ProblemsPanel::share);
  connect(view_, &ListView::picked, this, &ProblemsPanel::pick);
  connect(view_, &ListView::chosen, this, &ProblemsPanel::choose);
  connect(view_->selectionModel(), &QItemSelectionModel::currentChanged, this, &ProblemsPanel::showFix);
  connect(view_, &ListView::clicked, this, [this](const QModelIndex& index) {
    const ProblemRow* row = index.column() == ProblemModel::kHelp ? model_->row(index) : nullptr;
    if (row && !row->rule.isEmpty()) context_.commands->run("problem.explain", {row->rule});
  });
  connect(explain_, &QPushButton::clicked, this, [this] { context_.commands->run("problem.explain"); });
  connect(fix_, &QPushButton::clicked, this,
          [this] { context_.commands->run("problem.fix", {QString::number(view_->currentIndex().row() + 1)}); });
  connect(context.document, &Document::problemsChanged, this, &ProblemsPanel::refresh);
  refresh();
}

void ProblemsPanel::refresh() {
  model_->setPalette(Palette::forQt(palette()));
  model_->setRows(context_.document->problems());
  view_->fitColumns();
  explain_->setVisible(model_->rowCount() > 0);
  // What a rule means goes with the last problem of that rule.
  const std::vector<ProblemRow>& rows = model_->rows();
  const bool told =
      std::any_of(rows.begin(), rows.end(), [this](const ProblemRow& r) { return r.rule == page_->rule(); });
  if (ofProblem_ && !told) page_->hide();
  ofProblem_ = told;
  showFix();
  const int count = model_->rowCount();
  Q_EMIT titleChanged(count > 0 ? tr("Problems %1").arg(count) : tr("Problems"));
}

/// Where there is no room for both, what a rule means stands in the place of the list.
void ProblemsPanel::share() {
  const bool told = page_->isVisibleTo(this);
  const bool both = height() > page_->minimumSizeHint().height() * 2;
  const QWidget* focus = QApplication::focusWidget();
  const bool focused = focus && isAncestorOf(focus);
  view_->setVisible(!told || both);
  setFocusProxy(view_->isVisibleTo(this) ? static_cast<QWidget*>(view_) : page_);
  if (focused && !told) view_->setFocus();
}

void ProblemsPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  share();
}

void ProblemsPanel::showFix() {
  const ProblemRow* row = model_->row(view_->currentIndex());
  const bool exact = row && context_.document->canFix(*row);
  fix_->setVisible(exact);
  if (exact) fix_->setText(tr("Write %1").arg(row->edit->text));
}

void ProblemsPanel::pick(const QModelIndex& index) {
  const ProblemRow* problem = model_->row(index);
  const StageIndexPtr stage = problem ? context_.document->stage(problem->stage, false) : nullptr;
  if (!stage || (!problem->file.isEmpty() && problem->file == context_.document->refusedFile())) return;
  const ProblemPlace at = problemPlace(*problem, stage.get());
  if (!stage->function(at.function)) return;
  Place place = context_.selection->place();
  place.stage = problem->stage;
  place.function = at.function;
  place.variable = at.variable;
  place.binding = at.binding;
  context_.selection->select(place);
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
      place.binding = at.binding;
      context_.selection->select(place);
      context_.commands->run("view.panel", {"ir"});
    } else if ((problem.file.isEmpty() || (stage && stage->errorLine > 0)) && problem.line > 0) {
      context_.commands->run("edit.goToLine", {QString::number(problem.line)});
    }
  }
  if (problem.file.isEmpty() || problem.line < 1 || (problem.stage > 0 && open && !refused)) return;
  context_.commands->run("view.panel", {"source"});
  context_.commands->run("view.panelCommand", {"source", "goToLine", QString::number(problem.line)});
}

QStringList ProblemsPanel::menuCommands() const {
  return {"problem.fix", "problem.explain", "-", "view.panel ir|Show in IR", "view.panel source|Show in Source"};
}

QString ProblemsPanel::dump() const {
  QStringList texts;
  for (const ProblemRow& row : model_->rows()) texts << problemText(row);
  if (const QString told = page_->text(); !told.isEmpty()) texts << QString() << told;
  return texts.join('\n');
}

bool ProblemsPanel::obey(const QString& name, const QStringList& arguments) {
  if (name != QLatin1String("explain")) return false;
  const ProblemRow* row = model_->row(view_->currentIndex());
  if (!row && model_->rowCount() > 0) row = &model_->rows().front();
  const QString rule = arguments.isEmpty() ? (row ? row->rule : QString()) : arguments[0];
  if (!page_->showRule(rule)) return false;
  ofProblem_ = row && row->rule == rule;
  page_->setFocus();
  return true;
}

}  // namespace rx::views
