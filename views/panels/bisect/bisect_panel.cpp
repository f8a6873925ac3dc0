#include "views/panels/bisect/bisect_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include "views/models/document.h"
#include "views/models/numbers.h"
#include "views/models/selection.h"
#include "views/panels/list_view.h"

namespace rx::views {
namespace {

QString firstOf(const StageOutcome& row) {
  const ComparedValue* first = row.first();
  return first ? first->binding : QString();
}
QString errorOf(const StageOutcome& row) {
  const ComparedValue* first = row.first();
  return first ? first->absolute : QString();
}
CellTone toneOf(const StageOutcome& row) {
  return row.isBad() ? CellTone::Error : row.run > 0 ? CellTone::Good : CellTone::Grey;
}
CellTone toneOf(const ComparedValue& row) {
  if (row.within) return row.equal ? CellTone::Good : CellTone::Normal;
  return row.cause == QLatin1String("inherited") ? CellTone::Warning : CellTone::Error;
}
CellTone grey(const StageOutcome&) { return CellTone::Grey; }

constexpr Column<StageOutcome> kStages[] = {
    {"#", [](const StageOutcome& r) { return QString::number(r.stage); }, true, true, grey},
    {"pass", [](const StageOutcome& r) { return r.name; }},
    {"run", [](const StageOutcome& r) { return r.run > 0 ? QString::number(r.run) : QString(); }, true, true, grey},
    {"outcome", [](const StageOutcome& r) { return r.verdict; }, false, false,
     [](const StageOutcome& r) { return toneOf(r); }, [](const StageOutcome& r) { return r.outcome; }},
    {"first that differs", firstOf, false, true},
    {"max abs error", errorOf, true, true, [](const StageOutcome& r) { return toneOf(r); }},
};
constexpr Column<ComparedValue> kValues[] = {
    {"binding", [](const ComparedValue& r) { return r.binding; }, false, true},
    {"max abs error", [](const ComparedValue& r) { return r.absolute; }, true, true,
     [](const ComparedValue& r) { return toneOf(r); }},
    {"max rel error", [](const ComparedValue& r) { return r.relative; }, true, true,
     [](const ComparedValue& r) { return toneOf(r); }},
    {"elements off", [](const ComparedValue& r) { return grouped(r.off) + " / " + grouped(r.count); }, true, true,
     [](const ComparedValue& r) { return r.off > 0 ? CellTone::Error : CellTone::Grey; }},
    {"own error", [](const ComparedValue& r) { return r.ownAbsolute; }, true, true},
    {"own or inherited", [](const ComparedValue& r) { return causeText(r); }, false, false,
     [](const ComparedValue& r) { return toneOf(r); }, [](const ComparedValue& r) { return causeText(r); }},
};
constexpr int kOutcome = 3, kCause = 5;

}  // namespace

BisectPanel::BisectPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      said_(new QLabel(this)),
      again_(new QPushButton(tr("Bisect"), this)),
      stages_(new RowModel<StageOutcome>(kStages, this)),
      values_(new RowModel<ComparedValue>(kValues, this)),
      stageView_(new ListView(this)),
      valueView_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  said_->setWordWrap(true);
  said_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  again_->setProperty("primary", true);
  bar->addWidget(said_, 1);
  bar->addWidget(again_, 0, Qt::AlignTop);
  layout->addLayout(bar);
  auto* parts = new QSplitter(Qt::Vertical, this);
  parts->setChildrenCollapsible(false);
  stageView_->setModel(stages_);
  stageView_->setStretchColumn(kOutcome);
  stageView_->setEmptyText(
      tr("Every stage run on the same inputs, and the pass that changed what is computed: Bisect."));
  stageView_->setAccessibleName(tr("Stages"));
  valueView_->setModel(values_);
  valueView_->setStretchColumn(kCause);
  valueView_->setEmptyText(tr("The values of the stage that is chosen."));
  valueView_->setAccessibleName(tr("Values of the stage"));
  parts->addWidget(stageView_);
  parts->addWidget(valueView_);
  layout->addWidget(parts, 1);
  setFocusProxy(stageView_);
  connect(again_, &QPushButton::clicked, this, [this] { context_.commands->run("debug.bisect"); });
  connect(stageView_, &ListView::picked, this, [this](const QModelIndex& index) {
    const StageOutcome* row = stages_->row(index);
    if (!row) return;
    showStage(row->stage);
    if (report_.stages.size() > 1) context_.commands->run("pass.goTo", {QString::number(row->stage)});
  });
  connect(stageView_, &ListView::chosen, this, [this] { context_.commands->run("view.panel", {"diff"}); });
  connect(valueView_, &ListView::picked, this, [this](const QModelIndex& index) { goToBinding(index.row()); });
  connect(valueView_, &ListView::chosen, this, [this] { context_.commands->run("view.panel", {"ir"}); });
  connect(context.document, &Document::opened, this, [this] { take({}); });
  // What was found is of the passes as they were.
  connect(context.document, &Document::stepsChanged, this, [this] {
    if (report_.stages.empty() || context_.document->pipeline() == pipeline_) return;
    old_ = true;
    say();
  });
  say();
}

void BisectPanel::take(BisectReport report) {
  report_ = std::move(report);
  old_ = false;
  pipeline_ = context_.document->pipeline();
  stages_->setPalette(Palette::forQt(palette()));
  values_->setPalette(Palette::forQt(palette()));
  stages_->setRows(report_.stages);
  stageView_->setVisible(report_.stages.size() != 1);
  stageView_->fitColumns();
  showStage(report_.guilty >= 0 ? report_.guilty : report_.stages.empty() ? -1 : report_.stages.back().stage);
  say();
}

void BisectPanel::say() {
  QString text = report_.stages.empty() && report_.error.isEmpty() ? QString() : bisectText(report_);
  if (old_) text = tr("Old, of what was before: ") + text;
  said_->setText(text);
  for (ListView* view : {stageView_, valueView_}) view->setEnabled(!old_);
}

void BisectPanel::showStage(int stage) {
  const StageOutcome* row = report_.stage(stage);
  values_->setRows(row ? row->values : std::vector<ComparedValue>());
  valueView_->fitColumns();
  for (int i = 0; i < stages_->rowCount(); ++i)
    if (stages_->row(stages_->index(i, 0))->stage == stage) stageView_->setCurrentIndex(stages_->index(i, 0));
}

void BisectPanel::goToBinding(int row) {
  const ComparedValue* value = values_->row(values_->index(row, 0));
  if (!value || value->function.isEmpty()) return;
  context_.commands->run("select.function", {value->function});
  context_.commands->run("select.binding", {value->binding});
}

bool BisectPanel::obey(const QString& name, const QStringList& arguments) {
  if (name == QLatin1String("show") && !arguments.isEmpty()) return take(readBisectReport(arguments[0].toUtf8())), true;
  if (name == QLatin1String("none")) return take({}), true;
  if (name == QLatin1String("working")) {
    old_ = !report_.stages.empty();
    return say(), true;
  }
  bool ok = false;
  const int stage = arguments.value(0).toInt(&ok);
  if (name != QLatin1String("stage") || !ok || !report_.stage(stage)) return false;
  return showStage(stage), true;
}

QStringList BisectPanel::menuCommands() const {
  return {"view.panel ir|Show in IR", "view.panel diff|Diff with Previous", "debug.bisect"};
}

QString BisectPanel::dump() const { return said_->text() + '\n' + modelText(*stages_) + '\n' + modelText(*values_); }

}  // namespace rx::views
