#include "views/panels/kernel/sample_bars.h"

#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "views/text/text_view.h"

namespace rx::views {
namespace {

/// Less is not worth a mark.
constexpr double kLeast = 0.05;
constexpr int kBarLetters = 4, kNumberLetters = 5;

}  // namespace

SampleBars::SampleBars(TextView* text, QWidget* parent) : QWidget(parent), text_(text) {
  setAccessibleName(tr("Share of the samples of each line"));
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
  connect(text->verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { update(); });
  hide();
}

QSize SampleBars::sizeHint() const {
  return {fontMetrics().averageCharWidth() * (kBarLetters + kNumberLetters + 1), fontMetrics().height()};
}

void SampleBars::setShares(std::vector<double> shares) {
  shares_ = std::move(shares);
  most_ = shares_.empty() ? 0 : *std::max_element(shares_.begin(), shares_.end());
  QStringList said;
  for (size_t i = 0; i < shares_.size(); ++i)
    if (shares_[i] >= 1) said << tr("line %1 %2 %").arg(i + 1).arg(shares_[i], 0, 'f', 1);
  setAccessibleDescription(said.join(QStringLiteral(", ")));
  setVisible(most_ >= kLeast);
  update();
}

void SampleBars::paintEvent(QPaintEvent*) {
  const Palette& theme = text_->theme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.base);
  if (most_ < kLeast) return;
  const int letter = fontMetrics().averageCharWidth();
  const QWidget* page = text_->viewport();
  const QPoint corner = mapFromGlobal(page->mapToGlobal(QPoint(0, 0)));
  painter.setClipRect(0, corner.y(), width(), page->height());
  painter.setPen(theme.grey);
  for (size_t line = 0; line < shares_.size(); ++line) {
    if (shares_[line] < kLeast) continue;
    const QRect at = text_->lineRect(static_cast<uint32_t>(line)).translated(0, corner.y());
    if (at.height() <= 0 || at.bottom() < corner.y() || at.top() > height()) continue;
    const double wide = std::max(1.0, letter * kBarLetters * shares_[line] / most_);
    painter.fillRect(QRectF(2, at.top() + at.height() * 0.2, wide, at.height() * 0.6), theme.of(OpKind::Reduction).bar);
    painter.drawText(QRect(letter * kBarLetters, at.top(), letter * kNumberLetters, at.height()),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(shares_[line], 'f', 1));
  }
}

}  // namespace rx::views
