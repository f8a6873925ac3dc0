#include "views/panels/timeline/timeline_panel.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "views/models/debug_session.h"
#include "views/models/numbers.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

constexpr double kLeastBar = 4;
constexpr double kLeastShare = 0.15;  // of an even share: short steps stay visible beside long ones

}  // namespace

std::vector<TimelineBar> timelineBars(const std::vector<TraceRow>& trace, double width, double least) {
  std::vector<TimelineBar> bars;
  if (trace.empty() || width <= 0) return bars;
  const size_t most = std::max<size_t>(1, static_cast<size_t>(width / least));
  const size_t group = (trace.size() + most - 1) / most;
  double total = 0;
  for (const TraceRow& row : trace) total += std::max(row.microseconds, 0.0);
  const double floor = std::max(total, 1.0) / static_cast<double>(trace.size()) * kLeastShare;
  std::vector<double> weights;
  double sum = 0;
  for (size_t first = 0; first < trace.size(); first += group) {
    const size_t last = std::min(first + group, trace.size()) - 1;
    TimelineBar bar{static_cast<int>(first), static_cast<int>(last), 0, 0, true, false};
    double weight = 0;
    for (size_t i = first; i <= last; ++i) {
      weight += std::max(trace[i].microseconds, floor);
      bar.builtin = bar.builtin && trace[i].builtin;
      bar.bad = bar.bad || trace[i].bad;
    }
    weights.push_back(weight);
    sum += weight;
    bars.push_back(bar);
  }
  // Each bar gets its least width first, the rest is shared by time.
  const double base = std::min(least / width, 1.0 / static_cast<double>(bars.size()));
  const double rest = 1.0 - base * static_cast<double>(bars.size());
  double at = 0;
  for (size_t i = 0; i < bars.size(); ++i) {
    bars[i].begin = at;
    at += base + rest * weights[i] / sum;
    bars[i].end = at;
  }
  return bars;
}

TimelinePanel::TimelinePanel(const PanelContext& context, QWidget* parent) : Panel(parent), context_(context) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Timeline"));
  const auto repaint = [this] {
    asked_ = -1;
    update();
  };
  connect(context.debug, &DebugSession::traceChanged, this, repaint);
  connect(context.debug, &DebugSession::stopChanged, this, repaint);
  connect(context.debug, &DebugSession::stateChanged, this, repaint);
}

QSize TimelinePanel::sizeHint() const { return {fontMetrics().averageCharWidth() * 100, fontMetrics().height() * 2}; }
QSize TimelinePanel::minimumSizeHint() const {
  return {fontMetrics().averageCharWidth() * 30, fontMetrics().height() * 2};
}

QString TimelinePanel::caption() const {
  const size_t count = context_.debug->trace().size();
  if (count == 0) return tr("No steps recorded yet: F5 starts a run.");
  return tr("step %1 of %2 recorded").arg(std::max(0, context_.debug->stop().step)).arg(count);
}

QString TimelinePanel::describe(int step) const {
  const std::vector<TraceRow>& trace = context_.debug->trace();
  if (step < 0 || step >= static_cast<int>(trace.size())) return {};
  const TraceRow& row = trace[static_cast<size_t>(step)];
  const QString name = row.variable.isEmpty() ? row.what : row.variable + ' ' + row.what;
  return QStringLiteral("%1 · %2%3")
      .arg(name, durationText(row.microseconds / 1000), row.bad ? QStringLiteral(" · NaN or Inf") : QString());
}

QRectF TimelinePanel::strip() const {
  const int letter = fontMetrics().averageCharWidth();
  const int left = fontMetrics().horizontalAdvance(caption()) + 2 * letter;
  const int right = std::min(letter * 34, width() / 3);
  return QRectF(left, height() * 0.2, std::max(10, width() - left - right), height() * 0.6);
}

