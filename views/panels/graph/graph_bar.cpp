#include "views/panels/graph/graph_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

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
    button->setToolTip(tr(one.tip));
    button->setAccessibleName(button->toolTip());
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::clicked, this,
            [this, id = QString::fromLatin1(one.command)] { Q_EMIT wanted(id); });
    row->addWidget(button);
    if (buttons_.empty()) row->addWidget(scale_);
    buttons_.push_back(button);
  }
}

void GraphBar::setScale(double scale) { scale_->setText(tr("%1 %").arg(qRound(scale * 100))); }

void GraphBar::setSummary(const QString& text) {
  summary_->setText(text);
  summary_->setToolTip(text);
}

void GraphBar::setTheme(const Palette& palette) {
  for (size_t i = 0; i < buttons_.size(); ++i) buttons_[i]->setIcon(icon(kButtons[i].icon, palette));
}

GraphLegend::GraphLegend(QWidget* parent) : QWidget(parent), theme_(Palette::forQt(palette())) {
  setAccessibleName(tr("Legend of the kinds of operations"));
}

void GraphLegend::setTheme(const Palette& palette) {
  theme_ = palette;
  update();
}

QSize GraphLegend::sizeHint() const { return {fontMetrics().averageCharWidth() * 40, fontMetrics().height() * 3 / 2}; }

void GraphLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme_.base);
  QFont small = font();
  small.setPointSizeF(font().pointSizeF() * 0.85);
  painter.setFont(small);
  const QFontMetricsF metrics(small);
  const double mark = metrics.height() * 0.6, gap = metrics.height() * 0.4;
  double x = gap;
  for (const KindLegend& one : kindLegend()) {
    const QString name = QString::fromUtf8(one.name);
    const double width = mark + gap + metrics.horizontalAdvance(name);
    if (x + width > this->width()) return;
    drawKindMark(painter, one.kind, theme_, QRectF(x, (height() - mark) / 2, mark, mark));
    painter.setPen(theme_.grey);
    painter.drawText(QRectF(x + mark + gap, 0, width, height()), Qt::AlignLeft | Qt::AlignVCenter, name);
    x += width + gap * 2.5;
  }
}

}  // namespace rx::views
