// Keys, mouse and hovering of the text view.
#include <QApplication>
#include <QContextMenuEvent>
#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QKeySequence>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/text/text_view.h"
#include "views/text/word.h"

namespace rx {
namespace {

bool continuesCodePoint(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

uint32_t stepOffset(std::string_view text, uint32_t offset, int direction) {
  if (direction < 0) {
    while (offset > 0 && continuesCodePoint(text[--offset])) {
    }
    return offset;
  }
  if (offset < text.size()) ++offset;
  while (offset < text.size() && continuesCodePoint(text[offset])) ++offset;
  return offset;
}

}  // namespace

TextView::Place TextView::placeAt(QPoint position) const {
  Place place;
  if (rows_.rowCount() == 0) return place;
  const qreal y = position.y() + verticalScrollBar()->value();
  RowPart at = rowAt(y);
  const bool inside = y >= 0 && y < rowTop(rows_.rowCount());
  if (at.row >= rows_.rowCount()) at = {rows_.rowCount() - 1, 0};
  place.row = at.row;
  const Row shown = rows_.row(place.row);
  place.collapsed = shown.kind == RowKind::Collapsed;
  const uint32_t line = std::min(shown.line, buffer_->lineCount() - 1);
  const qreal x = position.x() - textLeft() + horizontalScrollBar()->value();
  place.offset = buffer_->lineStart(line);
  if (shown.kind != RowKind::Line) return place;
  place.offset += byteIn(line, at.part, x, &place.onText);
  place.onText &= inside;
  return place;
}

const Link* TextView::linkUnder(QPoint position) const {
  const Place place = placeAt(position);
  return place.onText && position.x() >= textLeft() ? targetAt(place.offset) : nullptr;
}

bool TextView::foldColumnHit(QPoint position, uint32_t* header) const {
  if (position.x() < numbersRight() || position.x() >= textLeft()) return false;
  const Row row = rows_.row(placeAt(position).row);
  *header = row.line;
  return row.kind == RowKind::Line && regionAt(row.line);
}

void TextView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QAbstractScrollArea::mousePressEvent(event);
  const QPoint position = event->pos();
  const Place place = placeAt(position);
  if (place.collapsed) {
    Q_EMIT collapsedActivated(place.row);
    return;
  }
  uint32_t header = 0;
  if (foldColumnHit(position, &header)) return setFolded(header, !isFolded(header));
  if (position.x() < textLeft()) {
    if (rows_.row(place.row).kind == RowKind::Line) Q_EMIT gutterClicked(rows_.row(place.row).line);
    return;
  }
  wantedX_ = -1;
  dragging_ = true;
  dragged_ = false;
  setCaret(place.offset, event->modifiers() & Qt::ShiftModifier);
}

void TextView::mouseMoveEvent(QMouseEvent* event) {
  if (!dragging_) return hoverTo(event->pos());
  const Place place = placeAt(event->pos());
  if (place.offset != caret_) {
    dragged_ = true;
    setCaret(place.offset, true);
  }
}

void TextView::mouseReleaseEvent(QMouseEvent* event) {
  if (!dragging_ || event->button() != Qt::LeftButton) return;
  dragging_ = false;
  const auto [begin, end] = selection();
  if (dragged_ || begin != end) return;
  const Link* link = linkUnder(event->pos());
  if (link && event->modifiers() & Qt::ControlModifier) return activate(link, true);
  Q_EMIT clicked(caretLine(), link ? link->id : 0, link ? link->role : LinkRole::Use);
}

void TextView::mouseDoubleClickEvent(QMouseEvent* event) {
  const uint32_t offset = placeAt(event->pos()).offset;
  if (event->pos().x() < textLeft()) return;
  const std::string_view text = buffer_->text();
  uint32_t begin = offset, end = offset;
  while (begin > 0 && isWordByte(text[begin - 1])) --begin;
  while (end < text.size() && isWordByte(text[end])) ++end;
  setCaret(begin);
  setCaret(end, true);
}

void TextView::hoverTo(QPoint position) {
  const Link* link = linkUnder(position);
  const uint64_t id = link ? link->id : 0;
  const bool gutter = position.x() < textLeft();
  viewport()->setCursor(link ? Qt::PointingHandCursor : gutter ? Qt::ArrowCursor : Qt::IBeamCursor);
  if (id == hoveredId_) return;
  hoveredId_ = id;
  viewport()->update();
  Q_EMIT linkHovered(id);
}

bool TextView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    auto* help = static_cast<QHelpEvent*>(event);
    const Place place = placeAt(help->pos());
    QString tip = place.onText ? tipAt(place.offset) : QString();
    const Row row = rows_.row(place.row);
    if (const LineNote* note = row.kind == RowKind::Line ? decorations_.noteOf(row.line) : nullptr;
        note && tip.isEmpty() && !place.onText && help->pos().x() > textLeft())
      tip = note->tip;
    if (const PlaceMark* mark = row.kind == RowKind::Line ? decorations_.placeOf(row.line) : nullptr;
        mark && help->pos().x() < textLeft())
      tip = mark->text.isEmpty() ? tr("Bookmark") : mark->text;
    QToolTip::showText(help->globalPos(), plainTip(tip), viewport());
    return true;
  }
  if (event->type() == QEvent::Leave && hoveredId_) {
    hoveredId_ = 0;
    viewport()->update();
    Q_EMIT linkHovered(0);
  }
  return QAbstractScrollArea::viewportEvent(event);
}

