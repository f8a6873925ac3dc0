#include "views/text/text_painter.h"

#include <QApplication>
#include <QLocale>
#include <QPaintEvent>
#include <QPainterPath>
#include <QPen>
#include <QPolygonF>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "views/theme/icons.h"
#include "views/theme/scope_look.h"

namespace rx {

const QColor& tokenColor(const Palette& theme, TokenKind kind) {
  constexpr QColor Palette::*kColors[] = {&Palette::keyword, &Palette::decorator, &Palette::type,   &Palette::callee,
                                          &Palette::callee,  &Palette::string,    &Palette::number, &Palette::comment};
  return theme.*kColors[static_cast<size_t>(kind)];
}

namespace {

const QColor& toneColor(const Palette& theme, DiffTone tone, bool word) {
  constexpr QColor Palette::*kLines[] = {&Palette::added, &Palette::removed, &Palette::changed};
  constexpr QColor Palette::*kWords[] = {&Palette::addedWord, &Palette::removedWord, &Palette::changedWord};
  return theme.*(word ? kWords : kLines)[static_cast<size_t>(tone)];
}

const QColor& markColor(const Palette& theme, MarkKind kind) {
  constexpr QColor Palette::*kColors[] = {&Palette::error, &Palette::warning, &Palette::note};
  return theme.*kColors[static_cast<size_t>(kind)];
}

constexpr qreal kSelectedBar = 4;  // pixels: the bar at the left of the selected line

struct NoteLook {
  QColor Palette::*ink;
  QColor Palette::*fill;  // null: none
  bool bold;
  bool italic;
};
constexpr NoteLook kNoteLooks[] = {
    {&Palette::grey, nullptr, false, true},  {&Palette::good, &Palette::goodFill, true, false},
    {&Palette::error, nullptr, true, false}, {&Palette::warning, nullptr, true, false},
    {&Palette::stale, nullptr, false, true},
};

/// First range of a sorted list that may reach past `begin`.
template <class T>
auto firstFrom(const std::vector<T>& ranges, uint32_t begin) {
  auto it = std::lower_bound(ranges.begin(), ranges.end(), begin, [](const T& r, uint32_t o) { return r.begin < o; });
  while (it != ranges.begin() && std::prev(it)->end > begin) --it;
  return it;
}

}  // namespace

TextPainter::TextPainter(const TextView& view, QPainter& painter)
    : view_(view),
      painter_(painter),
      theme_(view.theme_),
      textLeft_(view.textLeft()),
      textOrigin_(textLeft_ - view.horizontalScrollBar()->value()),
      width_(view.viewport()->width()),
      valuesLeft_(view.valuesLeft()),
      typesMoved_(view.typesMoved()) {
  fonts_[0] = fonts_[1] = view.viewport()->font();
  fonts_[1].setBold(true);
  baseline_ = (view.lineHeight_ - view.metrics_.height()) / 2 + view.metrics_.ascent();
}

void TextPainter::paint(const QRect& area) {
  painter_.fillRect(area, theme_.base);
  painter_.setFont(view_.viewport()->font());
  fontSet_ = -1;
  const qreal scroll = view_.verticalScrollBar()->value();
  for (uint32_t row = view_.rowAt(area.top() + scroll).row; row < view_.rows_.rowCount(); ++row) {
    if (view_.rowTop(row) - scroll > area.bottom()) break;
    paintRow(row, area);
  }
  if (view_.buffer_->size() == 0) paintPlaceholder();
}

void TextPainter::paintPlaceholder() {
  painter_.fillRect(view_.viewport()->rect(), theme_.base);
  // A sentence, not code: as the empty lists say theirs.
  painter_.setFont(QApplication::font());
  fontSet_ = -1;
  painter_.setPen(theme_.grey);
  const qreal margin = view_.lineHeight_;
  const QRectF area = QRectF(view_.viewport()->rect()).adjusted(margin, margin, -margin, -margin);
  painter_.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, view_.placeholder_);
}

