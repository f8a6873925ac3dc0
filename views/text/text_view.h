// The text view: paints and scrolls a TextBuffer, and turns keys and clicks into places and ids.
#pragma once

#include <QAbstractScrollArea>
#include <QFontMetricsF>
#include <QPointer>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "views/text/decorations.h"
#include "views/text/folding.h"
#include "views/text/line_metrics.h"
#include "views/text/line_wrap.h"
#include "views/text/row_heights.h"
#include "views/text/short_types.h"
#include "views/text/text_buffer.h"
#include "views/text/text_search.h"
#include "views/theme/palette.h"

namespace rx {

class ColumnHeader;
class FindBar;

/// Read-only. Lines are zero-based, offsets are bytes of the buffer. All setters may be called at any time; offsets and
/// lines that the text does not have are dropped.
class TextView : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit TextView(QWidget* parent = nullptr);
  ~TextView() override;

  void setTheme(const Palette& palette);
  const Palette& theme() const { return theme_; }
  /// Replaces the text; decorations, folds, selection and matches of the old one are dropped.
  void setBuffer(TextBufferPtr buffer);
  /// The same with what can be folded in it, found elsewhere.
  void setBuffer(TextBufferPtr buffer, std::vector<FoldRegion> regions);
  const TextBufferPtr& buffer() const { return buffer_; }
  /// Shown in the middle while the text is empty: what could be here and how to get it.
  void setPlaceholder(const QString& text);

  void setLinks(std::vector<Link> links);
  void setBands(std::vector<LineBand> bands);
  void setSquiggles(std::vector<Squiggle> squiggles);
  void setNotes(std::vector<LineNote> notes) { setLineNotes(LineNotes(std::move(notes))); }
  /// The same, each made when it is looked at.
  void setLineNotes(LineNotes notes);
  void setMarks(std::vector<GutterMark> marks);
  void setPlaces(std::vector<PlaceMark> places);
  void setLit(std::vector<LitRange> ranges);
  void setDiffTones(std::vector<LineTone> lines, std::vector<WordTone> words);
  const TextDecorations& decorations() const { return decorations_; }
  /// The line about to be executed, with an arrow and a band.
  void setCurrentLine(std::optional<uint32_t> line);
  std::optional<uint32_t> currentLine() const { return currentLine_; }
  /// A line that waits for a call to return, with the outline of an arrow.
  void setCallerLine(std::optional<uint32_t> line);
  std::optional<uint32_t> callerLine() const { return callerLine_; }
  /// Marks all ranges of an id; 0 marks none.
  void setSelectedId(uint64_t id);
  uint64_t selectedId() const { return selectedId_; }
  /// Marks the whole line that the selected thing stands on, whether the view has the focus or not.
  void setSelectedLine(std::optional<uint32_t> line);
  std::optional<uint32_t> selectedLine() const { return selectedLine_; }
  /// Numbers in the gutter, a pair for each line, in place of the line's own; until the next text.
  void setSideNumbers(std::vector<SideNumbers> numbers);
  /// Fixes the rows (fillers and collapsed stretches of a comparison); folding is off from then on.
  void setRows(std::vector<Row> rows);
  const RowMap& rows() const { return rows_; }

  uint32_t caretOffset() const { return caret_; }
  uint32_t caretLine() const;
  /// Moves the caret, unfolds and scrolls to it; with `keepAnchor` the selection grows to it.
  void setCaret(uint32_t offset, bool keepAnchor = false);
  void goToLine(uint32_t line);
  /// Scrolls so that the line is on screen with three lines of margin, a third down where it was not; the caret stays.
  void revealLine(uint32_t line);
  /// The same for what goes on below the line: it stands in the upper third.
  void revealHead(uint32_t line);
  QString selectedText() const;
  /// Byte range of the selection, ordered.
  std::pair<uint32_t, uint32_t> selection() const;
  void selectAll();
  void copySelection();
  /// Emits what a click on the caret's place would.
  void activateAtCaret();
  /// Caret to the next (or previous) definition; what Alt+Down and Alt+Up do.
  void moveToDefinition(int direction);
  /// The tooltip of the caret's place, for those who do not hover.
  void showTipAtCaret();
  /// What hovering an offset shows: the problem there, else what the tip source says; empty for none.
  QString tipAt(uint32_t offset) const;
  /// Asked for places that no squiggle covers; plain text.
  void setTipSource(std::function<QString(uint32_t offset)> source) { tipSource_ = std::move(source); }

  /// Puts a widget below a line, in rows of its own that push the following lines down; the view owns it. It goes with
  /// the text, and with the next call; null only takes it away.
  void setInset(uint32_t line, QWidget* widget);
  QWidget* inset() const { return inset_; }

  void setFolded(uint32_t header, bool folded);
  bool isFolded(uint32_t header) const { return folded_.contains(header); }
  void foldAll();
  /// Stretches of lines with titles, which fold beside what is indented. They go with the text.
  void setBlocks(std::vector<FoldRegion> blocks);
  bool hasBlocks() const;
  /// All but those whose first lines are in `open`; what is in sight stays where it is.
  void foldBlocks(const std::set<uint32_t>& open = {});
  void unfoldAll();