void TextView::wheelEvent(QWheelEvent* event) {
  if (event->modifiers() & Qt::ControlModifier) {
    setZoom(zoom_ + (event->angleDelta().y() > 0 ? 10 : -10));
    return event->accept();
  }
  QAbstractScrollArea::wheelEvent(event);
}

void TextView::contextMenuEvent(QContextMenuEvent* event) {
  const bool mouse = event->reason() == QContextMenuEvent::Mouse;
  const QPoint at = mouse ? event->globalPos()
                          : viewport()->mapToGlobal(QPoint(
                                qRound(caretX()), qRound(caretTop() + lineHeight_) - verticalScrollBar()->value()));
  const uint32_t offset = mouse ? placeAt(event->pos()).offset : caret_;
  const auto [begin, end] = selection();
  if (mouse && (offset < begin || offset >= end)) {
    const uint32_t line = caretLine();
    setCaret(offset);
    if (caretLine() != line) Q_EMIT caretMovedByUser(caretLine());
  }
  Q_EMIT contextMenuAt(at);
}

uint32_t TextView::wordEdge(uint32_t offset, int direction) const {
  const std::string_view text = buffer_->text();
  auto look = [&](uint32_t o) { return direction > 0 ? text[o] : text[o - 1]; };
  auto inside = [&](uint32_t o) { return direction > 0 ? o < text.size() : o > 0; };
  auto skip = [&](bool word) {
    while (inside(offset) && isWordByte(look(offset)) == word) offset += direction;
  };
  skip(direction > 0);
  skip(direction < 0);
  return offset;
}

void TextView::moveVertically(int lines, bool select) {
  if (rows_.rowCount() == 0) return;
  const qreal x = wantedX_ >= 0 ? wantedX_ : caretX() + horizontalScrollBar()->value();
  const uint32_t from = rows_.rowOf(caretLine());
  measureAround(from);
  const uint32_t last = rows_.rowCount() - 1;
  const qreal lowest = rowTop(last + 1) - lineHeight_;
  RowPart to = rowAt(std::clamp<qreal>(caretTop() + lines * lineHeight_, 0, lowest) + lineHeight_ / 2);
  while (to.row > 0 && to.row < last && rows_.row(to.row).kind != RowKind::Line)
    to = {to.row + (lines > 0 ? 1 : -1), 0};
  const uint32_t line = std::min(rows_.row(to.row).line, buffer_->lineCount() - 1);
  setCaret(buffer_->lineStart(line) + byteIn(line, to.part, x - textLeft()), select);
  wantedX_ = x;
}

