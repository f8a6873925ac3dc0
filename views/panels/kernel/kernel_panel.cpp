#include "views/panels/kernel/kernel_panel.h"

#include <QEvent>
#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QThreadPool>
#include <QToolButton>
#include <QVBoxLayout>

#include "views/models/debug_session.h"
#include "views/models/kernel_steps.h"
#include "views/models/scratch_folder.h"
#include "views/models/selection.h"
#include "views/models/worker.h"
#include "views/panels/kernel/kernel_facts.h"
#include "views/panels/kernel/kernel_question.h"
#include "views/panels/kernel/kernel_sides.h"
#include "views/panels/kernel/kernel_strip.h"
#include "views/panels/kernel/kernel_tune.h"
#include "views/panels/kernel/trace_editor.h"
#include "views/panels/profile/roofline_view.h"
#include "views/text/banner_view.h"
#include "views/text/text_view.h"

namespace rx::views {
namespace {

/// Kernels whose stages are kept; the next one begins anew.
constexpr qsizetype kMostKnown = 32;
/// Variants that are measured unless another number is asked for: `rxs tune` has the same.
constexpr int kTuneTrials = 16;
}  // namespace

KernelPanel::KernelPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      page_(new BannerView(this)),
      view_(page_->text()),
      pages_(new QStackedWidget(this)),
      sides_(new KernelSides(this)),
      strip_(new KernelStrip(this)),
      roof_(new RooflineView(this)),
      trace_(new TraceEditor(this)),
      tune_(new KernelTune(this)),
      shown_(context.kernel),
      facts_(new QLabel(this)),
      stages_(new QToolButton(this)),
      sampled_(new QToolButton(this)),
      edit_(new QToolButton(this)),
      tuning_(new QToolButton(this)),
      cancel_(new QToolButton(this)),
      job_(new ToolJob(this)),
      machine_(new ToolJob(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* bar = new QWidget(this);
  makeBar(bar);
  layout->addWidget(bar);
  layout->addWidget(tune_);
  pages_->addWidget(page_);
  pages_->addWidget(sides_);
  pages_->addWidget(trace_);
  layout->addWidget(pages_, 1);
  auto* below = new QHBoxLayout;
  below->setSpacing(0);
  below->addWidget(strip_, 3);
  below->addWidget(roof_, 1);
  roof_->hide();
  layout->addLayout(below);
  setFocusProxy(page_);
  page_->setTheme(Palette::forQt(palette()));
  sides_->setTheme(Palette::forQt(palette()));
  view_->setPlaceholder(
      tr("What the selected binding calls stands here: a kernel, or another function. Operators become kernels in "
         "LegalizeOps: Ctrl+] runs the next pass, and Stages shows a kernel down to its machine code."));
  connect(view_, &TextView::contextMenuAt, this, &Panel::menuWanted);
  connect(sides_, &KernelSides::menuWanted, this, &Panel::menuWanted);
  connect(sides_, &KernelSides::moved, this, &KernelPanel::showFacts);
  connect(trace_, &TraceEditor::applied, this, &KernelPanel::applyTrace);
  connect(trace_, &TraceEditor::closed, this, &KernelPanel::closeTrace);
  connect(strip_, &KernelStrip::pipelineWanted, this, [this] {
    if (context_.commands->run("pass.pipeline", {"optimized"})) context_.commands->run("pass.goTo", {"ApplySchedules"});
  });
  connect(strip_, &KernelStrip::scheduleWanted, this, &KernelPanel::openTrace);
  connect(tune_, &KernelTune::finished, this, [this] {
    showFacts();
    Q_EMIT settled();
  });
  connect(tune_, &KernelTune::goOn, this, [this] { tuneKernel(kTuneTrials); });
  connect(tune_, &KernelTune::pipelineWanted, this, [this] { context_.commands->run("profile.useTuned"); });
  connect(tune_, &KernelTune::useChanged, this, [this](bool use) {
    tuned_ = use;
    follow();
  });
  const auto soon = [this] { want(); };
  connect(context.document, &Document::opened, this, [this] {
    known_.clear();
    edited_.reset();
    want();
  });
  connect(context.document, &Document::stageReady, this, soon);
  connect(context.document, &Document::stepsChanged, this, soon);
  connect(context.selection, &Selection::changed, this, soon);
  follow();
}

KernelPanel::~KernelPanel() = default;

void KernelPanel::makeBar(QWidget* bar) {
  auto* line = new QHBoxLayout(bar);
  line->setContentsMargins(8, 3, 6, 3);
  facts_->setWordWrap(true);
  facts_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  facts_->setAccessibleName(tr("What rules did, and how registers are used"));
  line->addWidget(facts_, 1);
  stages_->setText(tr("Stages"));
  stages_->setCheckable(true);
  stages_->setToolTip(context_.commands->label(QStringLiteral("kernel.stages")));
  stages_->setAccessibleName(tr("Stages of the kernel, down to its machine code"));
  cancel_->setText(tr("Cancel"));
  cancel_->setToolTip(tr("Ends what is compiled for this panel; what is shown stays"));
  cancel_->setAccessibleName(tr("Cancel the compilation"));
  sampled_->setText(tr("Samples"));
  sampled_->setCheckable(true);
  sampled_->setToolTip(context_.commands->label(QStringLiteral("kernel.samples")));
  sampled_->setAccessibleName(tr("Samples: run the kernel and show which lines take its time"));
  edit_->setText(tr("Edit trace…"));
  edit_->setToolTip(context_.commands->label(QStringLiteral("kernel.trace")));
  edit_->setAccessibleName(tr("Edit the schedule of the kernel as text"));
  connect(edit_, &QToolButton::clicked, this, &KernelPanel::openTrace);
  tuning_->setText(tr("Tune"));
  tuning_->setToolTip(context_.commands->label(QStringLiteral("kernel.tune")));
  tuning_->setAccessibleName(tr("Tune: measure variants of the kernel and keep the quickest"));
  connect(tuning_, &QToolButton::clicked, this, [this] { tuneKernel(kTuneTrials); });
  for (QToolButton* button : {cancel_, edit_, tuning_, sampled_, stages_}) {
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    line->addWidget(button, 0, Qt::AlignTop);
  }
  cancel_->hide();
  connect(stages_, &QToolButton::toggled, this, &KernelPanel::setStages);
  connect(sampled_, &QToolButton::toggled, this, [this] {
    declined_.clear();
    follow();
  });
  connect(cancel_, &QToolButton::clicked, this, &KernelPanel::decline);
  bar->setMinimumWidth(1);
}

void KernelPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  page_->setTheme(Palette::forQt(palette()));
  sides_->setTheme(Palette::forQt(palette()));
}

void KernelPanel::catchUp(unsigned) { follow(); }

const FunctionRow* KernelPanel::called(const StageIndex& stage) const {
  const Place& place = context_.selection->place();
  const FunctionRow* function = stage.function(place.function);
  if (!function) return nullptr;
  if (!function->binds()) return function;
  const BindingRow* binding = function->binding(place.binding);
  for (size_t i = 0; binding && i < binding->operands.size(); ++i) {
    const OperandRow& operand = binding->operands[i];
    const FunctionRow* callee = operand.kind == OperandRow::Kind::Global ? stage.function(operand.name) : nullptr;
    if (callee) return callee;
  }
  return nullptr;
}

void KernelPanel::follow() {
  const StageIndexPtr stage = context_.document->stage(context_.selection->place().stage, false);
  const FunctionRow* function = stage ? called(*stage) : nullptr;
  kernel_ = function && function->prim ? function->name : QString();
  // What was asked for by its name stays until something else is selected.
  if (context_.selection->place() != namedAt_) named_.clear();
  if (!named_.isEmpty()) kernel_ = named_;
  const bool known = function && function->prim && function->name == kernel_;
  work_ = known ? function->prim->flops : -1;
  moved_ = known ? static_cast<double>(function->prim->bytesMoved) : -1;
  showText(stage.get(), function);
  sampled_->setVisible(stages_->isChecked());
  tune_->showFor(kernel_);
  stages_->setEnabled(!kernel_.isEmpty() || stages_->isChecked());
  const bool same = sides_->listing() && sides_->listing()->name == kernel_;
  if (stages_->isChecked() && same && (traceShown() || sides_->listing() == edited_)) {
    // What somebody writes, and what came of it, stays until the stages are asked for anew.
    if (!traceShown()) pages_->setCurrentWidget(sides_);
    showFacts();
  } else if (stages_->isChecked() && !kernel_.isEmpty()) {
    ask(kernel_);
  } else {
    cancel();
    refused_.clear();
    pages_->setCurrentWidget(page_);
    showFacts();
  }
  const QString name = !kernel_.isEmpty() || !function ? kernel_ : function->name;
  Q_EMIT titleChanged(name.isEmpty() ? tr("Kernel") : tr("Kernel · %1").arg(name));
}

void KernelPanel::showText(const StageIndex* stage, const FunctionRow* function) {
  QByteArray text;
  for (int line = function ? function->firstLine : 1; function && line <= function->lastLine; ++line)
    text += stage->line(line) + '\n';
  if (text == text_ && view_->buffer()->size() != 0) return;
  text_ = text;
  view_->setBuffer(text.isEmpty() ? nullptr : TextBuffer::from(text.toStdString()));
}

void KernelPanel::setStages(bool on) {
  const QSignalBlocker quiet(stages_);
  stages_->setChecked(on);
  declined_.clear();
  edited_.reset();
  if (traceShown()) pages_->setCurrentWidget(page_);
  follow();
}

void KernelPanel::ask(const QString& kernel) {
  QStringList question = questionOf(context_, kernel, sampled_->isChecked());
  if (tuned_ && tune_->foundQuicker(kernel)) question << "--tuned" << KernelTune::database();
  const QString key = question.join('\n');
  if ((working_ && key == key_) || key == declined_) return;
  declined_.clear();
  cancel();
  key_ = key;
  if (const KernelListingPtr known = known_.value(key)) return take(key, known, {});
  const QString problem = job_->start(QStringList{"kernel"} + question,
                                      [this, key](bool, const QString& output) { answered(key, output.toUtf8()); });
  if (!problem.isEmpty()) return take(key, nullptr, problem);
  working_ = true;
  cancel_->show();
  showFacts();
}

void KernelPanel::answered(const QString& key, const QByteArray& json) {
  struct Read {
    KernelListingPtr listing;
    QString problem;
  };
  runOnWorker(
      *QThreadPool::globalInstance(), this,
      [json] {
        Read read;
        read.listing = readKernel(json, &read.problem);
        return read;
      },
      [this, key](const Read& read) {
        if (working_ && key == key_) take(key, read.listing, read.problem);
      });
}

void KernelPanel::take(const QString& key, const KernelListingPtr& listing, const QString& problem) {
  refused_ = problem;
  edited_.reset();
  if (listing) {
    if (known_.size() >= kMostKnown) known_.clear();
    known_.insert(key, listing);
    if (sides_->listing() != listing) sides_->setListing(listing);
  }
  pages_->setCurrentWidget(listing ? static_cast<QWidget*>(sides_) : page_);
  ended();
}

void KernelPanel::ended() {
  const bool was = std::exchange(working_, false);
  cancel_->hide();
  trace_->setBusy(false);
  showFacts();
  if (was) Q_EMIT settled();
}

void KernelPanel::cancel() {
  job_->abandon();
  key_.clear();
  if (working_) ended();
}

void KernelPanel::decline() {
  if (traceShown()) {
    cancel();
    return trace_->setProblem(tr("Cancelled; Apply begins again."));
  }
  declined_ = key_;
  refused_ = tr("cancelled; Stages, pressed twice, asks again");
  cancel();
}

bool KernelPanel::isTuning() const { return tune_->busy(); }

/// Tells the panels beside this one what is shown.
void KernelPanel::publish() {
  if (!stagesShown()) return shown_->show(nullptr, {}, -1);
  shown_->show(sides_->listing(), sides_->stagesInSight(), sides_->step());
}

bool KernelPanel::stagesShown() const { return pages_->currentWidget() == sides_ && sides_->listing(); }

QString KernelPanel::byEdit() const {
  return tr("By the edited schedule; Stages, pressed twice, shows what the rules make");
}

QStringList KernelPanel::facts() const {
  if (working_) {
    return {stagesShown() && sides_->listing()->name != kernel_
                ? tr("Compiling %1… What stands below is of %2.").arg(kernel_, sides_->listing()->name)
                : tr("Compiling %1…").arg(kernel_)};
  }
  if (traceShown()) return {};  // it says itself what it is
  if (stages_->isChecked() && !refused_.isEmpty()) return {tr("No stages: %1").arg(refused_)};
  if (stagesShown() && edited_) {
    return QStringList{byEdit()} + timeFacts(*edited_) + codeFacts(*edited_, sides_->machineLoop());
  }
  if (stagesShown()) return kernelFacts(*sides_->listing(), sides_->machineLoop());
  if (kernel_.isEmpty()) return {};
  return {tr("Stages shows what becomes of %1, down to its machine code.").arg(kernel_)};
}

/// Where there is room for it, it says what else stands in the lines above the stages.
void KernelPanel::showStrip() {
  constexpr int kLetters = 100, kLines = 30;
  const bool room =
      width() >= kLetters * fontMetrics().averageCharWidth() && height() >= kLines * fontMetrics().height();
  const bool shown = room && stagesShown() && sides_->listing()->hasMachine;
  if (shown) strip_->show(sides_->listing(), sides_->machineLoop());
  strip_->setVisible(shown);
  showRoof();
}

void KernelPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  const bool was = strip_->isVisibleTo(this);
  showStrip();
  if (strip_->isVisibleTo(this) != was) showFacts();
}

