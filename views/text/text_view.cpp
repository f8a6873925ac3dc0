// State, scrolling, folding and search of the text view; text_columns.cpp shares its width, text_painter.cpp draws it,
// text_input.cpp hears keys and mouse.
#include "views/text/text_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/text/column_header.h"
#include "views/text/find_bar.h"
#include "views/theme/fonts.h"
#include "views/theme/qt_text.h"

namespace rx {
namespace {

constexpr uint32_t kSearchSlice = 4u << 20;
constexpr qreal kMarginLines = 3;  // kept above and below a line that is scrolled to

template <class T, class Key>
void sortAndDrop(std::vector<T>& rows, uint32_t limit, Key key) {
  std::erase_if(rows, [&](const T& row) { return key(row) >= limit; });
  const auto before = [&](const T& a, const T& b) { return key(a) < key(b); };
  if (!std::is_sorted(rows.begin(), rows.end(), before)) std::sort(rows.begin(), rows.end(), before);
}

template <class T>
void sortRanges(std::vector<T>& ranges, uint32_t size) {
  std::erase_if(ranges, [&](const T& r) { return r.begin > size || r.end > size || r.end < r.begin; });
  const auto before = [](const T& a, const T& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); };
  if (!std::is_sorted(ranges.begin(), ranges.end(), before)) std::sort(ranges.begin(), ranges.end(), before);
}

}  // namespace

TextView::TextView(QWidget* parent)
    : QAbstractScrollArea(parent), theme_(Palette::forQt(palette())), buffer_(TextBuffer::from({})), metrics_(font()) {
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  viewport()->setMouseTracking(true);
  viewport()->setCursor(Qt::IBeamCursor);
  setAccessibleName(tr("Program text"));
  findBar_ = new FindBar(this);
  findBar_->hide();
  header_ = new ColumnHeader(this);
  header_->hide();
  connect(header_, &ColumnHeader::splitterMoved, this, [this](int x) {
    const qreal room = viewport()->width() - textLeft();
    valueShare_ = x < 0 || room <= 0 ? 0 : std::clamp((viewport()->width() - x) / room, 0.1, 0.8);
    updateScrollBars();
    header_->update();
    viewport()->update();
  });
  searchTimer_.setInterval(0);
  connect(&searchTimer_, &QTimer::timeout, this, &TextView::stepSearch);
  applyFont();
  rebuildRows();
}

TextView::~TextView() = default;

void TextView::setTheme(const Palette& palette) {
  theme_ = palette;
  findBar_->setTheme(palette);
  header_->setTheme(theme_);
  viewport()->update();
}

void TextView::setPlaceholder(const QString& text) {
  placeholder_ = text;
  viewport()->update();
}

void TextView::setBuffer(TextBufferPtr buffer) {
  std::vector<FoldRegion> regions = buffer ? foldRegions(*buffer) : std::vector<FoldRegion>();
  setBuffer(std::move(buffer), std::move(regions));
}

void TextView::setBuffer(TextBufferPtr buffer, std::vector<FoldRegion> regions) {
  buffer_ = buffer ? std::move(buffer) : TextBuffer::from({});
  shownColumns_.clear();
  for (std::optional<Columns>& columns : columns_) columns.reset();
  shapeColumns_.reset();
  deep_.reset();
  widestNote_ = 0;
  decorations_ = {};
  sideNumbers_.clear();
  folded_.clear();
  fixedRows_ = false;
  heights_.clear();
  if (inset_) inset_->deleteLater();
  inset_ = nullptr;
  currentLine_.reset();
  callerLine_.reset();
  selectedLine_.reset();
  caret_ = anchor_ = 0;
  wantedX_ = -1;
  hoveredId_ = 0;
  regions_ = std::move(regions);
  rebuildRows();
  verticalScrollBar()->setValue(0);
  horizontalScrollBar()->setValue(0);
  if (search_) find(searchPattern_, searchOptions_);
}

void TextView::applyFont() {
  Steady place = steadyPlace(viewport()->height());
  const qreal before = lineHeight_;
  QFont fixed = views::fixedFont(QGuiApplication::font());
  // The desktop's own size is the reference: a user who enlarges the interface enlarges the text with it.
  const QFont ui = QGuiApplication::font();
  if (ui.pointSizeF() > 0) fixed.setPointSizeF(ui.pointSizeF() * zoom_ / 100.0);
  viewport()->setFont(fixed);
  metrics_ = QFontMetricsF(fixed, viewport());
  charWidth_ = metrics_.horizontalAdvance(QLatin1Char('0'));
  lineHeight_ = std::ceil(metrics_.height() * 1.15);
  layoutHeader();
  updateScrollBars();
  if (!place.matters) place.y *= lineHeight_ / before;
  restorePlace(place);
  layoutFindBar();
  viewport()->update();
}

