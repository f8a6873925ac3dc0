#include "views/shell/tour.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/panels/panel.h"
#include "views/shell/main_window.h"
#include "views/shell/script_runner.h"
#include "views/shell/style.h"

namespace rx::views {
namespace {

/// A step: lines of a script that bring the window there, the panel that it speaks of, and what it says. Going back
/// runs the lines of the step before again, so each begins from any state of the window.
struct TourStep {
  const char* panel;
  const char* script;
  const char* title;
  const char* text;
};
constexpr TourStep kSteps[] = {
    {"ir", "file.sample attention_fp16\nselect.function main\nview.panel ir\n", "This is a module",
     "An attention layer in float16, opened from the samples. Its text is what the compiler sees. Files beside it give "
     "the weights and inputs."},
    {"graph", "select.binding weights\nview.panel graph\n", "One selection, everywhere",
     "The binding weights is selected: in the text, the graph, the module tree and the Inspector. Click a line, a node "
     "or a row to select another; F12 goes to what it reads, Shift+F12 to who reads it."},
    {"passes", "pass.goTo LegalizeOps\nselect.binding weights\nview.panel passes\n", "Every pass, one at a time",
     "The pipeline has run as far as LegalizeOps: operators have become kernels. Ctrl+] runs the next pass, Ctrl+[ "
     "goes back, Ctrl+D shows what this one changed."},
    {"ir", "pass.goTo 0\ndebug.stop\ndebug.stopOnNonFinite on\ndebug.start main\ndebug.continue\nview.panel ir\n",
     "Stopped where the numbers went wrong",
     "The model ran with its inputs and stopped at the first Inf, with the values of every binding beside the text. F5 "
     "runs on, F10 steps over a binding, F9 sets a breakpoint."},
    {"timeline", "debug.stepBack 3\nview.panel timeline\n", "Back in time",
     "Three bindings back: nothing ran again, each step was recorded. Click a bar to see the machine as it was then; "
     "Shift+F10 steps back, Alt+F5 runs backwards."},
    {"inspector", "view.panel inspector\n", "Find anything, keep everything",
     "Ctrl+Shift+P searches commands, names, operators, shapes such as (*, 4096) and the text of all stages; F4 walks "
     "the results. F1 explains the panel that has the focus. Ctrl+Shift+E exports a package that runs without this "
     "program."},
};
constexpr int kStepCount = static_cast<int>(std::size(kSteps));
constexpr int kGap = 8;

/// Lines that can not run now are left out: a step may stop a run that is not there.
QString runnable(const MainWindow& window, const char* script) {
  QStringList lines = QString::fromLatin1(script).split('\n', Qt::SkipEmptyParts);
  lines.removeIf([&](const QString& line) { return line == "debug.stop" && !window.enabled("debug.stop"); });
  return lines.join('\n');
}

}  // namespace

int Tour::stepCount() { return kStepCount; }

Tour::Tour(MainWindow* window)
    : QFrame(window),
      window_(window),
      title_(new QLabel(this)),
      text_(new QLabel(this)),
      number_(new QLabel(this)),
      back_(new QPushButton(tr("Back"), this)),
      next_(new QPushButton(tr("Next"), this)) {
  setObjectName("tour");
  setAccessibleName(tr("Tour"));
  setFocusPolicy(Qt::StrongFocus);
  setAutoFillBackground(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(14, 12, 14, 12);
  column->addWidget(title_);
  column->addWidget(text_);
  auto* row = new QHBoxLayout;
  auto* skip = new QPushButton(tr("Leave the tour"), this);
  row->addWidget(number_, 1);
  for (QPushButton* button : {skip, back_, next_}) row->addWidget(button);
  column->addLayout(row);
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  text_->setWordWrap(true);
  markPrimary(next_);
  connect(skip, &QPushButton::clicked, this, &Tour::leave);
  connect(back_, &QPushButton::clicked, this, [this] { go(-1); });
  connect(next_, &QPushButton::clicked, this, [this] { go(1); });
  window->installEventFilter(this);
  hide();
}

void Tour::begin() {
  if (busy()) return;
  step_ = 0;
  showStep();
}

void Tour::go(int by) {
  if (step_ < 0 || busy()) return;
  step_ = std::max(0, step_ + by);
  step_ < kStepCount ? showStep() : leave();
}

/// Also while a step is being prepared: what is left of its lines does not run, and the focus goes where it is of use.
void Tour::leave() {
  step_ = -1;
  if (runner_) runner_->deleteLater();
  runner_ = nullptr;
  qApp->removeEventFilter(this);
  hide();
  window_->desk().settings.setValue("tourSeen", true);
  window_->focusContent();
}

void Tour::showStep() {
  const TourStep& step = kSteps[step_];
  title_->setText(QString::fromUtf8(step.title));
  text_->setText(tr("One moment…"));
  number_->setText(tr("%1 of %2").arg(step_ + 1).arg(kStepCount));
  back_->setEnabled(false);
  next_->setEnabled(false);
  next_->setText(step_ + 1 < kStepCount ? tr("Next") : tr("Done"));
  place();
  show();
  // Its lines move the focus from panel to panel; Esc leaves the tour wherever it is just then.
  qApp->installEventFilter(this);
  runner_ = new ScriptRunner(window_, "tour", runnable(*window_, step.script), this);
  connect(runner_, &ScriptRunner::finished, this, [this, runner = runner_](bool ok) {
    if (runner != runner_) return;
    qApp->removeEventFilter(this);
    const QString why = runner_->report().isEmpty() ? QString() : runner_->report().last();
    runner_->deleteLater();
    runner_ = nullptr;
    text_->setText(ok ? QString::fromUtf8(kSteps[step_].text) : tr("This step can not be shown here: %1").arg(why));
    back_->setEnabled(step_ > 0);
    next_->setEnabled(true);
    place();
    next_->setFocus();
  });
  runner_->start();
}

/// Beside the panel where there is room for it, else over its lower edge: never over the middle of what it speaks of.
void Tour::place() {
  if (step_ < 0) return;
  const int width = std::min(fontMetrics().averageCharWidth() * 62, window_->width() - 4 * kGap);
  setFixedWidth(width);
  layout()->activate();
  const int height = layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width) : sizeHint().height();
  resize(width, height);
  const QWidget* panel = window_->panel(QString::fromLatin1(kSteps[step_].panel));
  const QRect whole = window_->rect().adjusted(kGap, kGap, -kGap, -kGap);
  QRect at(0, 0, width, height);
  if (panel && panel->isVisible()) {
    const QRect target(panel->mapTo(window_, QPoint(0, 0)), panel->size());
    const QPoint corners[] = {{target.right() + kGap, target.top() + kGap},
                              {target.left() - width - kGap, target.top() + kGap},
                              {target.left() + kGap, target.top() - height - kGap}};
    at.moveTopLeft({target.right() - width - kGap, target.bottom() - height - kGap});
    for (const QPoint& corner : corners) {
      if (!whole.contains(QRect(corner, at.size()))) continue;
      at.moveTopLeft(corner);
      break;
    }
  } else {
    at.moveCenter(whole.center());
  }
  at.moveLeft(std::clamp(at.left(), whole.left(), std::max(whole.left(), whole.right() - width)));
  at.moveTop(std::clamp(at.top(), whole.top(), std::max(whole.top(), whole.bottom() - height)));
  setGeometry(at);
  raise();
}

bool Tour::eventFilter(QObject* watched, QEvent* event) {
  if (busy() && event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
    const auto* widget = qobject_cast<QWidget*>(watched);
    if (!widget || widget->window() != window_->window()) return false;
    leave();
    return true;
  }
  if (watched != window_) return QFrame::eventFilter(watched, event);
  if (event->type() == QEvent::Resize && isVisible()) place();
  return QFrame::eventFilter(watched, event);
}

void Tour::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return leave();
  QFrame::keyPressEvent(event);
}

void Tour::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& theme = Palette::forQt(palette());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme.accent, 2));
  painter.setBrush(theme.raised);
  painter.drawRect(rect().adjusted(1, 1, -1, -1));
  painter.fillRect(QRect(0, 0, 4, height()), theme.accent);
}

}  // namespace rx::views
