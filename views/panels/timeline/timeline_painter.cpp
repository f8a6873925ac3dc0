// How the timeline looks: caption, bars, what is selected, where the run stands.
#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "views/models/debug_session.h"
#include "views/models/numbers.h"
#include "views/models/selection.h"
#include "views/panels/run_theme.h"
#include "views/panels/timeline/timeline_panel.h"

namespace rx::views {
namespace {

constexpr double kTick = 0.16;     // height of the machine's ticks, of the strip
constexpr double kBadStrip = 3;    // pixels
constexpr double kSmall = 0.92;    // size of small text
constexpr double kBorderFrom = 6;  // width from which a bar that is not reached has a border

}  // namespace

void TimelinePanel::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  const QRectF area = strip();
  QPainter painter(this);
  painter.fillRect(rect(), theme.base);
  paintHeader(painter, theme, area);
  if (!part_.bars.empty()) {
    painter.save();
    painter.setClipRect(QRectF(area.left() - 4, 0, area.width() + 8, height()));
    paintBars(painter, theme, area);
    paintCursor(painter, theme, area);
    painter.restore();
  }
  if (!hasFocus()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(theme.accent);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

/// The ring of the selected binding lies over its neighbours.
void TimelinePanel::paintBars(QPainter& painter, const Palette& theme, const QRectF& area) const {
  const Palette shown = runTheme(*context_.debug, *this);
  for (const TimelineBar& bar : bars()) paintBar(painter, shown, area, bar);
  painter.setPen(QPen(theme.accent, 3, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
  painter.setBrush(Qt::NoBrush);
  for (const TimelineBar& bar : bars()) {
    if (!selected(bar)) continue;
    const double left = xOf(bar.begin, area), right = xOf(bar.end, area);
    painter.drawRect(QRectF(left - 3.5, area.top() - 3.5, right - left + 6, area.height() + 7));
  }
}

void TimelinePanel::paintHeader(QPainter& painter, const Palette& theme, const QRectF& area) const {
  const Header caption = header();
  const int letter = fontMetrics().averageCharWidth();
  const QRect box(letter, 0, width() - letter, height());
  QFont bold = font();
  bold.setBold(true);
  QFont small = font();
  small.setPointSizeF(font().pointSizeF() * kSmall);
  const int line = fontMetrics().height();
  const int top = (height() - 2 * line) / 2;
  painter.setPen(theme.text);
  painter.setFont(bold);
  painter.drawText(QRect(box.left(), top, box.width(), line), Qt::AlignVCenter, caption.title);
  painter.setPen(theme.grey);
  painter.setFont(small);
  painter.drawText(QRect(box.left(), top + line, box.width(), line), Qt::AlignVCenter, caption.note);
  const int step = context_.debug->stop().step;
  const RunState state = context_.debug->state();
  const bool runs = state == RunState::Running || state == RunState::Starting;
  const int later = runs ? 0 : context_.debug->recorded() - step;
  const QRect right(static_cast<int>(area.right()) + letter, top, width() - static_cast<int>(area.right()) - 2 * letter,
                    line);
  const QFontMetrics metrics(small);
  if (context_.debug->recorded() == 0 || right.width() < letter * 6) return;
  painter.setPen(theme.text);
  painter.drawText(right, Qt::AlignVCenter, metrics.elidedText(describeLast(), Qt::ElideRight, right.width()));
  painter.setPen(theme.grey);
  const QString rest = later > 0 ? tr("%1 recorded after it").arg(grouped(later)) : QString();
  painter.drawText(right.translated(0, line), Qt::AlignVCenter,
                   metrics.elidedText(rest, Qt::ElideRight, right.width()));
  painter.setFont(font());
}

void TimelinePanel::paintBar(QPainter& painter, const Palette& theme, const QRectF& area,
                             const TimelineBar& bar) const {
  const double left = xOf(bar.begin, area), width = xOf(bar.end, area) - left;
  QRectF box(left, area.top(), std::max(1.0, width - (width > 4 ? 1 : 0)), area.height());
  if (bar.machine) box.setTop(area.bottom() - area.height() * kTick);
  // What comes after the step that is shown is only an outline: it is the history of this run, not yet done here.
  const bool later = bar.first >= context_.debug->stop().step;
  const InstructionRow* row = instruction(bar);
  const KindColors& colors = theme.of(bar.machine || !row ? OpKind::Memory : row->kind);
  if (!later) {
    painter.fillRect(box, colors.bar);
  } else if (bar.machine || box.width() < kBorderFrom) {
    painter.fillRect(box, theme.border);
  } else {
    painter.setPen(QPen(theme.border, 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
  }
  paintMarks(painter, theme, bar, box);
}

void TimelinePanel::paintMarks(QPainter& painter, const Palette& theme, const TimelineBar& bar,
                               const QRectF& box) const {
  // Recorded facts: they stand over the steps that are done and over those to come.
  const QColor& ink = theme.error;
  if (bar.bad || bar.holdsBad) painter.fillRect(QRectF(box.left(), box.top(), box.width(), kBadStrip), ink);
  if (bar.bad) {
    // Points at the bar from above, also where the bar is thin.
    const double size = std::max(4.0, box.top() * 0.55);
    const double middle = box.center().x();
    QPainterPath mark(QPointF(middle - size, box.top() - size - 2));
    mark.lineTo(middle + size, box.top() - size - 2);
    mark.lineTo(middle, box.top() - 2);
    mark.closeSubpath();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillPath(mark, ink);
    painter.restore();
  }
  const InstructionRow* row = instruction(bar);
  if (bar.machine || bar.first != bar.last || !row) return;
  const QString& name = row->called;
  if (fontMetrics().horizontalAdvance(name) + 4 > box.width()) return;
  painter.setPen(bar.first >= context_.debug->stop().step ? theme.grey : theme.text);
  painter.drawText(box.adjusted(0, kBadStrip, 0, 0), Qt::AlignCenter, name);
}

void TimelinePanel::paintCursor(QPainter& painter, const Palette& theme, const QRectF& area) const {
  const double x = xOf(part_.place, area);
  const double size = std::max(4.0, height() * 0.1);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  QPainterPath mark(QPointF(x - size, 0));
  mark.lineTo(x + size, 0);
  mark.lineTo(x, size * 1.4);
  mark.closeSubpath();
  painter.fillPath(mark, theme.text);
  painter.setPen(QPen(theme.text, 2));
  painter.drawLine(QPointF(x, 0), QPointF(x, height() - 3));
  painter.restore();
}

bool TimelinePanel::selected(const TimelineBar& bar) const {
  const Place& place = context_.selection->place();
  const InstructionRow* row = instruction(bar);
  if (bar.machine || bar.first != bar.last || place.binding < 0 || !row) return false;
  return row->binding == place.binding && row->bindingFunction == place.function &&
         place.stage == context_.debug->config().stage;
}

}  // namespace rx::views