void TextPainter::paintRow(uint32_t index, const QRect& area) {
  const Row row = view_.rows_.row(index);
  const qreal top = view_.rowTop(index) - view_.verticalScrollBar()->value();
  const QRectF rect(0, top, width_, view_.rowHeight(index));
  if (row.kind == RowKind::Inset) return;  // the ground is painted, the widget covers it
  if (row.kind == RowKind::Filler) return paintFiller(rect);
  if (row.kind == RowKind::Collapsed) return paintCollapsed(row, rect);
  const std::string_view text = view_.buffer_->line(row.line);
  const LineMetrics metrics = view_.metricsOf(row.line);
  LineRow line{row.line, view_.buffer_->lineStart(row.line), text, metrics, view_.partsOf(row.line, metrics)};
  const qreal height = view_.lineHeight_;
  const auto size = static_cast<uint32_t>(text.size());
  line.part = static_cast<uint32_t>(std::max(0.0, std::floor((area.top() - top) / height)));
  for (; line.part < line.parts.count() && top + line.part * height <= area.bottom(); ++line.part) {
    line.rect = QRectF(0, top + line.part * height, width_, height);
    line.begin = line.parts.starts[line.part];
    line.end = line.parts.endOf(line.part, size);
    line.shift = line.parts.indentOf(line.part) - metrics.xOf(line.begin);
    const uint32_t seen = metrics.byteAt(valuesLeft_ - textOrigin_ - line.shift) + 2;
    line.drawn = std::min({seen, line.end, metrics.shownBytes()});
    paintPart(line);
  }
}

void TextPainter::paintPart(const LineRow& line) {
  paintGround(line);
  painter_.save();
  fontSet_ = -1;  // the row before gave its font back
  painter_.setClipRect(QRectF(textLeft_ - 1, line.rect.top(), valuesLeft_ - textLeft_ + 1, line.rect.height()));
  if (!paintBlock(line)) {
    paintRanges(line);
    paintText(line);
    paintSquiggles(line);
    if (line.last()) paintFoldCount(line);
  }
  paintCaret(line);
  painter_.restore();
  paintNote(line);
  if (line.first()) paintGutter(line);
  if (view_.selectedLine_ == line.line) paintSelectedEdges(line);
}

void TextPainter::paintFiller(const QRectF& rect) {
  painter_.fillRect(rect, theme_.filler);
  painter_.fillRect(rect, QBrush(theme_.border, Qt::BDiagPattern));
}

void TextPainter::paintCollapsed(const Row& row, const QRectF& rect) {
  painter_.fillRect(rect, theme_.panel);
  painter_.setPen(theme_.grey);
  const QString text = TextView::tr("%n unchanged lines", nullptr, static_cast<int>(row.count));
  const QRectF label = rect.adjusted(textLeft_, 0, 0, 0);
  painter_.drawText(label, Qt::AlignLeft | Qt::AlignVCenter, QString(QChar(0x22ef)) + QLatin1Char(' ') + text);
}

void TextPainter::paintGround(const LineRow& row) {
  const LineBand* band = view_.decorations_.bandOf(row.line);
  const bool dataflow = band && band->kind == BandKind::Dataflow;
  const bool linked = band && band->kind == BandKind::Linked;
  if (dataflow || linked) painter_.fillRect(row.rect, dataflow ? theme_.dataflow : theme_.use);
  if (const LineTone* tone = view_.decorations_.toneOf(row.line))
    painter_.fillRect(row.rect, toneColor(theme_, tone->tone, false));
  const bool selected = view_.selectedLine_ == row.line;
  if (view_.currentLine_ == row.line) {
    painter_.fillRect(row.rect, theme_.currentLine);
  } else if (selected) {
    painter_.fillRect(row.rect, theme_.selection);
  } else if (view_.hasFocus() && view_.caretLine() == row.line && !view_.decorations_.toneOf(row.line)) {
    painter_.fillRect(row.rect, dataflow ? theme_.use : theme_.caretLine);
  }
  if (!band) return;
  if (linked) {
    painter_.fillRect(QRectF(row.rect.left(), row.rect.top(), kSelectedBar, row.rect.height()), theme_.accent);
    return;
  }
  const QColor bar = dataflow ? theme_.dataflowEdge : scopeLook(band->branch, theme_).line;
  painter_.fillRect(QRectF(textLeft_ - view_.lineHeight_ * 0.28, row.rect.top(), dataflow ? 2 : 3, row.rect.height()),
                    bar);
}

/// The borders of the selected line; they stay where it is also the one that runs next.
void TextPainter::paintSelectedEdges(const LineRow& row) {
  const QRectF& rect = row.rect;
  if (row.first()) painter_.fillRect(QRectF(rect.left(), rect.top(), rect.width(), 1), theme_.accent);
  if (row.last()) painter_.fillRect(QRectF(rect.left(), rect.bottom() - 1, rect.width(), 1), theme_.accent);
  painter_.fillRect(QRectF(rect.left(), rect.top(), kSelectedBar, rect.height()), theme_.accent);
}

