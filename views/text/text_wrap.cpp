// Wrapped lines in the text view: how high rows are, and what keeps its place on the screen while they change. Rows are
// measured around the part that is on screen; elsewhere their height is guessed from the length of the line.
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "views/text/text_view.h"

namespace rx {
namespace {

constexpr qreal kLeastColumns = 16;  // narrower text is not wrapped further
constexpr uint32_t kIndentGuess = 12;

}  // namespace

void TextView::setWrapped(bool on) {
  if (on == wrapped_) return;
  const Steady place = steadyPlace(viewport()->height());
  wrapped_ = on;
  if (on) horizontalScrollBar()->setValue(0);
  updateScrollBars();
  restorePlace(place);
  placeInset();
  viewport()->update();
}

qreal TextView::wrapWidth() const {
  return std::max(valuesLeft() - textLeft() - charWidth_ * 1.5, kLeastColumns * charWidth_);
}

LineParts TextView::partsOf(uint32_t line, const LineMetrics& metrics) const {
  return wrapped_ ? wrapLine(buffer_->line(line), metrics, wrapWidth(), charWidth_) : LineParts();
}

void TextView::guessHeights() {
  if (!wrapped_) return heights_.clear();
  const WrapKey key{wrapWidth(), charWidth_, typeForm(), rowsVersion_};
  if (key == wrapKey_ && heights_.count() == rows_.rowCount()) return;
  // Where the rows are others, it is for who changed them to say what stays.
  const bool sameRows = key.rows == wrapKey_.rows;
  const Steady place = sameRows ? steadyPlace(viewport()->height()) : Steady();
  wrapKey_ = key;
  std::vector<uint32_t> heights(rows_.rowCount(), 1);
  TextView* partner = partnerInStep();
  for (uint32_t row = 0; row < heights.size(); ++row)
    heights[row] = std::max(guessedHeight(row), partner ? partner->guessedHeight(row) : 1);
  heights_.guess(std::move(heights));
  if (partner) {
    partner->heights_ = heights_;
    partner->wrapKey_ = {partner->wrapWidth(), partner->charWidth_, partner->typeForm(), partner->rowsVersion_};
    partner->setVerticalRange();
  }
  setVerticalRange();
  if (sameRows) restorePlace(place);
}

TextView* TextView::partnerInStep() const {
  return partner_ && partner_->wrapped_ && partner_->rows_.rowCount() == rows_.rowCount() ? partner_ : nullptr;
}

uint32_t TextView::guessedHeight(uint32_t index) const {
  const Row row = rows_.row(index);
  if (row.kind != RowKind::Line || row.line >= buffer_->lineCount()) return 1;
  // Without a look at the bytes: that would take as long as laying all of them out.
  const uint32_t bytes = buffer_->lineEnd(row.line) - buffer_->lineStart(row.line);
  const auto columns = static_cast<uint32_t>(wrapWidth() / charWidth_);
  if (bytes <= columns) return 1;
  const uint32_t later = std::max<uint32_t>(columns - std::min(columns, kIndentGuess), columns / 2);
  return 1 + (bytes - columns + later - 1) / later;
}

uint32_t TextView::ownHeight(uint32_t index) const {
  const Row row = rows_.row(index);
  if (row.kind != RowKind::Line || row.line >= buffer_->lineCount()) return 1;
  return partsOf(row.line, metricsOf(row.line)).count();
}

void TextView::setVerticalRange() {
  verticalScrollBar()->setRange(0, std::max(0, qCeil(rowTop(rows_.rowCount())) - viewport()->height()));
}

void TextView::measureAround(uint32_t row) {
  if (heights_.empty() || measuring_ || rows_.rowCount() == 0) return;
  measuring_ = true;
  const RowPart top = rowAt(verticalScrollBar()->value());
  const qreal within = verticalScrollBar()->value() - rowTop(top.row);
  const auto page = static_cast<uint32_t>(viewport()->height() / lineHeight_) + 1;
  row = std::min(row, rows_.rowCount() - 1);
  const uint32_t first = row - std::min(row, page), last = std::min(row + 2 * page, rows_.rowCount());
  TextView* partner = partnerInStep();
  if (partner && partner->heights_.count() != heights_.count()) partner = nullptr;
  bool changed = false;
  for (uint32_t index = first; index < last; ++index) {
    if (heights_.measured(index)) continue;
    const uint32_t height = std::max(ownHeight(index), partner ? partner->ownHeight(index) : 1);
    changed |= heights_.measure(index, height);
    if (partner) partner->heights_.measure(index, height);
  }
  if (changed && partner) partner->setVerticalRange();
  if (changed) {
    // What is at the top of the view stays there, whatever became of the rows above it.
    setVerticalRange();
    verticalScrollBar()->setValue(qRound(rowTop(top.row) + std::min(within, rowHeight(top.row) - 1)));
  }
  measuring_ = false;
}

void TextView::measureSeen() { measureAround(rowAt(verticalScrollBar()->value()).row); }

qreal TextView::rowTop(uint32_t row) const { return (heights_.empty() ? row : heights_.top(row)) * lineHeight_; }

qreal TextView::rowHeight(uint32_t row) const { return (heights_.empty() ? 1 : heights_.height(row)) * lineHeight_; }

RowPart TextView::rowAt(qreal y) const {
  const auto visual = static_cast<uint32_t>(std::max(0.0, std::floor(y / lineHeight_)));
  return heights_.empty() ? RowPart{visual, 0} : heights_.at(visual);
}

qreal TextView::caretTop() const {
  const uint32_t line = caretLine();
  const uint32_t part = partsOf(line, metricsOf(line)).partOf(caret_ - buffer_->lineStart(line));
  return lineTop(line) + part * lineHeight_;
}

qreal TextView::caretX() const {
  const uint32_t line = caretLine(), at = caret_ - buffer_->lineStart(line);
  const LineMetrics metrics = metricsOf(line);
  const LineParts parts = partsOf(line, metrics);
  const uint32_t part = parts.partOf(at);
  const qreal inPart = parts.indentOf(part) + metrics.xOf(at) - metrics.xOf(parts.starts[part]);
  return textLeft() + inPart - horizontalScrollBar()->value();
}

uint32_t TextView::byteIn(uint32_t line, uint32_t part, qreal x, bool* onText) const {
  const LineMetrics metrics = metricsOf(line);
  const LineParts parts = partsOf(line, metrics);
  part = std::min(part, parts.count() - 1);
  const uint32_t begin = parts.starts[part], end = parts.endOf(part, metrics.shownBytes());
  const qreal inLine = x - parts.indentOf(part) + metrics.xOf(begin);
  if (onText) *onText = inLine >= metrics.xOf(begin) && inLine <= metrics.xOf(end);
  const uint32_t byte = std::max(metrics.byteAt(inLine), begin);
  if (part + 1 == parts.count() || byte < end) return std::min(byte, metrics.shownBytes());
  // Behind the last character the next part begins: the caret stays before it.
  return std::max(begin, metrics.lastWithin(metrics.xOf(end) - charWidth_ / 2));
}

uint32_t TextView::partEdge(int direction) const {
  const uint32_t line = caretLine(), start = buffer_->lineStart(line), at = caret_ - start;
  const LineMetrics metrics = metricsOf(line);
  const LineParts parts = partsOf(line, metrics);
  const uint32_t part = parts.partOf(at);
  if (direction < 0) {
    const std::string_view text = buffer_->line(line);
    const auto indent = static_cast<uint32_t>(std::min(text.find_first_not_of(" \t"), text.size()));
    const bool first = part == 0 || at == parts.starts[part];
    return start + (!first ? parts.starts[part] : at == indent ? 0 : indent);
  }
  if (part + 1 == parts.count()) return buffer_->lineEnd(line);
  const uint32_t end = metrics.lastWithin(metrics.xOf(parts.starts[part + 1]) - charWidth_ / 2);
  return at == end ? buffer_->lineEnd(line) : start + end;
}

TextView::Steady TextView::steadyPlace(int height) const {
  const int top = verticalScrollBar()->value();
  for (const std::optional<uint32_t>& line : {currentLine_, selectedLine_, std::optional<uint32_t>(caretLine())}) {
    const qreal y = line ? lineTop(*line) - top : -lineHeight_;
    if (y > -lineHeight_ && y < height) return {*line, y, true};
  }
  if (rows_.rowCount() == 0) return {};
  const RowPart first = rowAt(top);
  const uint32_t row = std::min(first.row, rows_.rowCount() - 1);
  return {rows_.row(row).line, rowTop(row) - top, false};
}

void TextView::restorePlace(const Steady& place) {
  measureAround(rows_.rowOf(place.line));
  // A line that matters is wholly on screen; what was only the first line in view may begin above it.
  const qreal lowest = std::max(0.0, viewport()->height() - lineHeight_);
  const qreal y = place.matters ? std::clamp<qreal>(place.y, 0, lowest) : std::min(place.y, lowest);
  verticalScrollBar()->setValue(qRound(lineTop(place.line) - y));
  measureSeen();
}

}  // namespace rx
