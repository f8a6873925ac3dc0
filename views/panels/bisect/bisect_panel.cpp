#include "views/panels/bisect/bisect_panel.h"

#include <QHBoxLayout>
#include <QJsonDocument>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include "views/models/document.h"
#include "views/models/numbers.h"
#include "views/models/selection.h"
#include "views/panels/bisect/bisect_reason.h"
#include "views/panels/bisect/error_bars.h"
#include "views/panels/list_view.h"
#include "views/panels/path_dialog.h"

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
constexpr int kPass = 1, kBinding = 0;  // names, which are never cut for the sake of numbers
constexpr int kRelative = 2, kOwn = 4;  // of the values: there where there is room

}  // namespace

BisectPanel::BisectPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      guilty_(new QLabel(this)),
      said_(new QLabel(this)),
      inputs_(new QPushButton(tr("Inputs…"), this)),
      limit_(new QLineEdit(this)),
      again_(new QPushButton(tr("Bisect"), this)),
      bars_(new ErrorBars(this)),
      reason_(new BisectReason(context.commands, this)),
      stages_(new RowModel<StageOutcome>(kStages, this)),
      values_(new RowModel<ComparedValue>(kValues, this)),
      stageView_(new ListView(this)),
      valueView_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(makeBar());
  layout->addWidget(said_);
  layout->addWidget(makeParts(), 1);
  setFocusProxy(stageView_);
  connectControls();
  connectLists();
  connectDocument();
  say();
}

/// What was found, and beside it what starts a search.
QLayout* BisectPanel::makeBar() {
  said_->setContentsMargins(8, 0, 8, 4);
  said_->setWordWrap(true);
  said_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  again_->setProperty("primary", true);
  QFont bold = guilty_->font();
  bold.setBold(true);
  guilty_->setFont(bold);
  guilty_->setAutoFillBackground(true);
  guilty_->setContentsMargins(6, 2, 6, 2);
  guilty_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  guilty_->hide();
  inputs_->setToolTip(tr("What every stage is run with: function, files, seed, sizes"));
  limit_->setPlaceholderText(tr("limit"));
  limit_->setToolTip(tr("How far a value may be off, absolute and in proportion; nothing: the rounding of its type"));
  limit_->setAccessibleName(tr("Limit of errors"));
  limit_->setMaximumWidth(fontMetrics().averageCharWidth() * 10);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 2);
  bar->addWidget(guilty_, 0, Qt::AlignTop);
  bar->addStretch(1);
  bar->addWidget(inputs_, 0, Qt::AlignTop);
  bar->addWidget(limit_, 0, Qt::AlignTop);
  bar->addWidget(again_, 0, Qt::AlignTop);
  return bar;
}

/// The errors of all stages above the list of stages, beside which is what there is of one.
QWidget* BisectPanel::makeParts() {
  stageView_->setModel(stages_);
  stageView_->setStretchColumn(kPass);
  stageView_->setEmptyText(
      tr("Every stage run on the same inputs, and the pass that changed what is computed: Bisect."));
  stageView_->setAccessibleName(tr("Stages"));
  valueView_->setModel(values_);
  valueView_->setStretchColumn(kBinding);
  valueView_->setEmptyText(tr("The values of the stage that is chosen."));
  valueView_->setAccessibleName(tr("Values of the stage"));
  auto* parts = new QSplitter(Qt::Vertical, this);
  parts->setChildrenCollapsible(false);
  lists_ = new QSplitter(Qt::Horizontal, this);
  lists_->setChildrenCollapsible(false);
  rest_ = new QSplitter(Qt::Vertical, this);
  rest_->setChildrenCollapsible(false);
  rest_->addWidget(valueView_);
  rest_->addWidget(reason_);
  lists_->addWidget(stageView_);
  lists_->addWidget(rest_);
  parts->addWidget(bars_);
  parts->addWidget(lists_);
  parts->setSizes({2, 4});
  return parts;
}

void BisectPanel::connectControls() {
  connect(again_, &QPushButton::clicked, this, &BisectPanel::startOrCancel);
  connect(inputs_, &QPushButton::clicked, this, [this] { context_.commands->run("debug.bisectWith"); });
  connect(limit_, &QLineEdit::returnPressed, this, [this] {
    if (!working_) startOrCancel();
  });
}