void TextView::setZoom(int percent) {
  percent = std::clamp(percent, 25, 400);
  if (percent == zoom_) return;
  zoom_ = percent;
  applyFont();
  Q_EMIT zoomChanged(percent);
}

QRect TextView::lineRect(uint32_t line) const {
  const uint32_t row = rows_.rowOf(line);
  const qreal top = rowTop(row) - verticalScrollBar()->value();
  return {0, qFloor(top), width(), qCeil(rowHeight(row))};
}

QSize TextView::sizeHint() const { return QSizeF(charWidth_ * 80, lineHeight_ * 24).toSize(); }

void TextView::updateScrollBars() {
  guessHeights();
  setVerticalRange();
  verticalScrollBar()->setPageStep(viewport()->height());
  verticalScrollBar()->setSingleStep(qRound(lineHeight_));
  if (wrapped_) {
    measureSeen();
    return horizontalScrollBar()->setRange(0, 0);
  }
  // To see how far each line reaches as it is shown takes a look at each; in a long text one can scroll a little far.
  constexpr uint32_t kMostMeasured = 5000;
  qreal width = buffer_->longestLine() * charWidth_;
  if (buffer_->lineCount() <= kMostMeasured && typeForm() != TypeForm::Whole)
    width = *std::max_element(shownColumns().begin(), shownColumns().end()) * charWidth_;
  const int total =
      static_cast<int>(std::min(textLeft() + width + (notesFollow_ ? widestNote_ + 4 : 4) * charWidth_, 1e9));
  horizontalScrollBar()->setRange(0, std::max(0, total - valuesLeft()));
  horizontalScrollBar()->setPageStep(valuesLeft());
  horizontalScrollBar()->setSingleStep(qRound(charWidth_ * 3));
}

void TextView::rebuildRows() {
  RowInset inset;
  insetRows_ = insetRows();
  if (inset_) inset = {insetLine_, insetRows_};
  const Steady place = steadyPlace(viewport()->height());
  if (!fixedRows_) rows_.setFolded(buffer_->lineCount(), regions_, folded_, inset);
  ++rowsVersion_;
  updateScrollBars();
  if (wrapped_) restorePlace(place);
  placeInset();
  viewport()->update();
}

void TextView::setRows(std::vector<Row> rows) {
  const Steady place = steadyPlace(viewport()->height());
  fixedRows_ = true;
  folded_.clear();
  regions_.clear();
  rows_.setRows(std::move(rows));
  ++rowsVersion_;
  updateScrollBars();
  if (wrapped_) restorePlace(place);
  viewport()->update();
}

void TextView::setLinks(std::vector<Link> links) {
  sortRanges(links, buffer_->size());
  decorations_.links = std::move(links);
  for (std::optional<Columns>& columns : columns_) columns.reset();
  if (wrapped_) updateScrollBars();  // where the values begin follows from the operators
  viewport()->update();
}

void TextView::setBands(std::vector<LineBand> bands) {
  sortAndDrop(bands, buffer_->lineCount(), [](const LineBand& b) { return b.first; });
  decorations_.bands = std::move(bands);
  viewport()->update();
}

void TextView::setSquiggles(std::vector<Squiggle> squiggles) {
  sortRanges(squiggles, buffer_->size());
  decorations_.squiggles = std::move(squiggles);
  viewport()->update();
}

void TextView::setLineNotes(LineNotes notes) {
  constexpr size_t kMostMeasured = 128;  // of many notes some say how much room they need
  notes.dropBeyond(buffer_->lineCount());
  decorations_.notes = std::move(notes);
  widestNote_ = briefNote_ = 0;
  const std::vector<uint32_t>& lines = decorations_.notes.lines();
  for (size_t i = 0; i < lines.size(); i += lines.size() / kMostMeasured + 1) {
    const LineNote& note = *decorations_.notes.of(lines[i]);
    widestNote_ = std::max(widestNote_, noteWidth(note) / charWidth_);
    briefNote_ = std::max(briefNote_, briefWidth(note) / charWidth_);
  }
  header_->update();
  updateScrollBars();
  viewport()->update();
}