QRectF TextPainter::rangeRect(const LineRow& row, uint32_t begin, uint32_t end) const {
  const auto inPart = [&](uint32_t offset) {
    return std::clamp(offset > row.start ? offset - row.start : 0, row.begin, row.end);
  };
  const uint32_t from = inPart(begin);
  uint32_t to = inPart(end);
  // Of a type that is written short the whole is marked: its parts have no place of their own.
  for (const Shortening& part : row.metrics.shortened())
    if (to > from && to > part.begin && to < part.end) to = part.end;
  const qreal left = textX(row, from);
  return QRectF(left, row.rect.top(), textX(row, to) - left, row.rect.height());
}

void TextPainter::paintRanges(const LineRow& row) {
  const uint32_t lineBegin = row.start + row.begin, lineEnd = row.start + row.end;
  const auto& marks = view_.decorations_;
  for (auto it = firstFrom(marks.wordTones, lineBegin); it != marks.wordTones.end() && it->begin < lineEnd; ++it)
    painter_.fillRect(rangeRect(row, it->begin, it->end), toneColor(theme_, it->tone, true));
  for (auto it = firstFrom(marks.lit, lineBegin); it != marks.lit.end() && it->begin < lineEnd; ++it)
    painter_.fillRect(rangeRect(row, it->begin, it->end), theme_.match);
  for (auto it = firstFrom(marks.links, lineBegin); it != marks.links.end() && it->begin < lineEnd; ++it) {
    if (it->end <= lineBegin) continue;
    const bool selected = view_.selectedId_ && it->id == view_.selectedId_;
    if (!selected && !(view_.hoveredId_ && it->id == view_.hoveredId_)) continue;
    const QRectF rect = rangeRect(row, it->begin, it->end);
    const bool definition = it->role == LinkRole::Definition;
    painter_.fillRect(rect, selected && definition ? theme_.base : theme_.use);
    if (!selected) continue;
    if (!definition) {
      painter_.fillRect(QRectF(rect.left(), rect.bottom() - 3, rect.width(), 2), theme_.accent);
      continue;
    }
    painter_.setPen(QPen(theme_.accent, 2));
    painter_.drawRect(rect.adjusted(-2, 2, 2, -2));
  }
  if (view_.search_) {
    const auto& matches = view_.search_->matches();
    for (auto it = firstFrom(matches, lineBegin); it != matches.end() && it->begin < lineEnd; ++it) {
      const bool current = it - matches.begin() == view_.currentMatch_;
      painter_.fillRect(rangeRect(row, it->begin, it->end), current ? theme_.matchCurrent : theme_.match);
    }
  }
  const auto [begin, end] = view_.selection();
  const bool isMatch = view_.search_ && view_.currentMatch_ >= 0 && !view_.hasFocus();
  if (begin == end || isMatch || end < lineBegin || begin > lineEnd) return;
  QRectF rect = rangeRect(row, begin, end);
  if (end > lineEnd && row.last()) rect.setRight(std::max(rect.right(), rect.left()) + view_.charWidth_ * 0.6);
  // Seen on the selected line too.
  QColor marked = theme_.accent;
  marked.setAlphaF(0.3F);
  painter_.fillRect(rect, view_.selectedLine_ == row.line ? marked : theme_.selection);
}

