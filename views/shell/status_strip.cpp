#include "views/shell/status_strip.h"

#include <QEvent>
#include <QFileInfo>
#include <QLabel>
#include <QProgressBar>
#include <QSizePolicy>
#include <QToolButton>
#include <algorithm>

#include "views/models/run_words.h"
#include "views/panels/panel.h"
#include "views/theme/icons.h"
#include "views/theme/palette.h"

namespace rx::views {

namespace {

struct PillLook {
  const char* icon;  // empty for none
  QColor Palette::*ink;
  QColor Palette::*ground;
};
constexpr PillLook kPlain{"", &Palette::text, &Palette::panel};
constexpr PillLook kBad{"error", &Palette::error, &Palette::errorFill};
constexpr PillLook kWarm{"warning", &Palette::warning, &Palette::warningFill};
constexpr PillLook kGood{"check", &Palette::good, &Palette::goodFill};

constexpr int kNarrow = 190;    // letters of the window below which it says less
constexpr int kLeastPlace = 8;  // letters of the place that are worth being shown

/// A file that did not open while another module stays open, and nothing runs that would be said instead.
bool standsRefused(const Document& document, const DebugSession& debug) {
  const bool idle = debug.state() == RunState::Off && !debug.failure();
  return idle && document.state() == Document::State::Ready && !document.refusedFile().isEmpty();
}

/// How the reason is shown: red for what is wrong, green for what came out as it should.
const PillLook& lookOf(const Document& document, const DebugSession& debug) {
  const RunResult* result = debug.result();
  if (debug.failure() || debug.state() == RunState::Died || standsRefused(document, debug)) return kBad;
  if (debug.state() == RunState::Off && document.state() == Document::State::Failed) return kBad;
  if (!debug.pastOf().isEmpty()) return kPlain;
  if (debug.state() == RunState::Ended && result && result->comparison && result->comparison->error.isEmpty())
    return result->comparison->equal ? kGood : kBad;
  if (debug.state() == RunState::Ended && result) return doubtful(*result) || !result->lost.isEmpty() ? kWarm : kGood;
  if (showsHistory(debug)) return kPlain;
  return debug.state() == RunState::Stopped || document.isStale() ? kWarm : kPlain;
}

}  // namespace

StatusStrip::StatusStrip(Desk& desk, Commands* commands, QWidget* parent)
    : QStatusBar(parent),
      desk_(desk),
      state_(new QToolButton(this)),
      place_(new QLabel(this)),
      memory_(new QLabel(this)),
      engine_(new QLabel(this)),
      problems_(new QToolButton(this)),
      progress_(new QProgressBar(this)),
      cancel_(new QToolButton(this)),
      end_(new QToolButton(this)) {
  setSizeGripEnabled(false);
  addWidget(state_);
  addWidget(place_, 1);
  addPermanentWidget(progress_);
  addPermanentWidget(cancel_);
  addPermanentWidget(end_);
  addPermanentWidget(memory_);
  addPermanentWidget(engine_);
  addPermanentWidget(problems_);
  progress_->setFixedWidth(fontMetrics().averageCharWidth() * 34);
  cancel_->setText(tr("Cancel"));
  end_->setText(tr("Cancel"));
  end_->setToolTip(commands->label("debug.stop"));
  connect(end_, &QToolButton::clicked, this, [commands] { commands->run("debug.stop"); });
  problems_->setAutoRaise(true);
  place_->setMinimumWidth(0);
  place_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  place_->installEventFilter(this);
  state_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  state_->setFocusPolicy(Qt::NoFocus);
  problems_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  connect(state_, &QToolButton::clicked, this, [commands] {
    if (commands->enabled("view.card")) commands->run("view.card");
  });
  connect(cancel_, &QToolButton::clicked, this, [commands] { commands->run("pass.cancel"); });
  connect(problems_, &QToolButton::clicked, this, [commands] { commands->run("view.panel", {"problems"}); });
  const auto update = [this] { refresh(); };
  connect(&desk.document, &Document::stateChanged, this, update);
  connect(&desk.document, &Document::progressChanged, this, update);
  connect(&desk.document, &Document::problemsChanged, this, update);
  connect(&desk.document, &Document::stepsChanged, this, update);
  connect(&desk.document, &Document::stageReady, this, update);
  connect(&desk.selection, &Selection::changed, this, update);
  connect(&desk.debug, &DebugSession::stateChanged, this, update);
  connect(&desk.debug, &DebugSession::stopChanged, this, update);
  connect(&desk.debug, &DebugSession::outcomeChanged, this, update);
  connect(&desk.debug, &DebugSession::progressChanged, this, update);
  connect(&desk.debug, &DebugSession::tracedChanged, this, update);
  refresh();
}

QString StatusStrip::stateText() const {
  if (desk_.debug.state() != RunState::Off || desk_.debug.failure()) return runStateText(desk_.debug);
  switch (desk_.document.state()) {
    case Document::State::Empty:
      return desk_.debug.traced().rows.empty() ? tr("Nothing open") : tr("Values of a traced run; no module is open");
    case Document::State::Opening:
      return tr("Opening…");
    case Document::State::Failed:
      return tr("Does not open");
    case Document::State::Ready:
      if (standsRefused(desk_.document, desk_.debug))
        return tr("%1 does not open").arg(QFileInfo(desk_.document.refusedFile()).fileName());
      return desk_.document.isStale() ? tr("Stale: the file changed and does not open") : tr("Ready");
  }
  return {};
}

QString StatusStrip::stageText() const {
  if (desk_.document.state() != Document::State::Ready) return {};
  const Place& place = desk_.selection.place();
  QStringList parts;
  const auto& steps = desk_.document.steps();
  if (place.stage >= 0 && place.stage < static_cast<int>(steps.size())) {
    parts << QStringLiteral("stage %1 %2").arg(place.stage).arg(steps[static_cast<size_t>(place.stage)].name);
  }
  if (!place.function.isEmpty()) parts << place.function;
  const FunctionRow* function = selectedFunction(desk_);
  const OutlineRow* block = function ? function->outlineAt(place.binding) : nullptr;
  if (block && !place.variable.isEmpty()) parts << block->name;
  if (!place.variable.isEmpty()) parts << place.variable;
  return parts.join(QStringLiteral(" · "));
}

/// What comes next, and where in the run that is; without a run, what is selected.
QString StatusStrip::placeText() const {
  // That it is history the reason says already.
  const StageIndexPtr stage = desk_.document.stage(desk_.debug.config().stage, false);
  QStringList parts = {nextText(desk_.debug, stage.get()),
                       showsHistory(desk_.debug) ? QString() : stepText(desk_.debug)};
  parts.removeAll(QString());
  return parts.isEmpty() ? stageText() : parts.join(QStringLiteral(" · "));
}

QString StatusStrip::engineText() const {
  if (desk_.debug.engineId() == 0) return tr("engine off");
  if (desk_.debug.replays() && desk_.debug.state() != RunState::Died) return tr("a recording is read, nothing runs");
  if (desk_.debug.replays()) return tr("engine dead · reading its trace");
  return tr("engine %1 · %2").arg(desk_.debug.engineId()).arg(desk_.debug.idle() ? tr("idle") : tr("working"));
}

QString StatusStrip::problemText() const {
  int errors = 0;
  int warnings = 0;
  for (const ProblemRow& problem : desk_.document.problems()) {
    errors += problem.severity == Severity::Error;
    warnings += problem.severity == Severity::Warning;
  }
  if (errors == 0 && warnings == 0) return tr("no problems");
  QStringList parts;
  if (errors > 0) parts << (errors == 1 ? tr("1 problem") : tr("%1 problems").arg(errors));
  if (warnings > 0) parts << (warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings));
  return parts.join(QStringLiteral(", "));
}

