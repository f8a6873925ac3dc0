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
#include "views/panels/binding_menu.h"

namespace rx::views {
namespace {

constexpr double kZoomStep = 1.25;
constexpr double kFewestSteps = 3;  // that are in sight at the largest zoom
constexpr double kLeastBar = 2;     // pixels

}  // namespace

TimelinePanel::TimelinePanel(const PanelContext& context, QWidget* parent) : Panel(parent), context_(context) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Timeline"));
  constexpr std::chrono::milliseconds kBetweenLooks{60};
  more_.setSingleShot(true);
  more_.setInterval(kBetweenLooks);
  connect(&more_, &QTimer::timeout, this, [this] {
    if (isVisible() && !asking_ && context_.debug->idle()) ask();
  });
  connect(context.debug, &DebugSession::traceChanged, this, [this] { want(); });
  connect(context.debug, &DebugSession::stateChanged, this, qOverload<>(&QWidget::update));
  connect(context.debug, &DebugSession::stopChanged, this, [this] {
    const int step = context_.debug->stop().step;
    const int wished = std::exchange(wished_, -1);
    follow_ = true;
    want();
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

void TimelinePanel::catchUp(unsigned) {
  looks_ = 0;
  ask();
  askLast();
}

bool TimelinePanel::busy() const {
  constexpr int kAwaited = 20;  // looks, after which the rest comes while other things are done
  return Panel::busy() || asking_ || askingLast_ || (part_.more && looks_ < kAwaited && more_.isActive());
}

void TimelinePanel::ask() {
  more_.stop();
  again_ = false;
  asking_ = true;
  TimelineQuery query;
  query.equal = equal_;
  query.from = whole_ ? 0 : from_;
  if (!whole_) query.to = to_;
  query.bars = static_cast<int>(strip().width() / kLeastBar);
  query.state = std::max(0, context_.debug->stop().step);
  ++looks_;
  context_.debug->fetchTimeline(query, this, [this, number = ++asked_](const TimelinePart& part) {
    if (number == asked_) take(part);
  });
}

void TimelinePanel::take(const TimelinePart& part) {
  asking_ = false;
  // Of a run that nobody can be asked about any more, what was there stays.
  if (part.error.isEmpty() || context_.debug->recorded() == 0) part_ = part;
  if (!whole_ && to_ > part_.length) whole_ = true;
  if (whole_) {
    from_ = 0;
    to_ = part_.length;
  }
  if (std::exchange(follow_, false)) keepInSight();
  if (again_) return ask();
  if (part_.more && part.error.isEmpty()) more_.start();
  update();
  if (!busy()) Q_EMIT settled();
}

void TimelinePanel::askLast() {
  const int step = context_.debug->stop().step - 1;
  last_.reset();
  askingLast_ = step >= 0;
  const int number = ++lastAsked_;
  if (!askingLast_) return;
  context_.debug->fetchSteps(step, 1, this, [this, number, step](const std::vector<TraceRow>& rows) {
    if (number != lastAsked_) return;
    askingLast_ = false;
    if (!rows.empty() && rows.front().step == step) last_ = rows.front();
    update();
    if (!busy()) Q_EMIT settled();
  });
}

void TimelinePanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  want();
}

/// What is drawn meanwhile stays where it is on the line.
void TimelinePanel::show(double from, double to) {
  from_ = from;
  to_ = to;
  whole_ = to - from >= part_.length;
  again_ = asking_;
  looks_ = 0;
  if (!asking_) ask();
  update();
}

void TimelinePanel::fit() { show(0, part_.length); }

TimelinePanel::Header TimelinePanel::header() const {
  const RunState state = context_.debug->state();
  const int step = std::max(0, context_.debug->stop().step);
  const int count = context_.debug->recorded();
  if (state == RunState::Starting) return {tr("compiling"), QString()};
  if (state == RunState::Running)
    return {tr("running"), count > 0 ? tr("%1 steps so far").arg(grouped(count)) : QString()};
  if (count == 0 && state == RunState::Stopped)
    return {tr("step 0, at the entry"), tr("%1 goes on.").arg(context_.commands->label("debug.stepOver"))};
  if (count == 0)
    return {tr("No steps recorded yet"), tr("%1 starts a run.").arg(context_.commands->label("debug.start"))};
  QString title = tr("step %1 of %2").arg(grouped(step), grouped(count));
  title += step < count ? tr(", history") : state == RunState::Stopped ? tr(", live") : tr(", end");
  const QString ran = tr("%1 recorded, %2")
                          .arg(durationText(part_.microseconds / 1000), codeText(context_.debug->config().optimises()));
  if (const QString past = context_.debug->pastOf(); !past.isEmpty()) return {title, tr("of %1").arg(past)};
  return {title, part_.compiled > 0 ? ran + tr(", compiled in %1").arg(durationText(part_.compiled / 1000)) : ran};
}

namespace {

QString badText(bool made, bool holds) {
  return made    ? TimelinePanel::tr(" · made NaN or Inf")
         : holds ? TimelinePanel::tr(" · passes NaN or Inf on")
                 : QString();
}

}  // namespace

QString TimelinePanel::describeLast() const {
  if (!last_) return {};
  const QString name = last_->called.isEmpty() ? last_->what : last_->called + ' ' + last_->what;
  const QString compiled =
      last_->compiled > 0 ? tr(", compiled in %1").arg(durationText(last_->compiled / 1000)) : QString();
  // What is shorter than the clock can tell says nothing.
  const QString time =
      last_->microseconds > 0 ? QStringLiteral(" · ") + durationText(last_->microseconds / 1000) : QString();
  return name + time + compiled + badText(last_->bad, last_->holdsBad);
}

const InstructionRow* TimelinePanel::instruction(const TimelineBar& bar) const {
  const std::vector<InstructionRow>& program = context_.debug->instructions();
  const auto at = static_cast<size_t>(std::max(bar.instruction, 0));
  return bar.instruction >= 0 && at < program.size() ? &program[at] : nullptr;
}

/// A step by its name; of several the one that took longest.
QString TimelinePanel::describe(const TimelineBar& bar) const {
  const InstructionRow* row = instruction(bar);
  QString name = row ? (row->called.isEmpty() ? QString() : row->called + ' ') + row->what : QString();
  if (bar.last > bar.first) name = tr("%1 steps, the longest %2").arg(grouped(bar.last - bar.first + 1)).arg(name);
  return QStringLiteral("%1 · %2%3").arg(name, durationText(bar.microseconds / 1000), badText(bar.bad, bar.holdsBad));
}

QRectF TimelinePanel::strip() const {
  const int letter = fontMetrics().averageCharWidth();
  // As wide as the longest caption of this run, so that the bars stand still.
  const QString count = grouped(context_.debug->recorded());
  QFont bold = font();
  bold.setBold(true);
  const int title = QFontMetrics(bold).horizontalAdvance(tr("step %1 of %1, history").arg(count));
  const int left = std::max(title, fontMetrics().horizontalAdvance(header().note)) + 3 * letter;
  const int right = std::min(letter * 30, width() / 4);
  return QRectF(left, height() * 0.24, std::max(10, width() - left - right), height() * 0.56);
}

std::pair<double, double> TimelinePanel::view() const {
  const double length = std::max(part_.length, 1e-9);
  return {from_ / length, to_ / length};
}

double TimelinePanel::xOf(double place, const QRectF& area) const {
  return area.left() + (to_ > from_ ? (place - from_) / (to_ - from_) : 0) * area.width();
}

double TimelinePanel::placeAt(double x) const {
  const QRectF area = strip();
  return from_ + std::clamp((x - area.left()) / area.width(), 0.0, 1.0) * (to_ - from_);
}

const TimelineBar* TimelinePanel::barAt(double x) const {
  if (part_.bars.empty()) return nullptr;
  const double place = placeAt(x);
  const auto behind = std::upper_bound(part_.bars.begin(), part_.bars.end(), place,
                                       [](double wanted, const TimelineBar& bar) { return wanted < bar.end; });
  return behind == part_.bars.end() ? &part_.bars.back() : &*behind;
}

/// The state after the step under the pointer, among steps that stand together by where it is between their ends; the
/// start of the run left of all.
int TimelinePanel::stepAt(double x) const {
  const TimelineBar* bar = barAt(x);
  if (!bar || (x < strip().left() && from_ <= 0)) return part_.oldest;
  const double width = bar->end - bar->begin;
  const double part = width > 0 ? std::clamp((placeAt(x) - bar->begin) / width, 0.0, 1.0) : 0;
  return std::min(bar->last, bar->first + static_cast<int>(part * (bar->last - bar->first + 1))) + 1;
}

void TimelinePanel::zoom(double factor, double x) {
  const double fixed = placeAt(x), length = part_.length;
  const double least = length / std::max(1.0, (part_.recorded - part_.oldest) / kFewestSteps);
  const double span = std::clamp((to_ - from_) / factor, std::min(least, length), length);
  const double part = to_ > from_ ? (fixed - from_) / (to_ - from_) : 0;
  const double from = std::clamp(fixed - part * span, 0.0, length - span);
  show(from, from + span);
}

void TimelinePanel::pan(double pixels) {
  const double span = to_ - from_;
  const double from = std::clamp(from_ + pixels / strip().width() * span, 0.0, std::max(0.0, part_.length - span));
  show(from, from + span);
}

void TimelinePanel::keepInSight() {
  if (whole_ || context_.debug->stop().step < 0 || (part_.place >= from_ && part_.place <= to_)) return;
  const double span = to_ - from_;
  from_ = std::clamp(part_.place - span / 2, 0.0, std::max(0.0, part_.length - span));
  to_ = from_ + span;
  again_ = true;
}

void TimelinePanel::showStep(int step) { context_.commands->run("debug.goToStep", {QString::number(step)}); }

void TimelinePanel::goTo(double x) {
  if (context_.debug->recorded() == 0) return;
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
  if (part_.bars.empty()) return event->ignore();
  const bool sideways = std::abs(delta.x()) > std::abs(delta.y()) || (event->modifiers() & Qt::ShiftModifier);
  if (sideways) {
    pan(-(delta.x() != 0 ? delta.x() : delta.y()) / 2.0);
  } else {
    zoom(std::pow(kZoomStep, delta.y() / 120.0), event->position().x());
  }
  event->accept();
}

void TimelinePanel::keyPressEvent(QKeyEvent* event) {
  const int last = context_.debug->recorded();
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
      return zoom(kZoomStep, xOf(part_.place, strip()));
    case Qt::Key_Minus:
      return zoom(1 / kZoomStep, xOf(part_.place, strip()));
    case Qt::Key_Space:
      return fit();
    default:
      return Panel::keyPressEvent(event);
  }
}

/// The menu is about the binding under the pointer.
void TimelinePanel::contextMenuEvent(QContextMenuEvent* event) {
  const TimelineBar* bar = event->reason() == QContextMenuEvent::Mouse ? barAt(event->pos().x()) : nullptr;
  const InstructionRow* row = bar ? instruction(*bar) : nullptr;
  if (row && row->binding >= 0) context_.selection->selectBinding(row->bindingFunction, row->binding, row->variable);
  Panel::contextMenuEvent(event);
}

QStringList TimelinePanel::menuCommands() const {
  return QStringList{"timeline.equalSteps", "timeline.fit", "-"} + bindingMenu("timeline") +
         QStringList{"-", "export.value"};
}

bool TimelinePanel::obey(const QString& name, const QStringList& arguments) {
  if (name == "fit") return fit(), true;
  if (name == "zoom") {
    const double factor = arguments.value(0).toDouble();
    if (!(factor > 0) || part_.bars.empty()) return false;
    return zoom(factor, xOf(part_.place, strip())), true;
  }
  if (name != "equalSteps" || arguments.isEmpty()) return false;
  const bool equal = arguments[0] == "on";
  if (equal == equal_) return true;
  equal_ = equal;
  fit();
  return true;
}

bool TimelinePanel::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const bool inside = strip().adjusted(0, -strip().top(), 0, height()).contains(help->pos());
    const TimelineBar* bar = inside ? barAt(help->pos().x()) : nullptr;
    QToolTip::showText(help->globalPos(), bar ? tr("step %1: %2").arg(grouped(bar->first), describe(*bar)) : QString(),
                       this);
    return true;
  }
  return Panel::event(event);
}

QString TimelinePanel::dump() const {
  const Header caption = header();
  QStringList lines{caption.note.isEmpty() ? caption.title : caption.title + '\t' + caption.note};
  if (last_) lines.front() += '\t' + describeLast();
  for (const TimelineBar& bar : part_.bars) lines << QStringLiteral("%1\t%2").arg(bar.first).arg(describe(bar));
  return lines.join('\n');
}

}  // namespace rx::views
