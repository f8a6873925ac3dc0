#include "views/panels/bisect/lifetime_chart.h"

#include <QPainter>

#include "views/models/numbers.h"
#include "views/theme/palette.h"

namespace rx::views {

LifetimeChart::LifetimeChart(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Values that lie in the same bytes at the same time"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  hide();
}

void LifetimeChart::setValue(const OverwrittenValue& value, const QString& reader) {
  value_ = value;
  reader_ = reader;
  setVisible(!value.binding.isEmpty() && value.until > value.changed && value.changed > value.written);
  setAccessibleDescription(text());
  setToolTip(text());
  update();
}

QString LifetimeChart::holder() const { return tr("storage %1").arg(value_.storage); }

QString LifetimeChart::text() const {
  return tr("%1, %2: %3 from step %4 until %5 reads it at %6; %7 from %8 on; both from %8 to %6")
      .arg(holder(), bytesText(value_.bytes), value_.binding)
      .arg(value_.written)
      .arg(reader_)
      .arg(value_.until)
      .arg(value_.by)
      .arg(value_.changed);
}

QSize LifetimeChart::sizeHint() const { return {fontMetrics().averageCharWidth() * 40, fontMetrics().height() * 6}; }

double LifetimeChart::at(int moment) const {
  const int left = fontMetrics().horizontalAdvance(holder()) + fontMetrics().averageCharWidth() * 2;
  return left + (width() - left - 8) * moment / 3.0;
}

void LifetimeChart::paintBar(QPainter& painter, int lane, int from, int to, const QString& name, OpKind kind) const {
  const int line = fontMetrics().height();
  const QRectF bar(at(from), 4 + lane * line * 1.6, at(to) - at(from), line * 1.4);
  const Palette& theme = Palette::forQt(palette());
  painter.fillRect(bar, theme.of(kind).bar);
  painter.setPen(theme.text);
  const QRectF label = bar.adjusted(5, 0, -3, 0);
  painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(name, Qt::ElideRight, static_cast<int>(label.width())));
}

void LifetimeChart::paintEvent(QPaintEvent*) {
  const Palette& theme = Palette::forQt(palette());
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const int line = fontMetrics().height();
  const double lanes = 4 + line * 3.2;
  painter.setPen(theme.grey);
  painter.drawText(QRectF(0, 4, at(0) - 6, line * 3), Qt::AlignRight | Qt::AlignVCenter,
                   holder() + '\n' + bytesText(value_.bytes));
  paintBar(painter, 0, 0, 2, value_.binding, OpKind::Elementwise);
  paintBar(painter, 1, 1, 3, value_.by, OpKind::Compute);
  painter.setPen(QPen(theme.error, 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(QRectF(at(1), 2, at(2) - at(1), lanes));
  const QString moments[] = {tr("written"), tr("overwritten"), tr("read by %1").arg(reader_)};
  for (int i = 0; i < 3; ++i) {
    painter.setPen(i == 0 ? theme.grey : theme.error);
    painter.drawLine(QPointF(at(i), lanes + 2), QPointF(at(i), lanes + 6));
    const int wide = static_cast<int>(at(i + 1) - at(i)) - 4;
    painter.drawText(QRectF(at(i), lanes + 6, wide, line), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(moments[i], Qt::ElideRight, wide));
  }
}

}  // namespace rx::views