void TimelinePanel::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  QPainter painter(this);
  painter.fillRect(rect(), theme.base);
  painter.setPen(theme.grey);
  const int letter = fontMetrics().averageCharWidth();
  painter.drawText(QRect(letter, 0, width(), height()), Qt::AlignVCenter, caption());
  const std::vector<TraceRow>& trace = context_.debug->trace();
  if (trace.empty()) return;
  const QRectF area = strip();
  const int shown = context_.debug->stop().step;
  double cursor = area.left();
  for (const TimelineBar& bar : timelineBars(trace, area.width(), kLeastBar)) {
    const QRectF box(area.left() + bar.begin * area.width(), area.top(),
                     std::max(1.0, (bar.end - bar.begin) * area.width() - 1), area.height());
    const KindColors& colors = theme.of(bar.builtin ? OpKind::Memory : OpKind::Compute);
    QColor fill = bar.bad ? theme.errorFill : colors.fill;
    QColor line = bar.bad ? theme.error : colors.line;
    // Steps after the one that is shown are pale.
    if (bar.first >= shown) {
      fill = theme.panel;
      line = theme.border;
    }
    // A border would be all there is of a thin bar.
    constexpr double kBordered = 6;
    if (box.width() < kBordered) {
      painter.fillRect(box, bar.bad || bar.first < shown ? line : theme.border);
    } else {
      painter.setPen(line);
      painter.setBrush(fill);
      painter.drawRect(box);
    }
    if (bar.bad && box.width() > letter) painter.drawText(box, Qt::AlignCenter, QStringLiteral("▲"));
    if (shown > bar.last)
      cursor = area.left() + bar.end * area.width();
    else if (shown > bar.first)
      cursor = box.left() + box.width() * (shown - bar.first) / (bar.last - bar.first + 1);
  }
  painter.setPen(QPen(theme.text, 2));
  painter.drawLine(QPointF(cursor, 2), QPointF(cursor, height() - 2));
  painter.setPen(theme.grey);
  const QRect text(static_cast<int>(area.right()) + letter, 0, width() - static_cast<int>(area.right()) - 2 * letter,
                   height());
  painter.drawText(text, Qt::AlignVCenter, fontMetrics().elidedText(describe(shown - 1), Qt::ElideRight, text.width()));
  if (hasFocus()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(theme.accent);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

int TimelinePanel::stepAt(double x) const {
  const QRectF area = strip();
  const double at = (x - area.left()) / area.width();
  for (const TimelineBar& bar : timelineBars(context_.debug->trace(), area.width(), kLeastBar)) {
    if (at > bar.end) continue;
    const double part = (at - bar.begin) / (bar.end - bar.begin);
    return bar.first + static_cast<int>(part * (bar.last - bar.first + 1) + 0.5);
  }
  return static_cast<int>(context_.debug->trace().size());
}

void TimelinePanel::goTo(double x) {
  if (context_.debug->trace().empty()) return;
  const int step = stepAt(x);
  if (step == asked_ || step == context_.debug->stop().step) return;
  asked_ = step;
  context_.commands->run("debug.goToStep", {QString::number(step)});
}

void TimelinePanel::mousePressEvent(QMouseEvent* event) { goTo(event->position().x()); }

void TimelinePanel::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) goTo(event->position().x());
}

void TimelinePanel::keyPressEvent(QKeyEvent* event) {
  const int last = static_cast<int>(context_.debug->trace().size());
  int step = context_.debug->stop().step;
  switch (event->key()) {
    case Qt::Key_Left:
      --step;
      break;
    case Qt::Key_Right:
      ++step;
      break;
    case Qt::Key_Home:
      step = 0;
      break;
    case Qt::Key_End:
      step = last;
      break;
    default:
      return Panel::keyPressEvent(event);
  }
  context_.commands->run("debug.goToStep", {QString::number(std::clamp(step, 0, last))});
}

bool TimelinePanel::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = strip().contains(help->pos()) ? describe(std::max(0, stepAt(help->pos().x()) - 1)) : QString();
    QToolTip::showText(help->globalPos(), text, this);
    return true;
  }
  return Panel::event(event);
}

QString TimelinePanel::dump() const {
  QStringList lines{caption()};
  for (const TraceRow& row : context_.debug->trace())
    lines << QStringLiteral("%1\t%2").arg(row.step).arg(describe(row.step));
  return lines.join('\n');
}

}  // namespace rx::views
