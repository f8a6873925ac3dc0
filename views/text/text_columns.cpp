// How text and values share the width of the text view, and what gives way where there is little of it: the long form
// of values, types, which move to the values as far as these leave room, with them half of the indentation, the end of
// the lines.
#include <algorithm>

#include "views/text/column_header.h"
#include "views/text/text_view.h"

namespace rx {
namespace {

constexpr qreal kWideColumns = 120;     // from which types are written whole
constexpr qreal kValueShare = 0.36;     // of the room, for values where the text needs the rest
constexpr qreal kCallColumns = 14;      // behind an operator's name, for the names of its inputs
constexpr qreal kLeastValue = 9;        // characters: no value is narrower
constexpr uint32_t kMostShape = 20;     // characters: what is longer ends in dots
constexpr uint32_t kDeepIndent = 4;     // columns a level: half of them are enough where there is little room
constexpr size_t kMostMeasured = 2000;  // operators that are looked at to see how far right they stand

}  // namespace

LineMetrics TextView::metricsOf(uint32_t line) const {
  const std::string_view text = buffer_->line(line);
  return {text, charWidth_, metrics_, shortenings(text)};
}

void TextView::setShortTypes(bool on) {
  shortTypes_ = on;
  updateScrollBars();
  viewport()->update();
}

void TextView::setNotesFollow(bool on) {
  notesFollow_ = on;
  updateScrollBars();
  viewport()->update();
}

void TextView::setLeftOut(std::function<std::vector<Shortening>(std::string_view line)> leftOut) {
  leftOut_ = std::move(leftOut);
  for (std::optional<Columns>& columns : columns_) columns.reset();
  viewport()->update();
}

std::vector<Shortening> TextView::shortenings(std::string_view line) const { return shortenedAs(typeForm(), line); }

/// The least indentation of its first lines tells a text that is indented deeply.
bool TextView::deeplyIndented() const {
  if (!deep_) {
    uint32_t least = UINT32_MAX;
    for (uint32_t line = 0; line < std::min<size_t>(buffer_->lineCount(), kMostMeasured); ++line) {
      const size_t blanks = buffer_->line(line).find_first_not_of(' ');
      if (blanks != std::string_view::npos && blanks > 0) least = std::min(least, static_cast<uint32_t>(blanks));
    }
    deep_ = least == kDeepIndent;
  }
  return *deep_;
}

std::vector<Shortening> TextView::shortenedAs(TypeForm form, std::string_view line) const {
  std::vector<Shortening> parts = typesAs(form, line);
  const auto blanks = static_cast<uint32_t>(std::min(line.find_first_not_of(' '), line.size()));
  if (form == TypeForm::Hidden && blanks >= kDeepIndent && deeplyIndented() &&
      (parts.empty() || parts[0].begin >= blanks))
    parts.insert(parts.begin(), {blanks / 2, blanks, {}});
  if (form == TypeForm::Whole || !leftOut_) return parts;
  const auto before = [](const Shortening& a, const Shortening& b) { return a.begin < b.begin; };
  for (Shortening& more : leftOut_(line)) {
    std::erase_if(parts, [&](const Shortening& part) { return more.begin <= part.begin && part.end <= more.end; });
    const auto at = std::upper_bound(parts.begin(), parts.end(), more, before);
    const bool free =
        (at == parts.end() || more.end <= at->begin) && (at == parts.begin() || (at - 1)->end <= more.begin);
    if (free) parts.insert(at, std::move(more));
  }
  return parts;
}

TypeForm TextView::typeForm() const {
  const qreal columns = (valuesLeft() - textLeft()) / charWidth_ - kCallColumns;
  if (!shortTypes_ || viewport()->width() >= kWideColumns * charWidth_) {
    const bool fits = !hasValues() || columnsAs(TypeForm::Whole).operators <= columns;
    if (!shortTypes_ || fits) return TypeForm::Whole;
  }
  // Types are left out for the sake of values alone: a text without values can be scrolled, and one that is wrapped has
  // room for all of it.
  const bool fits = wrapped_ || !hasValues() || columnsAs(TypeForm::Short).operators <= columns;
  return fits ? TypeForm::Short : TypeForm::Hidden;
}

const TextView::Columns& TextView::columnsAs(TypeForm form) const {
  std::optional<Columns>& known = columns_[static_cast<size_t>(form)];
  if (known) return *known;
  Columns most;
  const auto& links = decorations_.links;
  const size_t stride = links.size() / kMostMeasured + 1;
  for (size_t i = 0; i < links.size(); i += stride) {
    // Where only some are looked at, the next operator stands for what lies between.
    while (i < links.size() && !links[i].hasKind) ++i;
    if (i == links.size()) break;
    const uint32_t line = buffer_->lineOf(links[i].begin);
    const std::string_view text = buffer_->line(line);
    const uint32_t column = links[i].end - buffer_->lineStart(line);
    uint32_t before = 0, all = 0;
    for (const Shortening& part : shortenedAs(form, text)) {
      const uint32_t length = part.end - part.begin;
      const uint32_t saved = length - std::min(length, static_cast<uint32_t>(part.text.size()));
      all += saved;
      if (part.end <= column) before += saved;
    }
    most.operators = std::max(most.operators, column - before);
    most.lines = std::max(most.lines, static_cast<uint32_t>(text.size()) - all);
  }
  known = most;
  return *known;
}

qreal TextView::shapesWidth() const {
  if (!shapeColumns_) {
    qsizetype most = 0;
    const auto stride = static_cast<uint32_t>(buffer_->lineCount() / kMostMeasured + 1);
    for (uint32_t line = 0; line < buffer_->lineCount(); line += stride)
      most = std::max(most, shapeOf(buffer_->line(line)).size());
    shapeColumns_ = std::min(static_cast<uint32_t>(most), kMostShape);
  }
  return *shapeColumns_ == 0 ? 0 : (*shapeColumns_ + 1.5) * charWidth_;
}

bool TextView::typesMoved() const {
  if (!hasValues() || shapesWidth() <= 0 || typeForm() != TypeForm::Hidden) return false;
  return viewport()->width() - valuesLeft() >= (briefNote_ + 1) * charWidth_ + shapesWidth() - 1;
}

int TextView::valuesLeft() const {
  const int width = viewport()->width();
  if (!hasValues()) return width;
  const qreal room = width - textLeft();
  if (valueShare_ > 0) return width - qRound(room * valueShare_);
  // What gives way, in this order: the long form of values, types and half of the indentation, the end of the lines.
  const qreal full = (widestNote_ + 1) * charWidth_, brief = (briefNote_ + 1) * charWidth_;
  for (const TypeForm form : {TypeForm::Short, TypeForm::Hidden}) {
    const Columns& columns = columnsAs(shortTypes_ ? form : TypeForm::Whole);
    const qreal text = (columns.operators + kCallColumns) * charWidth_;
    // Shapes beside values are worth more than values in their long form.
    const qreal shapes = shortTypes_ && form == TypeForm::Hidden ? shapesWidth() : 0;
    // Nor are they wider than brief where a line would be cut for it.
    const qreal lines = (columns.lines + 1) * charWidth_;
    for (const qreal values : {full + shapes, brief + shapes, brief})
      if (text + values <= room)
        return width - qRound(std::clamp(room - lines, std::min(values, brief + shapes), values));
  }
  // No name of an operator is cut for the end of a value; where some are beyond all room, values keep theirs.
  const qreal least = kLeastValue * charWidth_;
  const qreal names = (columnsAs(shortTypes_ ? TypeForm::Hidden : TypeForm::Whole).operators + 1) * charWidth_;
  const qreal values = std::min(brief, std::max(room * kValueShare, least));
  return width - qRound(names + least <= room ? std::min(values, room - names) : values);
}

void TextView::setValueTitle(const QString& title) {
  if (header_->title() == title) return;
  header_->setTitle(title);
  layoutHeader();
}

void TextView::layoutHeader() {
  if (!header_) return;
  const bool shown = !header_->title().isEmpty();
  const int height = shown ? header_->sizeHint().height() : 0;
  if (viewportMargins().top() != height) setViewportMargins(0, height, 0, 0);
  header_->setVisible(shown);
  header_->setGeometry(0, 0, viewport()->width(), height);
}

std::optional<std::pair<uint32_t, uint32_t>> TextView::shortenedAt(uint32_t offset) const {
  const uint32_t line = buffer_->lineOf(offset);
  const uint32_t start = buffer_->lineStart(line);
  for (const Shortening& part : shortenings(buffer_->line(line)))
    if (offset >= start + part.begin && offset < start + part.end)
      return std::pair(start + part.begin, start + part.end);
  return std::nullopt;
}

const std::vector<uint32_t>& TextView::shownColumns() const {
  const TypeForm form = typeForm();
  if (!shownColumns_.empty() && columnsForm_ == form) return shownColumns_;
  columnsForm_ = form;
  shownColumns_.clear();
  for (uint32_t line = 0; line < buffer_->lineCount(); ++line) {
    const std::string_view text = buffer_->line(line);
    auto columns = static_cast<uint32_t>(text.size());
    for (const Shortening& part : typesAs(form, text))
      columns -= part.end - part.begin - std::min(part.end - part.begin, static_cast<uint32_t>(part.text.size()));
    shownColumns_.push_back(columns);
  }
  return shownColumns_;
}

/// The width where there is little room: brief forms, and without what yields.
qreal TextView::briefWidth(const LineNote& note) const {
  LineNote brief = note;
  const auto yields = [](const NotePiece& piece) { return piece.yields; };
  if (!std::all_of(brief.pieces.begin(), brief.pieces.end(), yields)) std::erase_if(brief.pieces, yields);
  for (NotePiece& piece : brief.pieces)
    if (!piece.brief.isEmpty()) piece.text = piece.brief;
  return noteWidth(brief);
}

qreal TextView::noteWidth(const LineNote& note) const {
  qreal characters = 1;
  for (const NotePiece& piece : note.pieces)
    characters += static_cast<qreal>(piece.text.size()) + (piece.role == NoteRole::Chip ? 2.7 : 1.5);
  return characters * charWidth_;
}

}  // namespace rx
