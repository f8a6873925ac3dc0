#include "views/panels/kernel/link_bridge.h"

#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <algorithm>

#include "views/text/text_view.h"

namespace rx::views {
namespace {

constexpr int kWidth = 36;
/// Stretches with fewer lines than this between them are one to see.
constexpr int kGap = 3;
/// Beyond so many stretches on a side bands would cover one another: then one stands for all.
constexpr size_t kMostStretches = 3;

struct Stretch {
  qreal top = 0, bottom = 0;
};

/// Where lines that follow each other stand, in the coordinates of the bridge.
std::vector<Stretch> stretchesOf(const TextView& view, const std::vector<int>& lines, const QWidget& bridge) {
  std::vector<Stretch> made;
  int last = -1 - kGap;
  for (const int line : lines) {
    QRect rect = view.lineRect(static_cast<uint32_t>(line));
    rect.moveTop(bridge.mapFromGlobal(view.viewport()->mapToGlobal(rect.topLeft())).y());
    if (line <= last + kGap && !made.empty()) {
      made.back().bottom = rect.bottom() + 1;
    } else {
      made.push_back({static_cast<qreal>(rect.top()), static_cast<qreal>(rect.bottom() + 1)});
    }
    last = line;
  }
  if (made.size() > kMostStretches) made = {{made.front().top, made.back().bottom}};
  return made;
}

}  // namespace

LinkBridge::LinkBridge(TextView* left, TextView* right, QWidget* parent) : QWidget(parent), left_(left), right_(right) {
  setFixedWidth(kWidth);
  for (TextView* view : {left, right})
    connect(view->verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { update(); });
}

void LinkBridge::setLines(std::vector<int> left, std::vector<int> right) {
  leftLines_ = std::move(left);
  rightLines_ = std::move(right);
  update();
}

void LinkBridge::paintEvent(QPaintEvent*) {
  const Palette& theme = left_->theme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.window);
  if (leftLines_.empty() || rightLines_.empty()) return;
  // Only beside the lines: not beside what stands over and under the texts.
  const int top = mapFromGlobal(left_->viewport()->mapToGlobal(QPoint(0, 0))).y();
  painter.setClipRect(0, top, width(), left_->viewport()->height());
  painter.setRenderHint(QPainter::Antialiasing);
  const qreal right = width(), middle = right / 2;
  for (const Stretch& from : stretchesOf(*left_, leftLines_, *this)) {
    for (const Stretch& to : stretchesOf(*right_, rightLines_, *this)) {
      QPainterPath upper(QPointF(0, from.top)), lower(QPointF(right, to.bottom));
      upper.cubicTo(middle, from.top, middle, to.top, right, to.top);
      lower.cubicTo(middle, to.bottom, middle, from.bottom, 0, from.bottom);
      QPainterPath band = upper;
      band.lineTo(right, to.bottom);
      band.connectPath(lower);
      band.closeSubpath();
      painter.fillPath(band, theme.selection);
      painter.setPen(QPen(theme.accent, 1));
      painter.drawPath(upper);
      painter.drawPath(lower);
    }
  }
}

}  // namespace rx::views