void TextView::setMarks(std::vector<GutterMark> marks) {
  sortAndDrop(marks, buffer_->lineCount(), [](const GutterMark& m) { return m.line; });
  decorations_.marks = std::move(marks);
  viewport()->update();
}

void TextView::setPlaces(std::vector<PlaceMark> places) {
  sortAndDrop(places, buffer_->lineCount(), [](const PlaceMark& m) { return m.line; });
  decorations_.places = std::move(places);
  viewport()->update();
}

void TextView::setDiffTones(std::vector<LineTone> lines, std::vector<WordTone> words) {
  sortAndDrop(lines, buffer_->lineCount(), [](const LineTone& t) { return t.line; });
  sortRanges(words, buffer_->size());
  decorations_.lineTones = std::move(lines);
  decorations_.wordTones = std::move(words);
  viewport()->update();
}

void TextView::setLit(std::vector<LitRange> ranges) {
  sortRanges(ranges, buffer_->size());
  decorations_.lit = std::move(ranges);
  viewport()->update();
}

void TextView::setSideNumbers(std::vector<SideNumbers> numbers) {
  numbers.resize(numbers.empty() ? 0 : buffer_->lineCount());
  sideNumbers_ = std::move(numbers);
  updateScrollBars();
  viewport()->update();
}

void TextView::setCurrentLine(std::optional<uint32_t> line) {
  if (line && *line >= buffer_->lineCount()) line.reset();
  currentLine_ = line;
  if (line) revealLine(*line);
  viewport()->update();
}

void TextView::setCallerLine(std::optional<uint32_t> line) {
  if (line && *line >= buffer_->lineCount()) line.reset();
  if (line == callerLine_) return;
  callerLine_ = line;
  viewport()->update();
}

void TextView::setSelectedId(uint64_t id) {
  selectedId_ = id;
  viewport()->update();
}

void TextView::setSelectedLine(std::optional<uint32_t> line) {
  if (line && *line >= buffer_->lineCount()) line.reset();
  if (line == selectedLine_) return;
  selectedLine_ = line;
  viewport()->update();
}

uint32_t TextView::caretLine() const { return buffer_->lineOf(caret_); }

void TextView::setCaret(uint32_t offset, bool keepAnchor) {
  caret_ = std::min(offset, buffer_->size());
  if (!keepAnchor) anchor_ = caret_;
  const uint32_t line = caretLine();
  caret_ = std::min(caret_, buffer_->lineEnd(line));
  unfoldAround(line);
  measureAround(rows_.rowOf(line));
  const int top = qRound(caretTop());
  QScrollBar* vertical = verticalScrollBar();
  if (top < vertical->value()) vertical->setValue(top);
  if (top + lineHeight_ > vertical->value() + viewport()->height())
    vertical->setValue(qCeil(top + lineHeight_) - viewport()->height());
  const qreal x = caretX();
  if (x < textLeft()) horizontalScrollBar()->setValue(qRound(horizontalScrollBar()->value() + x - textLeft()));
  if (x > valuesLeft() - charWidth_)
    horizontalScrollBar()->setValue(qCeil(horizontalScrollBar()->value() + x - valuesLeft() + charWidth_ * 2));
  setAccessibleDescription(tr("Line %1: %2").arg(line + 1).arg(shownText(buffer_->line(line).substr(0, 500))));
  viewport()->update();
  Q_EMIT caretMoved(line, caret_);
}

void TextView::goToLine(uint32_t line) {
  line = std::min(line, buffer_->lineCount() - 1);
  revealLine(line);
  setCaret(buffer_->lineStart(line));
}

void TextView::revealLine(uint32_t line) {
  unfoldAround(line);
  const uint32_t row = rows_.rowOf(line);
  measureAround(row);
  const qreal top = rowTop(row), bottom = top + std::min<qreal>(rowHeight(row), viewport()->height() / 2.0);
  const int value = verticalScrollBar()->value();
  const int height = viewport()->height();
  const qreal margin = std::min(kMarginLines * lineHeight_, std::max(0.0, (height - (bottom - top)) / 2));
  if (top >= value + margin && bottom + margin <= value + height) return;
  const bool near = bottom > value - margin && top < value + height + margin;
  const bool above = top < value + margin;
  const qreal wanted = !near ? top - (height - lineHeight_) / 3 : above ? top - margin : bottom + margin - height;
  verticalScrollBar()->setValue(qRound(wanted));
}

