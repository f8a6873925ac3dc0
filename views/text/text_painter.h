// Draws the rows of a text view that are on screen.
#pragma once

#include <QPainter>

#include "views/text/text_view.h"
#include "views/text/tokenizer.h"

namespace rx {

/// The colour of a token.
const QColor& tokenColor(const Palette& theme, TokenKind kind);

/// One paint of one view: made for it and thrown away.
class TextPainter {
 public:
  TextPainter(const TextView& view, QPainter& painter);
  void paint(const QRect& area);

 private:
  struct LineRow {
    uint32_t line;
    uint32_t start;  // offset of the line's first byte
    std::string_view text;
    LineMetrics metrics;
    LineParts parts;
    QRectF rect = {};    // the part over the full width
    uint32_t part = 0;   // of a wrapped line, the one that is painted
    uint32_t begin = 0;  // the first byte of the part
    uint32_t end = 0;    // the first byte behind it
    uint32_t drawn = 0;  // bytes beyond this are right of the view
    qreal shift = 0;     // from where the part would stand in an unbroken line to where it stands

    bool first() const { return part == 0; }
    bool last() const { return part + 1 == parts.count(); }
  };
  void paintRow(uint32_t index, const QRect& area);
  void paintPart(const LineRow& row);
  void paintFiller(const QRectF& rect);
  void paintCollapsed(const Row& row, const QRectF& rect);
  void paintGround(const LineRow& row);
  void paintSelectedEdges(const LineRow& row);
  void paintRanges(const LineRow& row);
  void paintText(const LineRow& row);
  void useFont(bool bold);
  void paintRun(const LineRow& row, uint32_t begin, uint32_t end, const QColor& color, bool bold);
  void paintSquiggles(const LineRow& row);
  void paintWave(qreal left, qreal right, qreal y, const QColor& color);
  void paintNote(const LineRow& row);
  void paintNoteBehind(const LineRow& row);
  qreal paintShape(const LineRow& row, qreal left);
  /// The note as it is told in so much room: shorter pieces, then fewer; one piece always stays.
  LineNote fitting(LineNote note, qreal room) const;
  void paintFoldCount(const LineRow& row);
  /// Whether the row is a folded block with its title.
  bool standsForBlock(const LineRow& row) const;
  /// What a folded block shows in place of its header; false where the line is none.
  bool paintBlock(const LineRow& row);
  /// Writes a piece in so much room; where the next one begins.
  qreal paintPiece(const NotePiece& piece, qreal x, qreal room, const QRectF& rect);
  void paintGutter(const LineRow& row);
  void paintArrow(const LineRow& row, bool filled);
  void paintBreakpoint(const GutterMark& mark, const QRectF& rect);
  void paintPlace(const PlaceMark& mark, const QRectF& rect, bool beside);
  void paintFoldMark(const LineRow& row);
  void paintCaret(const LineRow& row);
  void paintPlaceholder();
  /// Fills the part of [begin, end) that is on this line; returns the filled rectangle.
  QRectF rangeRect(const LineRow& row, uint32_t begin, uint32_t end) const;
  qreal textX(const LineRow& row, uint32_t byte) const { return textOrigin_ + row.shift + row.metrics.xOf(byte); }

  const TextView& view_;
  QPainter& painter_;
  const Palette& theme_;
  std::vector<Token> tokens_;
  QFont fonts_[2];  // regular, bold: choosing a font is dearer than drawing with it
  int fontSet_ = -1;
  qreal baseline_ = 0;  // in its row
  qreal textLeft_;      // where the gutter ends
  qreal textOrigin_;    // where column 0 is, after scrolling
  int width_;
  int valuesLeft_;  // where the column of values begins
  bool typesMoved_;
};

}  // namespace rx