void KernelPanel::showFacts() {
  showStrip();
  QStringList lines = facts();
  QStringList shown;
  constexpr qsizetype kMost = 220;
  facts_->setToolTip(lines.join('\n'));
  // The strip says what rules did and what the loop consists of, the text's foot what it comes to.
  if (strip_->isVisibleTo(this) && !working_) {
    lines = timeFacts(*sides_->listing()) + codeFacts(*sides_->listing(), nullptr);
    if (edited_) lines.prepend(byEdit());
  }
  edit_->setVisible(stagesShown() && takesSchedule(*sides_->listing()));
  tuning_->setVisible(stagesShown() && !sides_->listing()->trace.isEmpty() && !sides_->listing()->rules.isEmpty() &&
                      sides_->listing()->hasMachine);
  tuning_->setEnabled(!isTuning());
  publish();
  for (const QString& line : lines) shown << (line.size() > kMost ? line.left(kMost) + QStringLiteral("…") : line);
  facts_->setText(shown.join('\n'));
}

QStringList KernelPanel::menuCommands() const {
  return {"kernel.stages", "kernel.samples",          "kernel.trace", "kernel.tune",
          "kernel.step",   "kernel.stepBack",         "kernel.cross", "-",
          "search.calls",  "view.panel ir|Show in IR"};
}

