#include "views/panels/passes/passes_panel.h"

#include <QAbstractItemView>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/selection.h"
#include "views/panels/list_view.h"

namespace rx::views {
namespace {

/// What is shown anew.
enum Part : unsigned { kRows = 1, kPlace = 2 };

}  // namespace

PassesPanel::PassesPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      model_(new PassModel(this)),
      view_(new ListView(this)),
      run_(new QPushButton(this)),
      compare_(new QPushButton(this)),
      edit_(new QPushButton(tr("Pipeline…"), this)),
      go_(new QPushButton(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(view_);
  // Which buttons there are does not say how wide the panel has to be: panels stand still.
  auto* strip = new QWidget(this);
  strip->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  auto* buttons = new QHBoxLayout(strip);
  buttons->setSizeConstraint(QLayout::SetNoConstraint);
  buttons->setContentsMargins(6, 4, 6, 4);
  buttons->setSpacing(6);
  go_->setProperty("primary", true);
  for (QPushButton* button : {go_, run_, compare_, edit_}) buttons->addWidget(button);
  buttons->addStretch();
  layout->addWidget(strip);
  view_->setModel(model_);
  view_->setStretchColumn(PassModel::kName);
  view_->setLessImportant(PassModel::kTime);
  view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  view_->setEmptyText(tr("The passes of an open module stand here."));
  view_->setAccessibleName(tr("Passes"));
  setFocusProxy(view_);
  connect(run_, &QPushButton::clicked, this, [this] { context_.commands->run("pass.last"); });
  connect(go_, &QPushButton::clicked, this,
          [this] { context_.commands->run("pass.goTo", {QString::number(context_.selection->place().stage + 1)}); });
  connect(edit_, &QPushButton::clicked, this, [this] { context_.commands->run("view.panel", {"pipeline"}); });
  connect(compare_, &QPushButton::clicked, this, [this] { context_.commands->run("pass.compareBefore"); });
  connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &PassesPanel::choose);
  connect(view_, &ListView::chosen, this, [this] { context_.commands->run("view.panel", {"ir"}); });
  connect(view_, &QTreeView::clicked, this, [this](const QModelIndex& index) {
    const StepRow* step = model_->row(index);
    if (step && index.column() == PassModel::kLamp && step->verdict == Verdict::IllFormed)
      context_.commands->run("module.check");
  });
  connect(context.document, &Document::stepsChanged, this, [this] { want(kRows); });
  connect(context.document, &Document::opened, this, [this] { want(kRows); });
  connect(context.document, &Document::stateChanged, this, [this] { want(kRows); });
  connect(context.selection, &Selection::changed, this, [this](const Place& place, const Place& old) {
    if (place.stage != old.stage) before_ = old.stage;
    want(kPlace);
  });
  connect(context.document, &Document::opened, this, [this] { before_ = -1; });
  refresh();
}

void PassesPanel::catchUp(unsigned parts) { parts& kRows ? refresh() : follow(); }

void PassesPanel::refresh() {
  model_->setPalette(Palette::forQt(palette()));
  const bool open = context_.document->state() == Document::State::Ready;
  following_ = true;
  model_->setSteps(open ? context_.document->steps() : std::vector<StepRow>{});
  for (int row = 0; row < model_->rowCount(); ++row)
    view_->setFirstColumnSpanned(row, QModelIndex(), model_->isHeading(row));
  view_->fitColumns();
  following_ = false;
  follow();
}

/// What is sensible next: to run what has not run, to see what the pass did, to change what runs.
void PassesPanel::showButtons() {
  const int stage = context_.selection->place().stage;
  const bool runs = context_.document->canRunPasses();
  const int all = runs ? static_cast<int>(context_.document->steps().size()) - 1 : 0;
  const int left = all - context_.document->lastStage();
  run_->setText(left == all ? tr("Run all %1").arg(all) : tr("Run the other %1").arg(left));
  run_->setVisible(runs && left > 0);
  const QString next = nextLanguage();
  go_->setText(tr("Go on in %1").arg(next));
  go_->setVisible(!next.isEmpty());
  compare_->setText(tr("Compare with %1").arg(stage - 1));
  // Three stand beside each other nowhere.
  compare_->setVisible(stage > 0 && (next.isEmpty() || left <= 0));
  edit_->setVisible(runs && next.isEmpty() && (stage == 0 || left <= 0));
}

/// That the next stage is in, where the one that is shown is the last in another; else empty, as where one of both can
/// not be read.
QString PassesPanel::nextLanguage() const {
  const std::vector<StepRow>& steps = context_.document->steps();
  const auto stage = static_cast<size_t>(context_.selection->place().stage);
  if (stage + 1 >= steps.size() || steps[stage].language.isEmpty()) return {};
  if (steps[stage].language == steps[stage + 1].language) return {};
  return steps[stage + 1].language;
}

void PassesPanel::follow() {
  const int stage = context_.selection->place().stage;
  showButtons();
  const int row = model_->rowOfStage(stage);
  model_->setCurrentRow(row);
  if (view_->selectionModel()->selectedRows().size() > 1) return;
  const QModelIndex index = model_->index(row, 0);
  if (!index.isValid() || view_->currentIndex().row() == row) return;
  following_ = true;
  view_->setCurrentIndex(index);
  following_ = false;
}

void PassesPanel::choose() {
  if (following_) return;
  const QModelIndexList rows = view_->selectionModel()->selectedRows();
  const auto stageAt = [&](qsizetype i) { return model_->stageOfRow(rows[i].row()); };
  if (rows.size() == 1) {
    context_.commands->run("pass.goTo", {QString::number(stageAt(0))});
  } else if (rows.size() == 2) {
    const int a = std::min(stageAt(0), stageAt(1));
    const int b = std::max(stageAt(0), stageAt(1));
    context_.commands->run("pass.goTo", {QString::number(b)});
    context_.commands->run("pass.compare", {QString::number(a)});
  }
}

QStringList PassesPanel::menuCommands() const {
  QStringList rows = {"view.panel ir|Show", "pass.compareBefore|Diff with Previous", "pass.compare|Diff with Imported"};
  if (before_ >= 0 && before_ != context_.selection->place().stage)
    rows << QStringLiteral("pass.compare %1|").arg(before_) + tr("Diff with %1, Shown Before").arg(before_);
  return rows + QStringList{"-",        "pass.disable", "debug.bisect",
                            "-",        "pass.apply",   "view.panel pipeline|Edit Pipeline",
                            "pass.last"};
}

QString PassesPanel::dump() const { return modelText(*model_); }

}  // namespace rx::views
