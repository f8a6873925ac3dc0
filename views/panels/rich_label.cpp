#include "views/panels/rich_label.h"

#include <QAbstractTextDocumentLayout>
#include <QEvent>
#include <QPainter>
#include <QStyle>
#include <QTextBlock>
#include <QTextCursor>
#include <algorithm>
#include <cmath>

namespace rx::views {

RichLabel::RichLabel(QWidget* parent) : QLabel(parent) {
  setTextFormat(Qt::RichText);
  setWordWrap(true);
  setAlignment(Qt::AlignLeft | Qt::AlignTop);
  setTextInteractionFlags(Qt::TextBrowserInteraction);
  measured_.setObjectName("measured");
  measured_.setDocumentMargin(0);
  measured_.setUndoRedoEnabled(false);
}

void RichLabel::setHtml(const QString& html, const QString& narrow, int least) {
  if (narrow != narrow_) leastWidth_ = -1;
  wide_ = html;
  narrow_ = narrow;
  least_ = least;
  choose();
}

void RichLabel::choose() {
  // Either form may bring a scroll bar, or take it away: that alone changes nothing.
  const bool isNarrow = !narrow_.isEmpty() && text() == narrow_;
  const int needed = least_ + (isNarrow ? 2 * style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, this) : 0);
  const QString& form = !narrow_.isEmpty() && width() - across() < needed ? narrow_ : wide_;
  if (text() == form) return;
  forget();
  setText(form);
}

void RichLabel::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  choose();
}

void RichLabel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) forget();
  QLabel::changeEvent(event);
}

/// As QLabel does it, which alone knows what is selected and which link has the focus.
void RichLabel::paintEvent(QPaintEvent* event) {
  if (hasFocus() || hasSelectedText()) return QLabel::paintEvent(event);
  layOut(width());
  QPainter painter(this);
  painter.translate(textCorner());
  QAbstractTextDocumentLayout::PaintContext context;
  context.palette = palette();
  if (isEnabled()) context.palette.setColor(QPalette::Text, palette().color(foregroundRole()));
  measured_.documentLayout()->draw(&painter, context);
}

void RichLabel::forget() const {
  read_ = false;
  leastWidth_ = -1;
  heights_.clear();
}

void RichLabel::measure() const {
  if (read_) return;
  // Its font, its width and its text each have a document laid out: of nothing, that is at no cost.
  measured_.clear();
  measured_.setDefaultFont(font());
  measured_.setTextWidth(0);
  measured_.setHtml(text());
  read_ = true;
}

void RichLabel::layOut(int width) const {
  measure();
  const int room = std::max(width - across(), 0);
  if (measured_.textWidth() != room) measured_.setTextWidth(room);  // which lays out whatever the width was
}

QSize RichLabel::minimumSizeHint() const {
  if (leastWidth_ < 0) {
    QTextDocument narrow;
    const QTextDocument* least = &measured_;
    if (narrow_.isEmpty()) {
      layOut(0);
    } else {
      // Whichever form stands there, the label can be as narrow as the narrow one: else each would call for the other.
      narrow.setDocumentMargin(0);
      narrow.setDefaultFont(font());
      narrow.setTextWidth(0);
      narrow.setHtml(narrow_);
      least = &narrow;
    }
    // Of a table the ideal width knows nothing.
    leastWidth_ = static_cast<int>(std::ceil(std::max(least->idealWidth(), least->size().width()))) + across();
  }
  return {leastWidth_, fontMetrics().height()};
}

int RichLabel::heightForWidth(int width) const {
  const auto known = heights_.find(width);
  if (known != heights_.end()) return *known;
  layOut(width);
  const int height = static_cast<int>(std::ceil(measured_.size().height())) + along();
  heights_.insert(width, height);
  return height;
}

std::vector<int> RichLabel::placesOf(const QString& pattern) const {
  measure();
  std::vector<int> places;
  if (pattern.isEmpty()) return places;
  for (QTextCursor at = measured_.find(pattern); !at.isNull(); at = measured_.find(pattern, at))
    places.push_back(at.selectionStart());
  return places;
}

QRect RichLabel::mark(int place, int length) {
  setSelection(place, length);
  layOut(width());
  const QRectF block = measured_.documentLayout()->blockBoundingRect(measured_.findBlock(place));
  return block.toAlignedRect().translated(textCorner());
}

}  // namespace rx::views