QString KernelPanel::dump() const {
  QString said = facts().join('\n') + '\n';
  if (const QString tuning = tune_->said(); !tuning.isEmpty()) said += tuning + '\n';
  return stagesShown()          ? said + sides_->dump()
         : stages_->isChecked() ? said + QString::fromUtf8(text_)
                                : QString::fromUtf8(text_);
}

TextView* KernelPanel::focusedView() const { return stagesShown() ? sides_->view(sides_->active()) : view_; }

bool KernelPanel::showFind() {
  focusedView()->openFind();
  return true;
}

bool KernelPanel::findNext(bool forward) {
  TextView* view = focusedView();
  view->findNext(forward ? 1 : -1);
  return view->search() && view->currentMatch() >= 0;
}

int KernelPanel::find(const QString& text) { return focusedView()->findAll(text); }

bool KernelPanel::obey(const QString& name, const QStringList& arguments) {
  const QString argument = arguments.value(0);
  const auto sideOf = [](const QString& word) {
    return word == QLatin1String("left")     ? KernelSides::Left
           : word == QLatin1String("middle") ? KernelSides::Middle
                                             : KernelSides::Right;
  };
  if (name == QLatin1String("copy")) return focusedView()->copySelection(), true;
  if (name == QLatin1String("stages")) {
    const bool on = argument.isEmpty() ? !stages_->isChecked() : argument == QLatin1String("on");
    if (on && arguments.size() > 1) {
      named_ = arguments[1];
      namedAt_ = context_.selection->place();
      return setStages(true), true;
    }
    if (on && kernel_.isEmpty()) return false;
    return setStages(on), true;
  }
  if (name == QLatin1String("samples")) {
    if (!stages_->isChecked()) return false;
    sampled_->setChecked(argument.isEmpty() ? !sampled_->isChecked() : argument == QLatin1String("on"));
    return true;
  }
  if (name == QLatin1String("trace")) {
    if (!openTrace() || argument.isEmpty()) return argument.isEmpty() && traceShown();
    QFile file(argument);
    if (!file.open(QIODevice::ReadOnly)) return false;
    trace_->setText(QString::fromUtf8(file.readAll()));
    return applyTrace(), true;
  }
  if (name == QLatin1String("cancel")) return working_ && (decline(), true);
  if (name == QLatin1String("shortTypes") && arguments.size() == 1) {
    view_->setShortTypes(argument == QLatin1String("on"));
    for (const KernelSides::Side side : KernelSides::kAll)
      sides_->view(side)->setShortTypes(argument == QLatin1String("on"));
    return true;
  }
  if (name == QLatin1String("wrap") && arguments.size() == 1) {
    view_->setWrapped(argument == QLatin1String("on"));
    for (const KernelSides::Side side : KernelSides::kAll)
      sides_->view(side)->setWrapped(argument == QLatin1String("on"));
    return true;
  }
  if (name == QLatin1String("tune") && argument == QLatin1String("off")) return tune_->cancel();
  if (!stagesShown()) return false;
  if (name == QLatin1String("tune")) {
    bool isNumber = argument.isEmpty();
    const int trials = isNumber ? kTuneTrials : argument.toInt(&isNumber);
    return isNumber && trials > 0 && tuneKernel(trials);
  }
  if (name == QLatin1String("step")) return sides_->showStep(argument);
  if (name == QLatin1String("left") || name == QLatin1String("middle") || name == QLatin1String("right"))
    return sides_->setStage(sideOf(name), argument);
  if (name == QLatin1String("line")) return sides_->goTo(sideOf(argument), arguments.value(1).toInt());
  return name == QLatin1String("cross") && sides_->cross();
}

}  // namespace rx::views