void TextPainter::paintText(const LineRow& row) {
  const bool inString = view_.buffer_->beginsInString(row.line);
  tokenizeLine(row.text.substr(0, row.drawn), inString, tokens_);
  // Links with a kind of operator take its colour over that of the token.
  const auto& links = view_.decorations_.links;
  auto link = firstFrom(links, row.start);
  uint32_t at = 0;
  auto plainTo = [&](uint32_t end) {
    if (end > at) paintRun(row, at, end, theme_.text, false);
    at = std::max(at, end);
  };
  auto colored = [&](uint32_t begin, uint32_t end, const QColor& color, bool bold) {
    if (end <= at) return;
    plainTo(begin);
    paintRun(row, std::max(begin, at), end, color, bold);
    at = end;
  };
  size_t token = 0;
  while (true) {
    while (link != links.end() && (!link->hasKind || link->end <= row.start + at)) ++link;
    const bool hasLink = link != links.end() && link->begin < row.start + row.drawn;
    const bool hasToken = token < tokens_.size();
    if (!hasLink && !hasToken) break;
    const uint32_t linkBegin = hasLink ? std::max(link->begin, row.start) - row.start : ~0u;
    if (hasLink && (!hasToken || linkBegin < tokens_[token].end)) {
      if (hasToken && tokens_[token].begin < linkBegin)
        colored(tokens_[token].begin, linkBegin, tokenColor(theme_, tokens_[token].kind), false);
      colored(linkBegin, std::min(link->end - row.start, row.drawn), theme_.of(link->kind).ink, true);
      ++link;
      while (token < tokens_.size() && tokens_[token].end <= at) ++token;
      continue;
    }
    const Token& t = tokens_[token++];
    colored(t.begin, t.end, tokenColor(theme_, t.kind), t.kind == TokenKind::Callee);
  }
  plainTo(row.drawn);
  useFont(false);
  painter_.setPen(theme_.type);
  for (const Shortening& part : row.metrics.shortened())
    if (part.begin >= row.begin && part.begin < row.end)
      painter_.drawText(QPointF(textX(row, part.begin), row.rect.top() + baseline_), part.text);
  if (row.metrics.shownBytes() < row.text.size() && row.drawn == row.metrics.shownBytes()) {
    painter_.setPen(theme_.grey);
    const QString more =
        TextView::tr(" … %1 more bytes").arg(QLocale().toString(qulonglong(row.text.size() - row.drawn)));
    painter_.drawText(QPointF(textX(row, row.drawn), row.rect.top() + view_.metrics_.ascent()), more);
  }
}

void TextPainter::useFont(bool bold) {
  if (fontSet_ == int(bold)) return;
  fontSet_ = int(bold);
  painter_.setFont(fonts_[bold]);
}

void TextPainter::paintRun(const LineRow& row, uint32_t begin, uint32_t end, const QColor& color, bool bold) {
  begin = std::max(begin, row.begin);
  if (end <= begin) return;
  for (const Shortening& part : row.metrics.shortened()) {
    if (part.begin >= end || part.end <= begin) continue;
    paintRun(row, begin, std::max(begin, part.begin), color, bold);
    return paintRun(row, part.end, std::max(part.end, end), color, bold);
  }
  const std::string_view bytes = row.text.substr(begin, end - begin);
  if (textX(row, end) < textLeft_) return;
  useFont(bold);
  painter_.setPen(color);
  const qreal baseline = row.rect.top() + baseline_;
  // Tabs move what follows them, so a run is drawn in parts between tabs.
  uint32_t from = 0;
  while (from < bytes.size()) {
    const size_t tab = bytes.find('\t', from);
    const auto to = static_cast<uint32_t>(tab == std::string_view::npos ? bytes.size() : tab);
    if (to > from)
      painter_.drawText(QPointF(textX(row, begin + static_cast<uint32_t>(from)), baseline),
                        shownText(bytes.substr(from, to - from)));
    from = to + 1;
  }
}

void TextPainter::paintSquiggles(const LineRow& row) {
  const auto& squiggles = view_.decorations_.squiggles;
  const uint32_t lineBegin = row.start + row.begin, lineEnd = row.start + row.end;
  for (auto it = firstFrom(squiggles, lineBegin); it != squiggles.end() && it->begin <= lineEnd; ++it) {
    // One that begins behind the last byte of a part belongs to the next one, where there is one.
    if ((it->begin < lineBegin && it->end <= lineBegin) || (it->begin == lineEnd && !row.last())) continue;
    QRectF rect = rangeRect(row, it->begin, it->end);
    if (rect.width() < view_.charWidth_) rect.setWidth(view_.charWidth_);
    paintWave(rect.left(), rect.right(), row.rect.bottom() - 1, markColor(theme_, it->kind));
  }
}

void TextPainter::paintWave(qreal left, qreal right, qreal y, const QColor& color) {
  const qreal step = view_.charWidth_ / 3, height = step * 0.8;
  QPainterPath path(QPointF(left, y));
  bool up = true;
  for (qreal x = std::max(left, textLeft_ - step); x < std::min<qreal>(right, width_); x += step, up = !up)
    path.lineTo(std::min(x + step, right), up ? y - height : y);
  painter_.save();
  painter_.setRenderHint(QPainter::Antialiasing);
  painter_.setPen(QPen(color, std::max(1.0, view_.charWidth_ / 8)));
  painter_.setBrush(Qt::NoBrush);
  painter_.drawPath(path);
  painter_.restore();
}

