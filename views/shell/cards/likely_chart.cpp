#include "views/shell/cards/likely_chart.h"

#include <QPainter>

#include "views/models/run_outcome.h"
#include "views/theme/palette.h"

namespace rx::views {
namespace {

constexpr int kMostBars = 10;

QString percent(double part) { return QStringLiteral("%1 %").arg(part * 100, 0, 'f', 2); }

}  // namespace

LikelyChart::LikelyChart(std::vector<double> numbers, std::optional<std::vector<double>> expected, QWidget* parent)
    : QWidget(parent),
      numbers_(std::move(numbers)),
      expected_(std::move(expected)),
      shown_(largestOf(numbers_, kMostBars)) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  QStringList parts;
  for (const int at : shown_)
    parts << QStringLiteral("%1: %2").arg(at).arg(percent(numbers_[static_cast<size_t>(at)]));
  setAccessibleName(tr("The largest of %1 probabilities").arg(numbers_.size()));
  setAccessibleDescription(parts.join(QStringLiteral(", ")));
}

int LikelyChart::rowHeight() const { return fontMetrics().height() + 3; }

QSize LikelyChart::sizeHint() const {
  return {fontMetrics().averageCharWidth() * 44, rowHeight() * static_cast<int>(shown_.size())};
}

QSize LikelyChart::minimumSizeHint() const {
  return {fontMetrics().averageCharWidth() * 30, rowHeight() * static_cast<int>(shown_.size())};
}

void LikelyChart::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  QPainter painter(this);
  const int letter = fontMetrics().averageCharWidth();
  const int name = fontMetrics().horizontalAdvance(QString::number(numbers_.size())) + 2 * letter;
  const int number = fontMetrics().horizontalAdvance(QStringLiteral("100.00 %")) + letter;
  const double room = std::max(10, width() - name - number - letter);
  QFont bold = font();
  bold.setBold(true);
  int y = 0;
  for (const int at : shown_) {
    const auto index = static_cast<size_t>(at);
    const QRect row(0, y, width(), rowHeight());
    painter.setFont(y == 0 ? bold : font());
    painter.setPen(theme.text);
    painter.drawText(QRect(0, y, name - letter, rowHeight()), Qt::AlignRight | Qt::AlignVCenter, QString::number(at));
    painter.fillRect(QRectF(name, y + 2, numbers_[index] * room, rowHeight() - 4), theme.of(OpKind::Compute).bar);
    if (expected_) painter.fillRect(QRectF(name + (*expected_)[index] * room - 1, y + 1, 2, rowHeight() - 2), theme.text);
    painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, percent(numbers_[index]));
    y += rowHeight();
  }
}

}  // namespace rx::views