bool StatusStrip::hasErrors() const {
  const std::vector<ProblemRow>& problems = desk_.document.problems();
  return std::any_of(problems.begin(), problems.end(),
                     [](const ProblemRow& problem) { return problem.severity == Severity::Error; });
}

void StatusStrip::changeEvent(QEvent* event) {
  QStatusBar::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) refresh();
}

void StatusStrip::resizeEvent(QResizeEvent* event) {
  QStatusBar::resizeEvent(event);
  refresh();
}

bool StatusStrip::eventFilter(QObject* watched, QEvent* event) {
  if (watched == place_ && event->type() == QEvent::Resize) showPlace();
  return QStatusBar::eventFilter(watched, event);
}

/// As much of it as there is room for; a few letters of it say nothing.
void StatusStrip::showPlace() {
  const QString all = placeText();
  const int room = place_->width();
  const bool some = room >= fontMetrics().averageCharWidth() * kLeastPlace;
  place_->setText(some ? fontMetrics().elidedText(all, Qt::ElideRight, room) : QString());
  place_->setToolTip(stageText() == all ? all : all + QLatin1Char('\n') + stageText());
}

void StatusStrip::refresh() {
  const Palette& theme = Palette::forQt(palette());
  const RunState run = desk_.debug.state();
  const PillLook& look = lookOf(desk_.document, desk_.debug);
  const QString reason = stateText();
  // In a small window the words that the tips say too give way to the place.
  const bool narrow = width() < fontMetrics().averageCharWidth() * kNarrow;
  const int most = std::max(200, narrow ? width() * 2 / 5 : width() / 2);
  state_->setText(fontMetrics().elidedText(reason, Qt::ElideRight, most));
  state_->setToolTip(reason);
  state_->setIcon(*look.icon ? icon(look.icon, theme.*look.ink) : QIcon());
  state_->setStyleSheet(
      QStringLiteral("QToolButton { color: %1; background: %2; border: none; border-radius: 8px; padding: 2px 8px; }")
          .arg((theme.*look.ink).name(), (theme.*look.ground).name()));
  showPlace();
  memory_->setText(narrow ? desk_.debug.memoryText() : memoryText());
  memory_->setToolTip(memoryText());
  memory_->setVisible(!memoryText().isEmpty());
  engine_->setText(narrow ? engineText().section(QStringLiteral(" · "), -1) : engineText());
  engine_->setToolTip(engineText());
  const QString problems = problemText();
  const bool errors = hasErrors();
  problems_->setText(problems);
  problems_->setIcon(errors                          ? icon("error", theme.error)
                     : problems == tr("no problems") ? icon("check", theme.good)
                                                     : icon("warning", theme.warning));
  problems_->setStyleSheet(errors ? QStringLiteral("color: %1; font-weight: bold").arg(theme.error.name()) : QString());
  Progress progress = desk_.document.progress();
  const QString tool = desk_.window.toolTitle();
  const bool passes = desk_.document.busy() && !progress.what.isEmpty();
  const bool working = passes || !tool.isEmpty();
  progress_->setVisible(working);
  cancel_->setVisible(working);
  end_->setVisible(!working && (run == RunState::Starting || run == RunState::Running));
  // How far a tool is nobody knows; a bar without a range would have no text.
  if (!passes) progress = desk_.window.toolProgress();
  progress_->setRange(0, passes ? progress.total : std::max(progress.total, 1));
  progress_->setValue(progress.done);
  const QString what = progress.what.isEmpty() ? tr("%1: at work…").arg(tool) : progress.what;
  progress_->setFormat(fontMetrics().elidedText(what, Qt::ElideRight, progress_->width() - 8));
}

QString StatusStrip::memoryText() const {
  const QString memory = desk_.debug.memoryText();
  return memory.isEmpty() ? QString() : tr("memory %1").arg(memory);
}

QString StatusStrip::text() const {
  const QString place = placeText();
  const QString stage = stageText();
  QStringList parts = {stateText(),  stage,        place == stage ? QString() : place,
                       memoryText(), engineText(), problemText()};
  parts.removeAll(QString());
  return parts.join(QStringLiteral(" | "));
}

}  // namespace rx::views