bool TextPainter::standsForBlock(const LineRow& row) const {
  const FoldRegion* region = view_.regionAt(row.line);
  return region && !region->title.isEmpty() && view_.isFolded(row.line);
}

bool TextPainter::paintBlock(const LineRow& row) {
  if (!standsForBlock(row)) return false;
  if (!row.first()) return true;
  const FoldRegion* region = view_.regionAt(row.line);
  const auto indentation = static_cast<uint32_t>(std::min(row.text.find_first_not_of(' '), row.text.size()));
  const QString count = TextView::tr("%n lines", nullptr, static_cast<int>(region->last - region->header + 1));
  const qreal x = textX(row, indentation);
  paintPiece({region->title + QStringLiteral("  ") + QChar(0x22ef) + QLatin1Char(' ') + count, NoteRole::Grey}, x,
             width_ - x, row.rect);
  return true;
}

void TextPainter::paintFoldCount(const LineRow& row) {
  const FoldRegion* region = view_.regionAt(row.line);
  if (!region) return;
  QString said = region->title;
  if (view_.isFolded(row.line))
    said = TextView::tr("%1 %n lines", nullptr, static_cast<int>(region->last - region->header)).arg(QChar(0x22ef));
  if (said.isEmpty()) return;
  const qreal x = textX(row, row.metrics.shownBytes()) + view_.charWidth_ * 2;
  paintPiece({said, NoteRole::Stale}, x, width_ - x, row.rect);
}

/// Behind the end of the line.
void TextPainter::paintNoteBehind(const LineRow& row) {
  const LineNote* note = row.last() && !standsForBlock(row) ? view_.decorations_.noteOf(row.line) : nullptr;
  if (!note) return;
  painter_.save();
  fontSet_ = -1;
  painter_.setClipRect(QRectF(textLeft_ - 1, row.rect.top(), width_ - textLeft_ + 1, row.rect.height()));
  qreal x = textX(row, std::min(row.end, row.metrics.shownBytes())) + view_.charWidth_ * 2;
  // Behind a line that goes on out of sight it stands over its end, and leaves most of the room to the line.
  constexpr qreal kMost = 0.4;
  const qreal whole = view_.noteWidth(*note);
  const qreal shown = std::min(whole, (width_ - textLeft_) * kMost);
  if (x + shown > width_) {
    // It covers whole letters.
    const qreal begin = textX(row, 0), letters = std::ceil((width_ - shown - begin) / view_.charWidth_);
    const qreal left = std::max(textLeft_, begin + letters * view_.charWidth_);
    painter_.fillRect(QRectF(left, row.rect.top(), width_ - left, row.rect.height()), theme_.panel);
    x = left + view_.charWidth_ / 2;
    for (const NotePiece& piece : fitting(*note, width_ - x).pieces) x = paintPiece(piece, x, width_ - x, row.rect);
  } else {
    for (const NotePiece& piece : note->pieces) x = paintPiece(piece, x, whole, row.rect);
  }
  painter_.restore();
  fontSet_ = -1;
}

/// In the column at the right, where numbers end under one another.
void TextPainter::paintNote(const LineRow& row) {
  if (view_.notesFollow_) return paintNoteBehind(row);
  if (valuesLeft_ >= width_) return;
  painter_.fillRect(QRectF(valuesLeft_, row.rect.top(), 1, row.rect.height()), theme_.border);
  // What is said of a line is not said of the block that stands there.
  if (!row.first() || standsForBlock(row)) return;
  const qreal right = width_ - view_.charWidth_;
  qreal left = valuesLeft_ + view_.charWidth_;
  if (typesMoved_) left = paintShape(row, left);
  const LineNote* note = view_.decorations_.noteOf(row.line);
  if (!note) return;
  const LineNote shown = fitting(*note, right - left);
  painter_.save();
  fontSet_ = -1;
  painter_.setClipRect(QRectF(left, row.rect.top(), width_ - left, row.rect.height()));
  qreal x = std::max(left, right - view_.noteWidth(shown) + view_.charWidth_ * 2.5);
  for (const NotePiece& piece : shown.pieces) x = paintPiece(piece, x, right - x + view_.charWidth_ / 2, row.rect);
  painter_.restore();
  fontSet_ = -1;
}