void BisectPanel::connectLists() {
  connect(stageView_, &ListView::picked, this, [this](const QModelIndex& index) {
    if (const StageOutcome* row = stages_->row(index)) goToStage(row->stage, -1);
  });
  connect(bars_, &ErrorBars::picked, this, &BisectPanel::goToStage);
  connect(bars_, &ErrorBars::chosen, this, [this] { context_.commands->run("view.panel", {"diff"}); });
  connect(stageView_, &ListView::chosen, this, [this] { context_.commands->run("view.panel", {"diff"}); });
  connect(valueView_, &ListView::picked, this, [this](const QModelIndex& index) { goToBinding(index.row()); });
  connect(valueView_, &ListView::chosen, this, [this] { context_.commands->run("view.panel", {"ir"}); });
}

void BisectPanel::connectDocument() {
  connect(context_.document, &Document::opened, this, [this] {
    obey("with", {});
    take({});
  });
  // What was found is of the passes as they were.
  connect(context_.document, &Document::stepsChanged, this, [this] {
    if (report_.stages.empty() || context_.document->pipeline() == pipeline_) return;
    old_ = true;
    say();
  });
}

void BisectPanel::take(BisectReport report) {
  bars_->setReport(nullptr);
  report_ = std::move(report);
  old_ = working_ = cancelled_ = false;
  pipeline_ = context_.document->pipeline();
  showReport(report_.guilty >= 0 ? report_.guilty : report_.stages.empty() ? -1 : report_.stages.back().stage);
}

/// Shows what there is of the report, and of its stages one.
void BisectPanel::showReport(int stage) {
  stages_->setPalette(Palette::forQt(palette()));
  values_->setPalette(Palette::forQt(palette()));
  stages_->setRows(report_.stages);
  // Beside a file there is one run: nothing to search in.
  const bool several = report_.total > 1;
  stageView_->setVisible(report_.total != 1);
  bars_->setVisible(several);
  bars_->setReport(&report_);
  reason_->setReport(several ? report_ : BisectReport());
  stageView_->fitColumns();
  showStage(stage);
  say();
  shareRoom();
}

/// Below each other the list of stages takes what its rows need, a third at the most: bars and passes tell them too.
/// Beside the values it takes two fifths.
void BisectPanel::shareRoom() {
  if (report_.total == shared_) return;
  shared_ = report_.total;
  if (lists_->orientation() == Qt::Horizontal)
    return lists_->setSizes({lists_->width() * 2 / 5, lists_->width() * 3 / 5});
  const int line = fontMetrics().height() * 3 / 2, all = lists_->height();
  const int rows = std::min(line * (static_cast<int>(report_.stages.size()) + 2), all / 3);
  lists_->setSizes({rows, all - rows});
  rest_->setSizes({(all - rows) * 2 / 5, (all - rows) * 3 / 5});
}

/// A stage that was looked at while the search goes on. The first takes the place of what was there before.
void BisectPanel::addLine(const QByteArray& line) {
  if (old_) {
    bars_->setReport(nullptr);
    report_ = {};
    shared_ = 0;
    old_ = false;
    pipeline_ = context_.document->pipeline();
  }
  const int before = report_.stages.empty() ? -1 : report_.stages.back().stage;
  if (!addBisectLine(line, &report_)) return;
  // What was found stays in sight while the stages that were left out follow.
  const int stage = QJsonDocument::fromJson(line)["stage"].toInt(before);
  showReport(report_.guilty >= 0 ? report_.guilty : stage);
}

void BisectPanel::startOrCancel() {
  if (working_) return void(context_.commands->run("pass.cancel"));
  const QString limit = limit_->text().trimmed();
  const QStringList words = QStringList{function_, limit} + arguments_;
  context_.commands->run("debug.bisect", limit.isEmpty() && arguments_.isEmpty() ? QStringList() : words);
}

/// Asks for the folder.
void BisectPanel::writeReproducer() {
  askForPath(this, tr("Folder for the reproducer"), context_.document->folder(), QFileDialog::Directory, {},
             [this](const QString& folder) {
               context_.commands->run("debug.reproducer",
                                      QStringList{folder, function_, limit_->text().trimmed()} + arguments_);
             });
}