void TextView::revealHead(uint32_t line) {
  revealLine(line);
  const qreal top = rowTop(rows_.rowOf(line)), third = (viewport()->height() - lineHeight_) / 3;
  if (top - verticalScrollBar()->value() > third) verticalScrollBar()->setValue(qRound(top - third));
}

std::pair<uint32_t, uint32_t> TextView::selection() const { return std::minmax(caret_, anchor_); }

QString TextView::selectedText() const {
  const auto [begin, end] = selection();
  const std::string_view bytes = buffer_->text().substr(begin, end - begin);
  return views::qtText(bytes);
}

void TextView::selectAll() {
  anchor_ = 0;
  caret_ = buffer_->size();
  viewport()->update();
}

void TextView::copySelection() {
  const auto [begin, end] = selection();
  if (begin != end) return QGuiApplication::clipboard()->setText(selectedText());
  // Without a selection the line is meant.
  QGuiApplication::clipboard()->setText(shownText(buffer_->line(caretLine())) + QLatin1Char('\n'));
}

void TextView::activate(const Link* link, bool definition) {
  if (!link) return;
  if (definition) {
    Q_EMIT definitionRequested(link->id);
  } else {
    Q_EMIT linkActivated(link->id, link->role);
  }
}

const Link* TextView::targetAt(uint32_t offset) const {
  const Link* link = decorations_.linkAt(offset);
  return link && link->id ? link : nullptr;
}

void TextView::activateAtCaret() {
  const Link* link = targetAt(caret_);
  const uint32_t line = caretLine();
  activate(link ? link : decorations_.definitionIn(buffer_->lineStart(line), buffer_->lineEnd(line) + 1), false);
}

void TextView::moveToDefinition(int direction) {
  const auto& links = decorations_.links;
  const Link* target = nullptr;
  if (direction > 0) {
    auto it = std::find_if(links.begin(), links.end(),
                           [&](const Link& l) { return l.begin > caret_ && l.role == LinkRole::Definition; });
    if (it != links.end()) target = &*it;
  } else {
    auto it = std::find_if(links.rbegin(), links.rend(),
                           [&](const Link& l) { return l.begin < caret_ && l.role == LinkRole::Definition; });
    if (it != links.rend()) target = &*it;
  }
  if (!target) return;
  const Link found = *target;
  setCaret(found.begin);
  activate(&found, false);
}

QString TextView::tipAt(uint32_t offset) const {
  if (const Squiggle* squiggle = decorations_.squiggleAt(offset)) return squiggle->tip;
  if (const auto whole = shortenedAt(offset))
    return shownText(buffer_->text().substr(whole->first, whole->second - whole->first));
  return tipSource_ ? tipSource_(offset) : QString();
}

void TextView::showTipAtCaret() {
  QString tip = tipAt(caret_);
  const uint32_t line = caretLine();
  if (const LineNote* note = decorations_.noteOf(line); tip.isEmpty() && note) tip = note->tip;
  const QPointF at(caretX(), caretTop() + lineHeight_ - verticalScrollBar()->value());
  if (!tip.isEmpty()) QToolTip::showText(viewport()->mapToGlobal(at.toPoint()), plainTip(tip), viewport());
}

const FoldRegion* TextView::regionAt(uint32_t header) const {
  auto it = std::lower_bound(regions_.begin(), regions_.end(), header,
                             [](const FoldRegion& r, uint32_t line) { return r.header < line; });
  return it != regions_.end() && it->header == header ? &*it : nullptr;
}

void TextView::setFolded(uint32_t header, bool folded) {
  const FoldRegion* region = regionAt(header);
  if (!region || folded == folded_.contains(header)) return;
  if (folded) {
    folded_.insert(header);
    const uint32_t line = caretLine();
    if (line > header && line <= region->last) caret_ = anchor_ = buffer_->lineStart(header);
  } else {
    folded_.erase(header);
  }
  rebuildRows();
}

void TextView::foldAll() {
  for (const FoldRegion& region : regions_) folded_.insert(region.header);
  showFolded();
}

void TextView::setBlocks(std::vector<FoldRegion> blocks) {
  if (fixedRows_ || blocks.empty()) return;
  regions_ = withBlocks(std::move(regions_), std::move(blocks));
  viewport()->update();
}

bool TextView::hasBlocks() const {
  return std::any_of(regions_.begin(), regions_.end(),
                     [](const FoldRegion& region) { return !region.title.isEmpty(); });
}