/// The shape of the line's binding, where types stand beside the values; where the value begins.
qreal TextPainter::paintShape(const LineRow& row, qreal left) {
  const qreal width = view_.shapesWidth() - view_.charWidth_ * 1.5;
  const QFont font = view_.viewport()->font();
  painter_.setFont(font);
  fontSet_ = -1;
  painter_.setPen(theme_.grey);
  const QString shape = QFontMetricsF(font).elidedText(shapeOf(view_.buffer_->line(row.line)), Qt::ElideRight, width);
  painter_.drawText(QRectF(left, row.rect.top(), width, row.rect.height()), Qt::AlignRight | Qt::AlignVCenter, shape);
  return left + view_.shapesWidth();
}

LineNote TextPainter::fitting(LineNote note, qreal room) const {
  const auto tooWide = [&] { return view_.noteWidth(note) > room; };
  for (NotePiece& piece : note.pieces)
    if (tooWide() && !piece.brief.isEmpty()) piece.text = piece.brief;
  const bool more = std::any_of(note.pieces.begin(), note.pieces.end(), [](const NotePiece& p) { return !p.yields; });
  // Beside the shape of the type that of the value says it again.
  if (more && (typesMoved_ || tooWide()))
    std::erase_if(note.pieces, [](const NotePiece& piece) { return piece.yields; });
  while (note.pieces.size() > 1 && tooWide()) note.pieces.pop_back();
  return note;
}

qreal TextPainter::paintPiece(const NotePiece& piece, qreal x, qreal room, const QRectF& rect) {
  const NoteLook& look = kNoteLooks[static_cast<size_t>(piece.role)];
  QFont font = view_.viewport()->font();
  font.setItalic(look.italic);
  font.setBold(look.bold);
  const qreal pad = look.fill ? view_.charWidth_ * 0.6 : 0;
  const QFontMetricsF metrics(font);
  const QString text = metrics.elidedText(shownText(piece.text.toStdString()), Qt::ElideRight, room - 2 * pad);
  const qreal width = metrics.horizontalAdvance(text);
  if (look.fill) {
    painter_.save();
    painter_.setRenderHint(QPainter::Antialiasing);
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(theme_.*look.fill);
    const QRectF chip(x, rect.top() + 1, width + pad * 2, rect.height() - 2);
    painter_.drawRoundedRect(chip, rect.height() * 0.2, rect.height() * 0.2);
    painter_.restore();
  }
  painter_.setFont(font);
  fontSet_ = -1;
  painter_.setPen(theme_.*look.ink);
  painter_.drawText(QRectF(x + pad, rect.top(), width + view_.charWidth_, rect.height()), Qt::AlignVCenter, text);
  return x + width + pad * 2 + view_.charWidth_ * 1.5;
}

void TextPainter::paintCaret(const LineRow& row) {
  if (!view_.hasFocus() || view_.caretLine() != row.line) return;
  const uint32_t at = view_.caret_ - row.start;
  if (row.parts.partOf(at) != row.part) return;
  const qreal x = textX(row, at);
  painter_.fillRect(QRectF(x - 0.5, row.rect.top() + 1, std::max(1.5, view_.charWidth_ / 6), row.rect.height() - 2),
                    theme_.accent);
}