  void openFind();
  void closeFind();
  void openGoToLine();
  /// Starts a search; matches appear as they are found.
  void find(const QString& pattern, SearchOptions options);
  /// Searches the whole text before it returns; the number of matches (at most TextSearch::kMaxMatches).
  int findAll(const QString& pattern, SearchOptions options = {});
  void findNext(int direction = 1);
  const TextSearch* search() const { return search_.get(); }
  /// Index of the current match, or -1.
  int currentMatch() const { return currentMatch_; }

  /// Per cent of the desktop's monospace font, 25 to 400.
  int zoom() const { return zoom_; }
  void setZoom(int percent);
  /// Whether types are written short where the view is too narrow for whole lines.
  void setShortTypes(bool on);
  /// What else of a line is left out where types are written short, in order.
  void setLeftOut(std::function<std::vector<Shortening>(std::string_view line)> leftOut);
  /// Whether lines that are too long for the view go on below, or are scrolled.
  void setWrapped(bool on);
  bool wrapped() const { return wrapped_; }
  /// Another view with as many rows: those of one number are as high in both. Each is the partner of the other.
  void setPartner(TextView* partner) { partner_ = partner; }
  /// How types are written now: they give way before operators and values do.
  TypeForm typeForm() const;
  /// Whether shapes stand in the column of values, as types have no room in the text.
  bool typesMoved() const;
  /// What of a line is not shown as it stands, in order.
  std::vector<Shortening> shortenings(std::string_view line) const;
  /// Names the column of values above the text; an empty title takes the strip away.
  void setValueTitle(const QString& title);
  /// Notes stand behind their lines, where few have one, in place of a column that takes its width from all lines.
  void setNotesFollow(bool on);
  /// Where the column of values begins; the right edge where there are none.
  int valuesLeft() const;
  /// Left edge of the text in the viewport, before horizontal scrolling.
  qreal textLeft() const;
  /// Right edge of the line numbers.
  qreal numbersRight() const;
  /// Width of one column of numbers.
  qreal numberWidth() const;
  qreal lineHeight() const { return lineHeight_; }
  /// Distance of a row from the top of the first one; that of the number of rows is the height of all.
  qreal rowTop(uint32_t row) const;
  /// Lines that one row takes on the screen, in pixels.
  qreal rowHeight(uint32_t row) const;
  /// Where a line stands in this view, also beyond its edges.
  QRect lineRect(uint32_t line) const;
  QSize sizeHint() const override;

 Q_SIGNALS:
  /// Enter was pressed on a range, or on a line: then its definition is meant.
  void linkActivated(quint64 id, rx::LinkRole role);
  /// A click (not a drag) set the caret; the range under the pointer, 0 for none.
  void clicked(uint32_t line, quint64 id, rx::LinkRole role);
  /// Ctrl+click or F12.
  void definitionRequested(quint64 id);
  /// The pointer is over a range; 0 when it left.
  void linkHovered(quint64 id);
  void gutterClicked(uint32_t line);
  void caretMoved(uint32_t line, uint32_t offset);
  /// The same, when keys, a search or "go to line" moved it rather than setCaret.
  void caretMovedByUser(uint32_t line);
  /// A collapsed stretch was asked to open.
  void collapsedActivated(uint32_t row);
  /// What is there is selected, or the caret stands there.
  void contextMenuAt(const QPoint& globalPosition);
  void zoomChanged(int percent);
  void searchChanged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  friend class TextPainter;
  struct Place {
    uint32_t row = 0;
    uint32_t offset = 0;
    bool onText = false;  // over a character, not right of the line's end
    bool collapsed = false;
  };
  void applyFont();
  void updateScrollBars();
  void rebuildRows();
  void showFolded();
  void unfoldAround(uint32_t line);
  /// What stays in sight when sizes change, and how far below the top of the view it stands.
  struct Steady {
    uint32_t line = 0;
    qreal y = 0;
    bool matters = false;  // it is the line that runs next, is selected or has the caret, not just the first in view
  };
  Steady steadyPlace(int height) const;
  void restorePlace(const Steady& place);