bool TextView::handleMoveKey(QKeyEvent* event) {
  struct Move {
    QKeySequence::StandardKey key, selectKey;
    void (*run)(TextView&, bool);
  };
  static const Move kMoves[] = {
      {QKeySequence::MoveToNextLine, QKeySequence::SelectNextLine, [](TextView& v, bool s) { v.moveVertically(1, s); }},
      {QKeySequence::MoveToPreviousLine, QKeySequence::SelectPreviousLine,
       [](TextView& v, bool s) { v.moveVertically(-1, s); }},
      {QKeySequence::MoveToNextPage, QKeySequence::SelectNextPage,
       [](TextView& v, bool s) { v.moveVertically(std::max(1, int(v.viewport()->height() / v.lineHeight_) - 1), s); }},
      {QKeySequence::MoveToPreviousPage, QKeySequence::SelectPreviousPage,
       [](TextView& v, bool s) { v.moveVertically(-std::max(1, int(v.viewport()->height() / v.lineHeight_) - 1), s); }},
      {QKeySequence::MoveToNextChar, QKeySequence::SelectNextChar,
       [](TextView& v, bool s) {
         const uint32_t line = v.caretLine();
         const bool inLine = v.caret_ < v.buffer_->lineEnd(line);
         if (!inLine && line + 1 == v.buffer_->lineCount()) return;
         const auto whole = v.shortenedAt(v.caret_);
         const uint32_t next = whole ? whole->second : stepOffset(v.buffer_->text(), v.caret_, 1);
         v.setCaret(inLine ? next : v.buffer_->lineStart(line + 1), s);
       }},
      {QKeySequence::MoveToPreviousChar, QKeySequence::SelectPreviousChar,
       [](TextView& v, bool s) {
         const uint32_t before = stepOffset(v.buffer_->text(), v.caret_, -1);
         const auto whole = v.shortenedAt(before);
         v.setCaret(whole ? whole->first : before, s);
       }},
      {QKeySequence::MoveToNextWord, QKeySequence::SelectNextWord,
       [](TextView& v, bool s) { v.setCaret(v.wordEdge(v.caret_, 1), s); }},
      {QKeySequence::MoveToPreviousWord, QKeySequence::SelectPreviousWord,
       [](TextView& v, bool s) { v.setCaret(v.wordEdge(v.caret_, -1), s); }},
      {QKeySequence::MoveToStartOfLine, QKeySequence::SelectStartOfLine,
       [](TextView& v, bool s) { v.setCaret(v.partEdge(-1), s); }},
      {QKeySequence::MoveToEndOfLine, QKeySequence::SelectEndOfLine,
       [](TextView& v, bool s) { v.setCaret(v.partEdge(1), s); }},
      {QKeySequence::MoveToStartOfDocument, QKeySequence::SelectStartOfDocument,
       [](TextView& v, bool s) { v.setCaret(0, s); }},
      {QKeySequence::MoveToEndOfDocument, QKeySequence::SelectEndOfDocument,
       [](TextView& v, bool s) { v.setCaret(v.buffer_->size(), s); }},
  };
  for (const Move& move : kMoves) {
    const bool select = event->matches(move.selectKey);
    if (!select && !event->matches(move.key)) continue;
    const qreal wanted = wantedX_;
    move.run(*this, select);
    if (wantedX_ == wanted) wantedX_ = -1;
    return true;
  }
  return false;
}

