#include "views/panels/graph/graph_bar.h"

#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QSizePolicy>
#include <QToolButton>

#include "views/panels/graph/graph_colours.h"
#include "views/theme/icons.h"
#include "views/theme/kind_mark.h"

namespace rx::views {
namespace {

struct ButtonRow {
  const char* icon;
  const char* command;
  const char* tip;
};
/// The label with the scale stands behind the first one.
constexpr ButtonRow kButtons[] = {
    {"minus", "zoomOut", "Smaller  -"},
    {"plus", "zoomIn", "Larger  +"},
    {"fit", "fit", "The whole graph  Space"},
    {"fold", "fold", "Fold blocks and layers"},
    {"unfold", "unfold", "Unfold all blocks"},
    {"eye", "focus", "Only what is near the selected node, or all again"},
    {"memory", "machine", "Allocations and kills as nodes, or folded  A"},
    {"chart", "weights", "Weights with name, shape and size at the operations that read them  W"},
};

}  // namespace

GraphBar::GraphBar(QWidget* parent) : QWidget(parent) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 1, 4, 1);
  row->setSpacing(1);
  summary_ = new QLabel(this);
  summary_->setMinimumWidth(0);
  summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(summary_, 1);
  scale_ = new QLabel(this);
  scale_->setAlignment(Qt::AlignCenter);
  scale_->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("100 %")) + 6);
  for (const ButtonRow& one : kButtons) {
    auto* button = new QToolButton(this);
    button->setObjectName(QString::fromLatin1(one.command));
    button->setAutoRaise(true);
    button->setIcon(icon(one.icon));
    button->setToolTip(tr(one.tip));
    button->setAccessibleName(button->toolTip());
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::clicked, this, [this, id = QString::fromLatin1(one.command)] { Q_EMIT wanted(id); });
    row->addWidget(button);
    if (buttons_.empty()) row->addWidget(scale_);
    buttons_.push_back(button);
  }
}

void GraphBar::setScale(double scale) { scale_->setText(tr("%1 %").arg(qRound(scale * 100))); }

void GraphBar::setSummary(const QString& text, const QString& brief) {
  text_ = text;
  brief_ = brief;
  summary_->setToolTip(text);
  showSummary();
}

/// A number without what it counts says nothing: where there is no room for that, it is left to the tip.
void GraphBar::showSummary() {
  constexpr qsizetype kLeast = 12;  // letters
  const QFontMetrics metrics = summary_->fontMetrics();
  if (metrics.horizontalAdvance(text_) > summary_->width() && metrics.horizontalAdvance(brief_) <= summary_->width())
    return summary_->setText(brief_);
  const QString shown = metrics.elidedText(text_, Qt::ElideRight, summary_->width());
  summary_->setText(shown == text_ || shown.size() >= kLeast ? shown : QString());
}

void GraphBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  layout()->activate();  // the label has its new width now
  showSummary();
}

GraphLegend::GraphLegend(QWidget* parent) : QWidget(parent), theme_(Palette::forQt(palette())) {
  setAccessibleName(tr("Legend of the kinds of operations"));
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void GraphLegend::setTheme(const Palette& palette) {
  theme_ = palette;
  update();
}

void GraphLegend::showChanges(bool shown) {
  changes_ = shown;
  updateGeometry();
  update();
}

QSize GraphLegend::sizeHint() const {
  const int width = fontMetrics().averageCharWidth() * 40;
  return {width, heightForWidth(width)};
}

QSize GraphLegend::minimumSizeHint() const { return {0, rowHeight()}; }

int GraphLegend::heightForWidth(int width) const {
  const std::vector<QPointF> places = placesOf(entries(), width);
  return places.empty() ? rowHeight() : static_cast<int>(places.back().y()) + rowHeight();
}

QFont GraphLegend::smallFont() const {
  QFont small = font();
  small.setPointSizeF(font().pointSizeF() * 0.85);
  return small;
}

std::vector<GraphLegend::Entry> GraphLegend::entries() const {
  std::vector<Entry> all;
  if (changes_) {
    for (size_t i = 0; i < changeLooks().size(); ++i) {
      const auto box = [this, look = changeLooks()[i]](QPainter& painter, const QRectF& rect) {
        painter.setPen(theme_.*look.line);
        painter.setBrush(theme_.*look.fill);
        painter.drawRoundedRect(rect, rect.width() / 4, rect.width() / 4);
      };
      all.push_back({changeName(static_cast<NodeChange>(i)), box});
    }
    return all;
  }
  for (const KindLegend& one : kindLegend())
    all.push_back({QString::fromUtf8(one.name), [this, kind = one.kind](QPainter& painter, const QRectF& rect) {
                     drawKindMark(painter, kind, theme_, rect);
                   }});
  return all;
}

/// In rows, as many as they need: what a picture uses and does not say would be a riddle.
std::vector<QPointF> GraphLegend::placesOf(const std::vector<Entry>& entries, int width) const {
  const QFontMetricsF metrics(smallFont());
  const double left = metrics.height() * 0.4;
  QPointF at(left, 0);
  std::vector<QPointF> places;
  for (const Entry& entry : entries) {
    const double wide = metrics.height() + metrics.horizontalAdvance(entry.name);
    if (at.x() > left && at.x() + wide > width) at = QPointF(left, at.y() + rowHeight());
    places.push_back(at);
    at.rx() += wide + metrics.height();
  }
  return places;
}

void GraphLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme_.base);
  painter.setFont(smallFont());
  const double letter = QFontMetricsF(painter.font()).height(), side = letter * 0.6;
  const std::vector<Entry> all = entries();
  const std::vector<QPointF> places = placesOf(all, width());
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].mark(painter, QRectF(places[i] + QPointF(0, (rowHeight() - side) / 2), QSizeF(side, side)));
    painter.setPen(theme_.grey);
    painter.drawText(QRectF(places[i] + QPointF(letter, 0), QSizeF(width(), rowHeight())),
                     Qt::AlignLeft | Qt::AlignVCenter, all[i].name);
  }
}

}  // namespace rx::views