void BisectPanel::say() {
  const bool none = report_.stages.empty() && report_.error.isEmpty();
  const StageOutcome* guilty = report_.total > 1 ? report_.stage(report_.guilty) : nullptr;
  QString text = none ? QString() : working_ && !old_ ? bisectProgressText(report_) : bisectText(report_);
  if (guilty && !old_) {
    const Palette& theme = Palette::forQt(palette());
    QPalette red = guilty_->palette();
    red.setColor(QPalette::Window, theme.errorFill);
    red.setColor(QPalette::WindowText, theme.error);
    guilty_->setPalette(red);
    guilty_->setText(tr("guilty: %1 %2").arg(guilty->stage).arg(guilty->name));
    text =
        working_
            ? tr("%1; %2 of %3 stages looked at").arg(foundText(report_)).arg(report_.stages.size()).arg(report_.total)
            : foundText(report_);
  }
  guilty_->setVisible(guilty && !old_);
  if (cancelled_ && !none)
    text = tr("Cancelled: %1 of %2 stages were looked at.").arg(report_.stages.size()).arg(report_.total);
  if (working_ && (none || old_)) text = tr("The stages are made, and the first runs. ") + text;
  if (old_) text = tr("Old, of what was before: ") + text;
  said_->setText(text);
  again_->setText(working_ ? tr("Cancel") : none ? tr("Bisect") : tr("Bisect again"));
  for (QWidget* part : std::initializer_list<QWidget*>{stageView_, valueView_, bars_, reason_}) part->setEnabled(!old_);
}

void BisectPanel::showStage(int stage) {
  const StageOutcome* row = report_.stage(stage);
  values_->setRows(row ? row->values : std::vector<ComparedValue>());
  valueView_->fitColumns();
  const ComparedValue* first = row ? row->first() : nullptr;
  const auto at = first ? static_cast<int>(first - row->values.data()) : -1;
  bars_->setCurrent(stage, at);
  if (at >= 0) valueView_->setCurrentIndex(values_->index(at, 0));
  for (int i = 0; i < stages_->rowCount(); ++i)
    if (stages_->row(stages_->index(i, 0))->stage == stage) stageView_->setCurrentIndex(stages_->index(i, 0));
}

/// Shows a stage everywhere, and of its values one.
void BisectPanel::goToStage(int stage, int value) {
  showStage(stage);
  if (report_.total > 1) context_.commands->run("pass.goTo", {QString::number(stage)});
  if (value < 0) return;
  valueView_->setCurrentIndex(values_->index(value, 0));
  goToBinding(value);
}

void BisectPanel::goToBinding(int row) {
  bars_->setCurrent(stages_->row(stageView_->currentIndex()) ? stages_->row(stageView_->currentIndex())->stage : -1,
                    row);
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
    working_ = true;
    cancelled_ = false;
    return say(), true;
  }
  if (name == QLatin1String("line") && !arguments.isEmpty()) return addLine(arguments[0].toUtf8()), true;
  if (name == QLatin1String("cancelled")) {
    // What was there is as good as before, and of a search that went on its part stays.
    cancelled_ = !old_;
    old_ = working_ = false;
    return say(), true;
  }
  if (name == QLatin1String("reproducer")) return writeReproducer(), true;
  if (name == QLatin1String("with")) {
    inputs_->setText(arguments.isEmpty() ? tr("Inputs…") : arguments[0]);
    function_ = arguments.value(1);
    arguments_ = arguments.mid(2);
    return true;
  }
  bool ok = false;
  const int stage = arguments.value(0).toInt(&ok);
  if (name != QLatin1String("stage") || !ok || !report_.stage(stage)) return false;
  return showStage(stage), true;
}

QStringList BisectPanel::menuCommands() const {
  return {"view.panel ir|Show in IR", "view.panel diff|Diff with Previous", "debug.bisect", "debug.bisectWith"};
}

void BisectPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  // Two tables beside each other need room for both.
  const int letters = width() / std::max(1, fontMetrics().averageCharWidth());
  const Qt::Orientation wanted = letters > 130 ? Qt::Horizontal : Qt::Vertical;
  const bool turns = wanted != lists_->orientation();
  lists_->setOrientation(wanted);
  rest_->setOrientation(letters > 200 ? Qt::Horizontal : Qt::Vertical);
  for (const int column : {kRelative, kOwn}) valueView_->setColumnHidden(column, letters < 90);
  // The room was shared for the other arrangement.
  if (!turns) return;
  shared_ = 0;
  shareRoom();
}

QString BisectPanel::dump() const {
  QString text = (guilty_->isVisibleTo(this) ? guilty_->text() + QStringLiteral("; ") : QString()) + said_->text() +
                 '\n' + inputs_->text() + '\n' + modelText(*stages_) + '\n' + modelText(*values_);
  if (report_.total > 1) text += '\n' + bars_->text();
  if (reason_->isVisibleTo(this)) text += '\n' + reason_->text() + '\n';
  return text;
}

}  // namespace rx::views