void TextView::foldBlocks(const std::set<uint32_t>& open) {
  for (const FoldRegion& region : regions_) {
    if ((!region.title.isEmpty() || region.idle) && !open.contains(region.header)) folded_.insert(region.header);
  }
  showFolded();
}

/// The caret goes from a line that is hidden now to the one that stands for it, and what was in sight stays there.
void TextView::showFolded() {
  const Steady place = steadyPlace(viewport()->height());
  rebuildRows();
  restorePlace(place);
  const uint32_t shown = rows_.row(rows_.rowOf(caretLine())).line;
  if (shown != caretLine()) caret_ = anchor_ = buffer_->lineStart(shown);
}

void TextView::unfoldAll() {
  folded_.clear();
  rebuildRows();
}

void TextView::unfoldAround(uint32_t line) {
  if (folded_.empty()) return;
  bool changed = false;
  for (const FoldRegion& region : regions_) {
    if (region.header > line) break;
    // The header of a block is hidden with it.
    const bool hidden = region.header < line || !region.title.isEmpty();
    if (hidden && region.last >= line) changed |= folded_.erase(region.header) > 0;
  }
  if (changed) rebuildRows();
}

void TextView::openFind() {
  const auto [begin, end] = selection();
  const bool oneLine = begin != end && buffer_->lineOf(begin) == buffer_->lineOf(end);
  findBar_->openFind(oneLine ? selectedText() : QString());
  layoutFindBar();
}

void TextView::openGoToLine() {
  findBar_->openGoToLine(buffer_->lineCount(), caretLine());
  layoutFindBar();
}

void TextView::closeFind() {
  findBar_->hide();
  search_.reset();
  searchTimer_.stop();
  currentMatch_ = -1;
  setFocus();
  viewport()->update();
  Q_EMIT searchChanged();
}

void TextView::find(const QString& pattern, SearchOptions options) {
  searchPattern_ = pattern;
  searchOptions_ = options;
  search_ = std::make_unique<TextSearch>(buffer_, pattern, options);
  currentMatch_ = -1;
  selectFirstMatch_ = true;
  stepSearch();
  if (!search_->done()) searchTimer_.start();
}

void TextView::stepSearch() {
  if (!search_) return searchTimer_.stop();
  if (search_->step(kSearchSlice)) searchTimer_.stop();
  const auto& matches = search_->matches();
  if (selectFirstMatch_ && !matches.empty()) {
    const uint32_t from = selection().first;
    auto it = std::lower_bound(matches.begin(), matches.end(), from,
                               [](const TextMatch& m, uint32_t offset) { return m.begin < offset; });
    if (it != matches.end() || search_->done()) {
      selectFirstMatch_ = false;
      selectMatch(it == matches.end() ? 0 : static_cast<int>(it - matches.begin()));
    }
  }
  viewport()->update();
  Q_EMIT searchChanged();
}

int TextView::findAll(const QString& pattern, SearchOptions options) {
  find(pattern, options);
  while (!search_->done()) stepSearch();
  return static_cast<int>(search_->matches().size());
}

void TextView::findNext(int direction) {
  if (!search_) return openFind();
  const auto count = static_cast<int>(search_->matches().size());
  if (count == 0) return;
  selectMatch(currentMatch_ < 0 ? 0 : (currentMatch_ + direction + count) % count);
  Q_EMIT searchChanged();
}

void TextView::selectMatch(int index) {
  currentMatch_ = index;
  const TextMatch match = search_->matches()[static_cast<size_t>(index)];
  revealLine(buffer_->lineOf(match.begin));
  setCaret(match.begin);
  anchor_ = match.begin;
  setCaret(match.end, true);
  Q_EMIT caretMovedByUser(caretLine());
}

qreal TextView::numbersRight() const {
  // Between two columns there is as much room as a digit takes.
  return lineHeight_ * 0.9 + (sideNumbers_.empty() ? numberWidth() : numberWidth() * 2 + charWidth_);
}

qreal TextView::numberWidth() const {
  // A number of a side is at most that of the text both stand in.
  const auto digits = std::max<qsizetype>(3, QString::number(buffer_->lineCount()).size());
  return static_cast<qreal>(digits) * charWidth_;
}

qreal TextView::textLeft() const { return std::ceil(numbersRight() + lineHeight_ * 1.6); }

void TextView::layoutFindBar() {
  if (findBar_ && findBar_->isVisibleTo(this)) findBar_->placeIn(viewport()->geometry());
}

}  // namespace rx
