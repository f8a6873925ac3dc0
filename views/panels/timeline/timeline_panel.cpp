#include "views/panels/timeline/timeline_panel.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/models/debug_session.h"
#include "views/models/numbers.h"
#include "views/models/selection.h"

namespace rx::views {
namespace {

constexpr double kZoomStep = 1.25;
constexpr double kFewestSteps = 3;  // that are in sight at the largest zoom

}  // namespace

TimelinePanel::TimelinePanel(const PanelContext& context, QWidget* parent) : Panel(parent), context_(context) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Timeline"));
  connect(context.debug, &DebugSession::traceChanged, this, &TimelinePanel::refresh);
  connect(context.debug, &DebugSession::stateChanged, this, qOverload<>(&QWidget::update));
  connect(context.debug, &DebugSession::stopChanged, this, [this] {
    const int step = context_.debug->stop().step;
    const int wished = std::exchange(wished_, -1);
    keepInSight(step);
    setAccessibleDescription(header().title);
    update();
    // While the pointer was dragged on, the engine was busy with the step before.
    if (wished >= 0 && wished != step) showStep(wished);
  });
  connect(context.selection, &Selection::changed, this, qOverload<>(&QWidget::update));
}

QSize TimelinePanel::sizeHint() const { return {fontMetrics().averageCharWidth() * 100, fontMetrics().height() * 3}; }
QSize TimelinePanel::minimumSizeHint() const {
  return {fontMetrics().averageCharWidth() * 30, fontMetrics().height() * 5 / 2};
}

void TimelinePanel::refresh() {
  scale_.set(context_.debug->trace(), equal_);
  time_ = compiled_ = 0;
  for (const TraceRow& row : context_.debug->trace()) time_ += row.microseconds, compiled_ += row.compiled;
  if (whole_ || to_ > scale_.length()) return fit();
  barsWidth_ = -1;
  update();
}

void TimelinePanel::fit() {
  whole_ = true;
  from_ = 0;
  to_ = scale_.length();
  barsWidth_ = -1;
  update();
}

TimelinePanel::Header TimelinePanel::header() const {
  const std::vector<TraceRow>& trace = context_.debug->trace();
  const RunState state = context_.debug->state();
  const int step = std::max(0, context_.debug->stop().step);
  const auto count = static_cast<int>(trace.size());
  if (state == RunState::Running || state == RunState::Starting)
    return {tr("running"), count > 0 ? tr("%1 steps so far").arg(grouped(count)) : QString()};
  if (count == 0 && state == RunState::Stopped)
    return {tr("step 0, at the entry"), tr("%1 goes on.").arg(context_.commands->label("debug.stepOver"))};
  if (count == 0)
    return {tr("No steps recorded yet"), tr("%1 starts a run.").arg(context_.commands->label("debug.start"))};
  QString title = tr("step %1 of %2").arg(grouped(step), grouped(count));
  title += step < count ? tr(", history") : state == RunState::Stopped ? tr(", live") : tr(", end");
  const QString ran =
      tr("%1 recorded, %2").arg(durationText(time_ / 1000), codeText(context_.debug->config().optimises()));
  return {title, compiled_ > 0 ? ran + tr(", compiled in %1").arg(durationText(compiled_ / 1000)) : ran};
}

QString TimelinePanel::describe(int step) const {
  const std::vector<TraceRow>& trace = context_.debug->trace();
  if (step < 0 || step >= static_cast<int>(trace.size())) return {};
  const TraceRow& row = trace[static_cast<size_t>(step)];
  const QString name = row.called.isEmpty() ? row.what : row.called + ' ' + row.what;
  const QString compiled = row.compiled > 0 ? tr(", compiled in %1").arg(durationText(row.compiled / 1000)) : QString();
  const QString bad = row.bad ? tr(" · made NaN or Inf") : row.holdsBad ? tr(" · passes NaN or Inf on") : QString();
  return QStringLiteral("%1 · %2%3%4").arg(name, durationText(row.microseconds / 1000), compiled, bad);
}

QRectF TimelinePanel::strip() const {
  const int letter = fontMetrics().averageCharWidth();
  // As wide as the longest caption of this run, so that the bars stand still.
  const QString count = grouped(static_cast<qint64>(context_.debug->trace().size()));
  QFont bold = font();
  bold.setBold(true);
  const int title = QFontMetrics(bold).horizontalAdvance(tr("step %1 of %1, history").arg(count));
  const int left = std::max(title, fontMetrics().horizontalAdvance(header().note)) + 3 * letter;
  const int right = std::min(letter * 30, width() / 4);
  return QRectF(left, height() * 0.24, std::max(10, width() - left - right), height() * 0.56);
}

const std::vector<TimelineBar>& TimelinePanel::bars() const {
  const double width = strip().width();
  if (barsWidth_ != width) bars_ = timelineBars(context_.debug->trace(), scale_, from_, to_, width);
  barsWidth_ = width;
  return bars_;
}

std::pair<double, double> TimelinePanel::view() const {
  const double length = std::max(scale_.length(), 1e-9);
  return {from_ / length, to_ / length};
}

double TimelinePanel::xOf(int step) const {
  const QRectF area = strip();
  const double place = scale_.at(std::clamp(step, 0, scale_.steps()));
  return area.left() + (to_ > from_ ? (place - from_) / (to_ - from_) : 0) * area.width();
}

double TimelinePanel::placeAt(double x) const {
  const QRectF area = strip();
  return from_ + std::clamp((x - area.left()) / area.width(), 0.0, 1.0) * (to_ - from_);
}