bool TextView::handleActionKey(QKeyEvent* event) {
  struct Action {
    QKeyCombination keys;
    void (*run)(TextView&);
  };
  const QKeyCombination keys(event->modifiers() & ~Qt::KeypadModifier, Qt::Key(event->key()));
  static const Action kActions[] = {
      {Qt::CTRL | Qt::Key_F, [](TextView& v) { v.openFind(); }},
      {Qt::CTRL | Qt::Key_G, [](TextView& v) { v.openGoToLine(); }},
      {Qt::Key_F3, [](TextView& v) { v.findNext(1); }},
      {Qt::SHIFT | Qt::Key_F3, [](TextView& v) { v.findNext(-1); }},
      {Qt::CTRL | Qt::Key_C, [](TextView& v) { v.copySelection(); }},
      {Qt::CTRL | Qt::Key_Insert, [](TextView& v) { v.copySelection(); }},
      {Qt::CTRL | Qt::Key_A, [](TextView& v) { v.selectAll(); }},
      {Qt::CTRL | Qt::Key_I, [](TextView& v) { v.showTipAtCaret(); }},
      {Qt::Key_Return, [](TextView& v) { v.activateAtCaret(); }},
      {Qt::Key_Enter, [](TextView& v) { v.activateAtCaret(); }},
      {Qt::ALT | Qt::Key_Down, [](TextView& v) { v.moveToDefinition(1); }},
      {Qt::ALT | Qt::Key_Up, [](TextView& v) { v.moveToDefinition(-1); }},
      {Qt::ALT | Qt::Key_Equal, [](TextView& v) { v.setZoom(v.zoom() + 10); }},
      {Qt::ALT | Qt::Key_Plus, [](TextView& v) { v.setZoom(v.zoom() + 10); }},
      {Qt::ALT | Qt::Key_Minus, [](TextView& v) { v.setZoom(v.zoom() - 10); }},
      {Qt::ALT | Qt::Key_0, [](TextView& v) { v.setZoom(100); }},
      {Qt::CTRL | Qt::SHIFT | Qt::Key_BracketLeft, [](TextView& v) { v.setFolded(v.caretLine(), true); }},
      {Qt::CTRL | Qt::SHIFT | Qt::Key_BracketRight, [](TextView& v) { v.setFolded(v.caretLine(), false); }},
      {Qt::CTRL | Qt::SHIFT | Qt::Key_BraceLeft, [](TextView& v) { v.setFolded(v.caretLine(), true); }},
      {Qt::CTRL | Qt::SHIFT | Qt::Key_BraceRight, [](TextView& v) { v.setFolded(v.caretLine(), false); }},
  };
  for (const Action& action : kActions)
    if (action.keys == keys) return action.run(*this), true;
  if (keys == QKeyCombination(Qt::Key_F12)) {
    activate(targetAt(caret_), true);
    return true;
  }
  return false;
}

void TextView::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && search_) return closeFind();
  const uint32_t line = caretLine();
  if (handleMoveKey(event)) {
    if (caretLine() != line) Q_EMIT caretMovedByUser(caretLine());
    return event->accept();
  }
  if (handleActionKey(event)) return event->accept();
  QAbstractScrollArea::keyPressEvent(event);
}

void TextView::resizeEvent(QResizeEvent* event) {
  // A view that gets lower or narrower keeps its line in sight.
  // Qt does not tell the size from before to one that was hidden meanwhile.
  const int before = std::exchange(seenHeight_, viewport()->height());
  const Steady place = before > 0 ? steadyPlace(before) : Steady();
  QAbstractScrollArea::resizeEvent(event);
  layoutHeader();
  updateScrollBars();
  if (place.matters && viewport()->height() < before) revealLine(place.line);
  seenHeight_ = viewport()->height();  // without the header and the bars that came with it
  layoutFindBar();
  placeInset();
}

void TextView::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) applyFont();
}

void TextView::scrollContentsBy(int, int) {
  measureSeen();
  placeInset();
  viewport()->update();
}

void TextView::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  viewport()->update();
}

void TextView::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

}  // namespace rx
