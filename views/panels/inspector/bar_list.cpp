#include "views/panels/inspector/bar_list.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

#include "views/models/numbers.h"
#include "views/theme/kind_mark.h"

namespace rx::views {

namespace {
constexpr int kLeastBar = 16;
}  // namespace

BarList::BarList(QWidget* parent) : QWidget(parent), palette_(Palette::forQt(palette())) {
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Operators and how often they are called"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void BarList::setTheme(const Palette& palette) {
  palette_ = palette;
  update();
}

void BarList::setBars(const std::vector<InspectionBar>& bars) {
  if (bars == bars_) return;  // what is picked stays
  bars_ = bars;
  picked_ = -1;
  current_ = std::clamp(current_, 0, std::max(0, static_cast<int>(bars.size()) - 1));
  QStringList lines;
  for (const InspectionBar& bar : bars) lines += QStringLiteral("%1 %2").arg(bar.name, QString::number(bar.count));
  setAccessibleDescription(lines.join(QStringLiteral(", ")));
  updateGeometry();
  update();
}

QSize BarList::sizeHint() const { return {fontMetrics().height() * 14, rowHeight() * static_cast<int>(bars_.size())}; }

void BarList::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QFontMetrics metrics = fontMetrics();
  int names = 0;
  qint64 most = 1;
  for (const InspectionBar& bar : bars_) {
    names = std::max(names, metrics.horizontalAdvance(bar.name) + 1);  // what it was rounded by
    most = std::max(most, bar.count);
  }
  const int row = rowHeight(), mark = row, gap = metrics.height() / 2;
  // A name is never cut while there is room for it: the bars give way.
  const int number = gap + metrics.horizontalAdvance(grouped(most)) + 4;
  names = std::min(names, std::max(0, width() - mark - gap - kLeastBar - number));
  const int left = mark + names + gap;
  const int room = std::max(kLeastBar, width() - left - number);
  for (size_t i = 0; i < bars_.size(); ++i) {
    const InspectionBar& bar = bars_[i];
    const int top = row * static_cast<int>(i);
    const QRect line(0, top, width(), row);
    if (static_cast<int>(i) == picked_) painter.fillRect(line, palette_.selection);
    drawKindMark(painter, bar.kind, palette_, QRectF(0, top + row * 0.2, mark * 0.75, row * 0.6));
    painter.setPen(palette_.text);
    painter.drawText(QRect(mark, top, names, row), Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(bar.name, Qt::ElideRight, names));
    const int wide = std::max(
        2, static_cast<int>(static_cast<double>(room) * static_cast<double>(bar.count) / static_cast<double>(most)));
    painter.fillRect(QRectF(left, top + row * 0.25, wide, row * 0.5), palette_.of(bar.kind).bar);
    painter.drawText(QRect(left + wide + gap / 2, top, width(), row), Qt::AlignVCenter | Qt::AlignLeft,
                     grouped(bar.count));
    if (hasFocus() && static_cast<int>(i) == current_) {
      painter.setPen(QPen(palette_.accent, 1));
      painter.drawRect(line.adjusted(0, 0, -1, -1));
    }
  }
}

void BarList::pick(int bar) {
  if (bar < 0 || bar >= static_cast<int>(bars_.size())) return;
  current_ = picked_ = bar;
  update();
  Q_EMIT picked(bars_[static_cast<size_t>(bar)].name);
}

/// The whole name, which a narrow panel may have no room for.
bool BarList::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int bar = help->pos().y() / rowHeight();
  const bool known = bar >= 0 && bar < static_cast<int>(bars_.size());
  QToolTip::showText(help->globalPos(), known ? bars_[static_cast<size_t>(bar)].name : QString(), this);
  return true;
}

void BarList::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QWidget::mousePressEvent(event);
  pick(static_cast<int>(event->position().y()) / rowHeight());
}

void BarList::keyPressEvent(QKeyEvent* event) {
  const int step = event->key() == Qt::Key_Up ? -1 : event->key() == Qt::Key_Down ? 1 : 0;
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return pick(current_);
  if (step == 0) return QWidget::keyPressEvent(event);
  current_ = std::clamp(current_ + step, 0, std::max(0, static_cast<int>(bars_.size()) - 1));
  update();
}

}  // namespace rx::views