/// The state after the step under the pointer; the start of the run left of all.
int TimelinePanel::stepAt(double x) const {
  if (x < strip().left() && from_ <= 0) return 0;
  return scale_.stepAt(placeAt(x)) + 1;
}

void TimelinePanel::zoom(double factor, double x) {
  const double fixed = placeAt(x);
  const double least = scale_.length() / std::max(1.0, scale_.steps() / kFewestSteps);
  const double span = std::clamp((to_ - from_) / factor, std::min(least, scale_.length()), scale_.length());
  const double part = to_ > from_ ? (fixed - from_) / (to_ - from_) : 0;
  from_ = std::clamp(fixed - part * span, 0.0, scale_.length() - span);
  to_ = from_ + span;
  whole_ = span >= scale_.length();
  barsWidth_ = -1;
  update();
}

void TimelinePanel::pan(double pixels) {
  const double span = to_ - from_;
  from_ = std::clamp(from_ + pixels / strip().width() * span, 0.0, std::max(0.0, scale_.length() - span));
  to_ = from_ + span;
  barsWidth_ = -1;
  update();
}

void TimelinePanel::keepInSight(int step) {
  if (whole_ || step < 0) return;
  const double place = scale_.at(std::clamp(step, 0, scale_.steps()));
  if (place >= from_ && place <= to_) return;
  const double span = to_ - from_;
  from_ = std::clamp(place - span / 2, 0.0, std::max(0.0, scale_.length() - span));
  to_ = from_ + span;
  barsWidth_ = -1;
}

void TimelinePanel::showStep(int step) { context_.commands->run("debug.goToStep", {QString::number(step)}); }

void TimelinePanel::goTo(double x) {
  if (context_.debug->trace().empty()) return;
  const int step = stepAt(x);
  if (!context_.debug->idle()) {
    wished_ = step;
  } else if (step != context_.debug->stop().step) {
    showStep(step);
  }
}

void TimelinePanel::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) goTo(event->position().x());
}

void TimelinePanel::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) goTo(event->position().x());
}

void TimelinePanel::mouseDoubleClickEvent(QMouseEvent*) { fit(); }

void TimelinePanel::wheelEvent(QWheelEvent* event) {
  const QPoint delta = event->angleDelta();
  if (scale_.steps() == 0) return event->ignore();
  const bool sideways = std::abs(delta.x()) > std::abs(delta.y()) || (event->modifiers() & Qt::ShiftModifier);
  if (sideways) {
    pan(-(delta.x() != 0 ? delta.x() : delta.y()) / 2.0);
  } else {
    zoom(std::pow(kZoomStep, delta.y() / 120.0), event->position().x());
  }
  event->accept();
}

void TimelinePanel::keyPressEvent(QKeyEvent* event) {
  const int last = static_cast<int>(context_.debug->trace().size());
  const int step = context_.debug->stop().step;
  const auto go = [&](int wanted) { showStep(std::clamp(wanted, 0, last)); };
  switch (event->key()) {
    case Qt::Key_Left:
      return go(step - 1);
    case Qt::Key_Right:
      return go(step + 1);
    case Qt::Key_Home:
      return go(0);
    case Qt::Key_End:
      return go(last);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(kZoomStep, xOf(step));
    case Qt::Key_Minus:
      return zoom(1 / kZoomStep, xOf(step));
    case Qt::Key_Space:
      return fit();
    default:
      return Panel::keyPressEvent(event);
  }
}

/// The menu is about the binding under the pointer.
void TimelinePanel::contextMenuEvent(QContextMenuEvent* event) {
  const std::vector<TraceRow>& trace = context_.debug->trace();
  const int step = event->reason() == QContextMenuEvent::Mouse ? stepAt(event->pos().x()) - 1 : -1;
  if (step >= 0 && step < static_cast<int>(trace.size())) {
    const TraceRow& row = trace[static_cast<size_t>(step)];
    if (row.binding >= 0) context_.selection->selectBinding(row.function, row.binding, row.variable);
  }
  Panel::contextMenuEvent(event);
}

QStringList TimelinePanel::menuCommands() const {
  return {"debug.goToBinding",
          "debug.runToCursor",
          "-",
          "debug.toggleBreakpoint",
          "debug.condition",
          "debug.breakWhenWritten",
          "watch.add",
          "export.value",
          "-",
          "timeline.equalSteps",
          "timeline.fit"};
}

bool TimelinePanel::obey(const QString& name, const QStringList& arguments) {
  if (name == "fit") return fit(), true;
  if (name == "zoom") {
    const double factor = arguments.value(0).toDouble();
    if (!(factor > 0) || scale_.steps() == 0) return false;
    return zoom(factor, xOf(context_.debug->stop().step)), true;
  }
  if (name != "equalSteps" || arguments.isEmpty()) return false;
  const bool equal = arguments[0] == "on";
  if (equal == equal_) return true;
  equal_ = equal;
  whole_ = true;
  refresh();
  return true;
}

bool TimelinePanel::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int step = stepAt(help->pos().x()) - 1;
    const bool inside = strip().adjusted(0, -strip().top(), 0, height()).contains(help->pos()) && step >= 0;
    QToolTip::showText(help->globalPos(), inside ? tr("step %1: %2").arg(grouped(step), describe(step)) : QString(),
                       this);
    return true;
  }
  return Panel::event(event);
}

QString TimelinePanel::dump() const {
  const Header caption = header();
  QStringList lines{caption.note.isEmpty() ? caption.title : caption.title + '\t' + caption.note};
  for (const TraceRow& row : context_.debug->trace())
    lines << QStringLiteral("%1\t%2").arg(row.step).arg(describe(row.step));
  return lines.join('\n');
}

}  // namespace rx::views