  // Wrapped lines
  qreal wrapWidth() const;
  LineParts partsOf(uint32_t line, const LineMetrics& metrics) const;
  /// Guesses the heights of all rows anew where what they follow from has changed.
  void guessHeights();
  /// Measures the rows of a page around one; what is at the top of the view stays there.
  void measureAround(uint32_t row);
  void measureSeen();
  void setVerticalRange();
  /// The partner where its rows are these: null where there is none, or it shows other rows yet.
  TextView* partnerInStep() const;
  /// Visual lines that the row has in this view, measured or guessed.
  uint32_t ownHeight(uint32_t row) const;
  uint32_t guessedHeight(uint32_t row) const;
  /// The row at a distance from the top of the first one; it may be beyond the last where nothing is wrapped.
  RowPart rowAt(qreal y) const;
  qreal lineTop(uint32_t line) const { return rowTop(rows_.rowOf(line)); }
  /// Distance of the caret's visual line from the top of the first row.
  qreal caretTop() const;
  /// The byte of a line that a visual line of it has at a distance from the left edge of the text.
  uint32_t byteIn(uint32_t line, uint32_t part, qreal x, bool* onText = nullptr) const;
  /// Where the caret's visual line begins or ends, and the whole line where it stands there already.
  uint32_t partEdge(int direction) const;
  void placeInset();
  QSize insetSize() const;
  uint32_t insetRows() const;
  void layoutFindBar();
  void stepSearch();
  void selectMatch(int index);
  Place placeAt(QPoint position) const;
  bool foldColumnHit(QPoint position, uint32_t* header) const;
  const FoldRegion* regionAt(uint32_t header) const;
  const Link* linkUnder(QPoint position) const;
  /// The range at an offset that can be clicked: one with an id.
  const Link* targetAt(uint32_t offset) const;
  void hoverTo(QPoint position);
  bool handleMoveKey(QKeyEvent* event);
  bool handleActionKey(QKeyEvent* event);
  void moveVertically(int rows, bool select);
  uint32_t wordEdge(uint32_t offset, int direction) const;
  void activate(const Link* link, bool definition);
  LineMetrics metricsOf(uint32_t line) const;
  /// The bytes around an offset that are shown as a short type; nothing where it is not inside of one.
  std::optional<std::pair<uint32_t, uint32_t>> shortenedAt(uint32_t offset) const;
  /// Columns of each line as it is shown.
  const std::vector<uint32_t>& shownColumns() const;
  qreal noteWidth(const LineNote& note) const;
  qreal briefWidth(const LineNote& note) const;
  /// Columns that the text needs so that every operator's name is seen.
  std::vector<Shortening> shortenedAs(TypeForm form, std::string_view line) const;
  bool deeplyIndented() const;
  /// Of the lines that have an operator, in characters.
  struct Columns {
    uint32_t operators = 0;  // where the one that stands farthest right ends
    uint32_t lines = 0;      // where the longest line does
  };
  const Columns& columnsAs(TypeForm form) const;
  /// Whether a column of values stands beside the text.
  bool hasValues() const { return !notesFollow_ && !decorations_.notes.empty(); }
  /// What shapes take in the column of values, the room behind them included.
  qreal shapesWidth() const;
  void layoutHeader();
  qreal caretX() const;

  Palette theme_;
  TextBufferPtr buffer_;
  TextDecorations decorations_;
  std::vector<SideNumbers> sideNumbers_;  // empty, or one for each line
  std::vector<FoldRegion> regions_;
  std::set<uint32_t> folded_;
  RowMap rows_;
  uint32_t rowsVersion_ = 0;
  bool fixedRows_ = false;
  int seenHeight_ = 0;  // of the viewport when it was laid out last
  bool wrapped_ = false;
  TextView* partner_ = nullptr;
  bool measuring_ = false;
  RowHeights heights_;  // empty where lines are not wrapped
  struct WrapKey {
    qreal width = 0, charWidth = 0;
    TypeForm form = TypeForm::Whole;
    uint32_t rows = 0;
    bool operator==(const WrapKey&) const = default;
  };
  WrapKey wrapKey_;  // what heights_ follow from
  QPointer<QWidget> inset_;
  uint32_t insetLine_ = 0;
  uint32_t insetRows_ = 0;  // that are kept free for it
  QString placeholder_;
  std::function<QString(uint32_t)> tipSource_;
  std::optional<uint32_t> currentLine_;
  std::optional<uint32_t> callerLine_;
  uint64_t selectedId_ = 0;
  std::optional<uint32_t> selectedLine_;
  uint64_t hoveredId_ = 0;
  uint32_t caret_ = 0;
  uint32_t anchor_ = 0;
  qreal wantedX_ = -1;
  bool dragging_ = false;
  bool dragged_ = false;
  std::unique_ptr<TextSearch> search_;
  SearchOptions searchOptions_;
  QString searchPattern_;
  int currentMatch_ = -1;
  bool selectFirstMatch_ = false;
  QTimer searchTimer_;
  FindBar* findBar_ = nullptr;
  int zoom_ = 100;
  bool shortTypes_ = false;
  std::function<std::vector<Shortening>(std::string_view)> leftOut_;
  mutable std::vector<uint32_t> shownColumns_;      // empty until asked for
  mutable TypeForm columnsForm_ = TypeForm::Whole;  // what they were counted for
  mutable std::optional<Columns> columns_[3];       // by form
  mutable std::optional<uint32_t> shapeColumns_;    // of the widest
  mutable std::optional<bool> deep_;                // whether a level of indentation is deeper than it need be
  ColumnHeader* header_ = nullptr;
  bool notesFollow_ = false;
  qreal widestNote_ = 0;  // in characters, and where only what matters most is said
  qreal briefNote_ = 0;
  qreal valueShare_ = 0;  // of the room, where the user chose it
  QFontMetricsF metrics_;
  qreal charWidth_ = 8;
  qreal lineHeight_ = 16;
};

}  // namespace rx