void TextPainter::paintGutter(const LineRow& row) {
  const qreal right = view_.numbersRight();
  const bool current = view_.currentLine_ == row.line;
  painter_.setFont(view_.viewport()->font());
  fontSet_ = -1;
  painter_.setPen(current ? theme_.text : theme_.lineNumber);
  const auto number = [&](uint32_t line, qreal end) {
    const QRectF column(0, row.rect.top(), end, row.rect.height());
    if (line > 0) painter_.drawText(column, Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
  };
  if (view_.sideNumbers_.empty()) {
    number(row.line + 1, right);
  } else {
    number(view_.sideNumbers_[row.line].left, right - view_.numberWidth() - view_.charWidth_);
    number(view_.sideNumbers_[row.line].right, right);
  }
  const GutterMark* breakpoint = view_.decorations_.markOf(row.line);
  if (breakpoint) paintBreakpoint(*breakpoint, row.rect);
  if (const PlaceMark* mark = view_.decorations_.placeOf(row.line)) paintPlace(*mark, row.rect, breakpoint);
  if (current || view_.callerLine_ == row.line) {
    paintArrow(row, current);
  } else {
    paintFoldMark(row);
  }
}

/// Filled at the line that runs next, an outline where a caller waits.
void TextPainter::paintArrow(const LineRow& row, bool filled) {
  const qreal size = row.rect.height() * 0.3, middle = row.rect.center().y();
  const qreal left = view_.numbersRight() + view_.charWidth_ * 0.4;
  const qreal neck = left + size * 0.9;
  QPainterPath arrow(QPointF(left, middle - size * 0.35));
  arrow.lineTo(neck, middle - size * 0.35);
  arrow.lineTo(neck, middle - size);
  arrow.lineTo(neck + size, middle);
  arrow.lineTo(neck, middle + size);
  arrow.lineTo(neck, middle + size * 0.35);
  arrow.lineTo(left, middle + size * 0.35);
  arrow.closeSubpath();
  painter_.save();
  painter_.setRenderHint(QPainter::Antialiasing);
  if (filled) {
    painter_.fillPath(arrow, theme_.text);
  } else {
    painter_.strokePath(arrow, QPen(theme_.text, std::max(1.0, size / 6)));
  }
  painter_.restore();
}

void TextPainter::paintBreakpoint(const GutterMark& mark, const QRectF& rect) {
  const qreal size = rect.height() * 0.56;
  const QRectF dot(rect.height() * 0.15, rect.center().y() - size / 2, size, size);
  painter_.save();
  painter_.setRenderHint(QPainter::Antialiasing);
  const bool hollow = mark.state == BreakpointState::Disabled || mark.state == BreakpointState::Unbound;
  const QColor color = mark.state == BreakpointState::Disabled ? theme_.breakpointOff : theme_.breakpoint;
  painter_.setPen(
      QPen(color, std::max(1.0, size / 7), mark.state == BreakpointState::Unbound ? Qt::DotLine : Qt::SolidLine));
  painter_.setBrush(hollow ? QBrush(Qt::NoBrush) : QBrush(color));
  if (mark.logs) {
    const QPointF middle = dot.center();
    const qreal half = size * 0.58;
    painter_.drawPolygon(QPolygonF(
        {middle - QPointF(0, half), middle + QPointF(half, 0), middle + QPointF(0, half), middle - QPointF(half, 0)}));
  } else {
    painter_.drawEllipse(dot);
  }
  if (mark.state == BreakpointState::Conditional) {
    painter_.setPen(QPen(theme_.base, std::max(1.0, size / 7)));
    const qreal wide = size * (mark.logs ? 0.18 : 0.24);
    for (const qreal y : {-0.13, 0.13})
      painter_.drawLine(dot.center() + QPointF(-wide, size * y), dot.center() + QPointF(wide, size * y));
  }
  painter_.restore();
}

/// In the column of breakpoints: smaller, in the corner, where there is one.
void TextPainter::paintPlace(const PlaceMark& mark, const QRectF& rect, bool beside) {
  const qreal side = rect.height() * (beside ? 0.5 : 0.72);
  const QRectF box(rect.height() * (beside ? 0.42 : 0.08), beside ? rect.bottom() - side : rect.center().y() - side / 2,
                   side, side);
  views::icon(mark.text.isEmpty() ? "bookmark-on" : "note", theme_.accent).paint(&painter_, box.toAlignedRect());
}

void TextPainter::paintFoldMark(const LineRow& row) {
  if (!view_.regionAt(row.line)) return;
  const qreal size = row.rect.height() * 0.2, middle = row.rect.center().y();
  const qreal x = view_.numbersRight() + row.rect.height() * 0.75;
  QPolygonF triangle;
  if (view_.isFolded(row.line)) {
    triangle << QPointF(x - size * 0.6, middle - size) << QPointF(x + size * 0.8, middle)
             << QPointF(x - size * 0.6, middle + size);
  } else {
    triangle << QPointF(x - size, middle - size * 0.6) << QPointF(x + size, middle - size * 0.6)
             << QPointF(x, middle + size * 0.8);
  }
  painter_.save();
  painter_.setRenderHint(QPainter::Antialiasing);
  painter_.setPen(Qt::NoPen);
  painter_.setBrush(theme_.lineNumber);
  painter_.drawPolygon(triangle);
  painter_.restore();
}

void TextView::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  TextPainter(*this, painter).paint(event->rect());
}

}  // namespace rx
