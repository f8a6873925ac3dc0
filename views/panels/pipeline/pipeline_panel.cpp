#include "views/panels/pipeline/pipeline_panel.h"

#include <QCompleter>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStringListModel>
#include <QTextDocumentFragment>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/samples.h"
#include "views/panels/flow_layout.h"
#include "views/panels/list_view.h"
#include "views/panels/path_dialog.h"
#include "views/panels/pipeline/context_row.h"
#include "views/panels/pipeline/option_form.h"
#include "views/panels/pipeline/pass_reason.h"
#include "views/panels/pipeline/pipeline_model.h"
#include "views/panels/rich_label.h"
#include "views/theme/fonts.h"
#include "views/theme/icons.h"

namespace rx::views {
namespace {

/// Whether a way needs a file that does not stand beside the module.
bool namesNoFile(const StepRow::Way& way, const QString& folder) {
  return way.before.contains(kFileOfWay) && fileBeside(folder, QStringLiteral("params")).isEmpty();
}

/// "Put BindParams(params.npz) before 2", "Set relax.FuseOps.max_depth to 512".
QString wayText(const StepRow::Way& way, int stage, const QString& folder) {
  if (way.before.isEmpty()) return PipelinePanel::tr("Set %1 to %2").arg(way.config, way.value);
  QStringList names;
  for (const PipelineRow& row : pipelineRows(way.before)) names << row.name();
  QString calls = names.join(QStringLiteral(", "));
  if (namesNoFile(way, folder)) return PipelinePanel::tr("Put %1 before %2…").arg(calls).arg(stage);
  if (way.before.contains(kFileOfWay))
    calls += '(' + QFileInfo(fileBeside(folder, QStringLiteral("params"))).fileName() + ')';
  return PipelinePanel::tr("Put %1 before %2").arg(calls).arg(stage);
}

}  // namespace

PipelinePanel::PipelinePanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      model_(new PipelineModel(this)),
      view_(new ListView(this)),
      form_(new OptionForm(this)),
      reason_(new RichLabel(this)),
      ways_(new QWidget(this)),
      text_(new QPlainTextEdit(this)),
      add_(new QLineEdit(this)),
      refused_(new QLabel(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(makeBar());
  column->addWidget(view_, 1);
  column->addWidget(form_);
  reason_->setContentsMargins(8, 4, 8, 4);
  reason_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  connect(reason_, &QLabel::linkActivated, this, &PipelinePanel::goToRemark);
  column->addWidget(reason_);
  column->addWidget(ways_);
  auto* bottom = new QHBoxLayout;
  bottom->setContentsMargins(8, 4, 8, 4);
  bottom->addWidget(add_, 1);
  bottom->addWidget(refused_, 2);
  column->addLayout(bottom);
  text_->setReadOnly(true);
  text_->setFont(fixedFont(text_->font()));
  text_->setAccessibleName(tr("The pipeline as text"));
  text_->setFixedHeight(text_->fontMetrics().lineSpacing() * 3 + 12);
  auto* asText = new QHBoxLayout;
  asText->setSpacing(2);
  asText->addWidget(text_, 1);
  auto* textTools = new QVBoxLayout;
  textTools->setSpacing(0);
  textTools->addWidget(addButton("copy", {}, context_.commands->label("pipeline.copy"), "pipeline.copy"));
  textTools->addWidget(addButton("edit", {}, context_.commands->label("pass.pipeline"), "pass.pipeline"));
  textTools->addStretch();
  asText->addLayout(textTools);
  column->addLayout(asText);
  view_->setModel(model_);
  view_->setStretchColumn(PipelineModel::kName);
  view_->setLessImportant(PipelineModel::kSize);
  view_->setEmptyText(tr("The passes of an open module stand here."));
  view_->setAccessibleName(tr("Pipeline"));
  view_->installEventFilter(this);
  setFocusProxy(view_);
  askFor({});
  add_->setAccessibleName(tr("Add a pass"));
  QStringList names;
  for (const PassName& pass : passNames()) names << pass.name;
  names.removeDuplicates();  // languages have passes of the same name
  auto* completer = new QCompleter(names, add_);
  completer->setCaseSensitivity(Qt::CaseInsensitive);
  completer->setFilterMode(Qt::MatchContains);
  add_->setCompleter(completer);
  refused_->setWordWrap(true);
  connect(add_, &QLineEdit::returnPressed, this, &PipelinePanel::addTyped);
  model_->onSwitch = [this](int row, bool on) {
    context_.commands->run("pipeline.switch", {QString::number(row), on ? "on" : "off"});
  };
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &PipelinePanel::showRow);
  connect(view_, &ListView::chosen, this, [this](const QModelIndex& index) {
    const PipelineLine* line = model_->row(index);
    if (line && line->stage >= 0) context_.commands->run("pass.goTo", {QString::number(line->stage)});
  });
  // The field that asks is replaced by what the change brings.
  connect(
      form_, &OptionForm::changed, this,
      [this](const QString& option, const QString& value) {
        runOnRow("pipeline.option", {option, value});
      },
      Qt::QueuedConnection);
  connect(context.document, &Document::stepsChanged, this, &PipelinePanel::refresh);
  connect(context.document, &Document::opened, this, &PipelinePanel::refresh);
  connect(context.document, &Document::stateChanged, this, &PipelinePanel::refresh);
  refresh();
}

QWidget* PipelinePanel::makeBar() {
  auto* bar = new QWidget(this);
  auto* line = new FlowLayout(bar);
  line->setContentsMargins(6, 3, 6, 3);
  line->setSpacing(2);
  auto* runAll = addButton("run", tr("Run all"), tr("Runs the whole pipeline and shows its result"), "pass.last");
  runHere_ = addButton(nullptr, tr("Run to here"), tr("Runs the passes as far as the selected one"), {});
  connect(runHere_, &QToolButton::clicked, this, [this] { Q_EMIT view_->chosen(view_->currentIndex()); });
  for (QToolButton* button : {runAll, runHere_}) line->addWidget(button);
  struct Row {
    const char* icon;
    const char* command;
    int by;
  };
  for (const Row& row :
       {Row{"up", "pipeline.move", -1}, Row{"down", "pipeline.move", 1}, Row{"minus", "pipeline.remove", 0}}) {
    const QString tip = row.by < 0 ? tr("Move up") : row.by > 0 ? tr("Move down") : tr("Remove");
    auto* button = addButton(row.icon, {}, tip, {});
    connect(button, &QToolButton::clicked, this, [this, row] { row.by ? movePass(row.by) : runOnRow(row.command); });
    line->addWidget(button);
  }
  line->addWidget(addButton("undo", {}, context_.commands->label("pipeline.undo"), "pipeline.undo"));
  line->addWidget(addButton("redo", {}, context_.commands->label("pipeline.redo"), "pipeline.redo"));
  onlyChanged_ = addButton(nullptr, tr("Changed only"), tr("Hides the passes that changed nothing"), {});
  onlyChanged_->setCheckable(true);
  connect(onlyChanged_, &QToolButton::toggled, this, &PipelinePanel::hideSame);
  line->addWidget(onlyChanged_);
  pipelines_ = addButton(nullptr, tr("Pipelines"), tr("Puts a pipeline in the place of this one"), {});
  pipelines_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(pipelines_);
  for (const PassName& pass : passNames()) {
    if (!pass.isPipeline) continue;
    QAction* action = menu->addAction(pass.name);
    action->setToolTip(pass.help);
    connect(action, &QAction::triggered, this,
            [this, name = pass.name] { context_.commands->run("pipeline.preset", {name}); });
  }
  menu->setToolTipsVisible(true);
  pipelines_->setMenu(menu);
  line->addWidget(pipelines_);
  auto* under = addButton(nullptr, tr("Context"), tr("What the passes run under: level, names, config"), {});
  connect(under, &QToolButton::clicked, this, [this] { context_.commands->run("view.panel", {"context"}); });
  line->addWidget(under);
  return bar;
}

QToolButton* PipelinePanel::addButton(const char* name, const QString& text, const QString& tip,
                                      const QString& command) {
  auto* button = new QToolButton(this);
  button->setText(text);
  button->setToolTip(tip);
  button->setAccessibleName(text.isEmpty() ? tip : text);
  button->setAutoRaise(true);
  if (name) button->setIcon(icon(name));
  if (name && !text.isEmpty()) button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  if (!command.isEmpty())
    connect(button, &QToolButton::clicked, this, [this, command] { context_.commands->run(command); });
  return button;
}

int PipelinePanel::row() const { return view_->currentIndex().isValid() ? view_->currentIndex().row() : -1; }

void PipelinePanel::runOnRow(const QString& command, const QStringList& more) {
  if (row() >= 0) context_.commands->run(command, QStringList{QString::number(row())} + more);
}

void PipelinePanel::refresh() {
  const bool usable = context_.document->canRunPasses();
  const int selected = row();
  model_->setPalette(Palette::forQt(palette()));
  rows_ = usable ? pipelineRows(context_.document->pipeline(), context_.document->language()) : PipelineRows();
  model_->setRows(usable ? pipelineLines(*context_.document) : std::vector<PipelineLine>());
  view_->fitColumns();
  const int count = model_->rowCount();
  if (count > 0 && row() < 0) view_->setCurrentIndex(model_->index(std::clamp(selected, 0, count - 1), 0));
  QString refused = context_.document->pipelineError();
  if (const auto wrong = contextSettings(rows_).problems; refused.isEmpty() && !wrong.empty())
    refused = tr("No pass runs: %1. See Context.").arg(QString::fromStdString(wrong.front().message));
  refused_->setText(refused);
  refused_->setVisible(!refused.isEmpty());
  add_->setEnabled(usable);
  const QString command =
      usable ? context_.document->commandLine(static_cast<int>(context_.document->steps().size()) - 1) : QString();
  if (text_->toPlainText() != command) text_->setPlainText(command);
  hideSame();
  showRow();
  const auto off = std::count_if(rows_.begin(), rows_.end(), [](const PipelineRow& each) { return !each.on; });
  Q_EMIT titleChanged(off > 0 ? tr("Pipeline · %1 off").arg(off) : tr("Pipeline"));
}

void PipelinePanel::showRow() {
  const int at = row();
  form_->setRow(at >= 0 && static_cast<size_t>(at) < rows_.size() ? &rows_[static_cast<size_t>(at)] : nullptr);
  const PipelineLine* line = model_->row(view_->currentIndex());
  runHere_->setEnabled(line && line->stage >= 0);
  reason_->setVisible(line != nullptr);
  if (line) reason_->setHtml(passReasonHtml(*line));
  showWays(line);
}

/// What lets the pass do what it left, the first as the next sensible step; of one that did nothing, that it goes.
void PipelinePanel::showWays(const PipelineLine* line) {
  qDeleteAll(ways_->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
  delete ways_->layout();
  auto* flow = new FlowLayout(ways_);
  flow->setContentsMargins(8, 0, 8, 4);
  flow->setSpacing(4);
  const bool looked = line && line->on && line->stage >= 0 &&
                      (line->step.state == StepState::Done || line->step.state == StepState::Failed);
  const ContextSettings settings = contextSettings(rows_);
  if (looked && settings.disabled.contains(line->name))
    addWay(tr("Take It off the Disabled Ones"), QStringLiteral("pass.disabled"), {line->name});
  const std::vector<StepRow::Way> ways = looked ? line->step.ways : std::vector<StepRow::Way>();
  for (int i = 0; i < static_cast<int>(std::min<size_t>(ways.size(), 3)); ++i) {
    const StepRow::Way& way = ways[static_cast<size_t>(i)];
    QPushButton* button = addWay(wayText(way, line->stage, context_.document->folder()), {}, {});
    button->setToolTip(way.says);
    const bool needsFile = namesNoFile(way, context_.document->folder());
    connect(button, &QPushButton::clicked, this,
            [this, stage = line->stage, i, needsFile] { goForward(stage, i, needsFile); });
  }
  if (looked && line->step.changed.empty())
    addWay(tr("Switch This Pass Off"), QStringLiteral("pipeline.switch"), {QString::number(row()), "off"});
  ways_->setVisible(flow->count() > 0);
}

/// The first is the filled one.
QPushButton* PipelinePanel::addWay(const QString& text, const QString& command, const QStringList& arguments) {
  auto* button = new QPushButton(text, ways_);
  button->setProperty("primary", ways_->layout()->count() == 0 && command != QLatin1String("pipeline.switch"));
  if (!command.isEmpty())
    connect(
        button, &QPushButton::clicked, this, [this, command, arguments] { context_.commands->run(command, arguments); },
        Qt::QueuedConnection);
  ways_->layout()->addWidget(button);
  return button;
}

/// Asks for the file that a way needs where none stands beside the module.
void PipelinePanel::goForward(int stage, int number, bool needsFile) {
  const QStringList arguments{QString::number(stage), QString::number(number)};
  const auto go = [this](const QStringList& words) {
    QMetaObject::invokeMethod(
        this, [this, words] { context_.commands->run("pass.forward", words); }, Qt::QueuedConnection);
  };
  if (!needsFile) return go(arguments);
  askForPath(this, tr("Weights"), context_.document->folder(), QFileDialog::ExistingFile,
             tr("Weights (*.npz *.safetensors)"), [=](const QString& file) { go(arguments + QStringList{file}); });
}

void PipelinePanel::movePass(int by) {
  const int to = row() + by;
  if (row() >= 0 && to >= 0 && to < model_->rowCount()) runOnRow("pipeline.move", {QString::number(to)});
}

/// To the binding that a pass left as it is, in the stage before.
void PipelinePanel::goToRemark(const QString& link) {
  const PipelineLine* line = model_->row(view_->currentIndex());
  if (!line || line->stage < 1) return;
  context_.commands->run("pass.goTo", {QString::number(line->stage - 1)});
  context_.commands->run("select.function", {link.section('\t', 0, 0)});
  context_.commands->run("select.binding", {link.section('\t', 1)});
}

/// Rows of passes that ran and changed nothing.
void PipelinePanel::hideSame() {
  for (int i = 0; i < model_->rowCount(); ++i) {
    const PipelineLine* line = model_->row(model_->index(i, 0));
    const bool same = line->stage >= 0 && line->step.state == StepState::Done && line->step.changed.empty();
    view_->setRowHidden(i, {}, onlyChanged_->isChecked() && same);
  }
}

void PipelinePanel::addTyped() {
  const QString typed = add_->text().trimmed();
  if (typed.isEmpty()) return;
  // The commands say why where there is no such pass; then what was typed stays.
  const bool added = only_.isEmpty() ? context_.commands->run("pipeline.add", {typed, QString::number(row() + 1)})
                                     : context_.commands->run("pass.applyTo", {typed, only_});
  if (!added || !context_.document->pipelineError().isEmpty()) return;
  add_->clear();
  if (!only_.isEmpty()) askFor({});
}

/// The field asks for a pass for this function alone; empty: for the module.
void PipelinePanel::askFor(const QString& function) {
  only_ = function;
  add_->setPlaceholderText(
      only_.isEmpty() ? tr("add a pass behind the selected one; Ctrl+Shift+Up and Down move that, Space switches it")
                      : tr("apply a pass to %1 alone, behind the stage that is shown").arg(only_));
}

bool PipelinePanel::obey(const QString& name, const QStringList& arguments) {
  if (name == QLatin1String("add")) {
    askFor(arguments.value(0));
    add_->setFocus();
    return true;
  }
  if (name == QLatin1String("onlyChanged") && arguments.size() == 1)
    return onlyChanged_->setChecked(arguments[0] == QLatin1String("on")), true;
  if (name != QLatin1String("select") || arguments.isEmpty()) return false;
  const QModelIndex index = model_->index(arguments[0].toInt(), 0);
  if (!index.isValid()) return false;
  view_->setCurrentIndex(index);
  return true;
}

QStringList PipelinePanel::menuCommands() const {
  const QString at = QString::number(row());
  const PipelineLine* line = model_->row(view_->currentIndex());
  QStringList commands;
  if (line && line->stage >= 0) {
    const QString stage = QString::number(line->stage);
    commands << QStringLiteral("pass.goTo %1|Run to Here").arg(stage)
             << QStringLiteral("pipeline.diff %1|Diff with Previous").arg(stage);
  }
  if (line)
    commands << "-" << QStringLiteral("pipeline.switch %1|%2").arg(at, line->on ? tr("Switch Off") : tr("Switch On"))
             << QStringLiteral("pipeline.remove %1|Remove").arg(at);
  return commands + QStringList{"-", "pipeline.undo", "pipeline.redo", "pipeline.copy", "pass.pipeline"};
}

bool PipelinePanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched != view_ || event->type() != QEvent::KeyPress) return Panel::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const int by = key->key() == Qt::Key_Up ? -1 : key->key() == Qt::Key_Down ? 1 : 0;
  if (by != 0 && key->modifiers() == (Qt::ControlModifier | Qt::ShiftModifier)) return movePass(by), true;
  if (key->key() == Qt::Key_Delete) return runOnRow("pipeline.remove"), true;
  if (key->key() == Qt::Key_Insert) return askFor({}), add_->setFocus(), true;
  if (key->key() != Qt::Key_Space || row() < 0) return false;
  const PipelineLine* line = model_->row(view_->currentIndex());
  return runOnRow("pipeline.switch", {line->on ? "off" : "on"}), true;
}

QString PipelinePanel::dump() const {
  QString text;
  for (int i = 0; i < model_->rowCount(); ++i) {
    const PipelineLine* line = model_->row(model_->index(i, 0));
    if (!view_->isRowHidden(i, {}))
      text += QStringList{line->on ? "on" : "off", line->name, line->options,
                          model_->index(i, PipelineModel::kChanged).data().toString()}
                  .join('\t') +
              '\n';
  }
  if (const PipelineLine* line = model_->row(view_->currentIndex()))
    text += '\n' + QTextDocumentFragment::fromHtml(passReasonHtml(*line)).toPlainText() + '\n';
  for (const QPushButton* way : ways_->findChildren<QPushButton*>()) text += '[' + way->text() + "]\n";
  return text + text_->toPlainText() + '\n';
}

}  // namespace rx::views
