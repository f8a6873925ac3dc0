// What a text view draws besides the text: plain data that a controller sets, each list sorted as stated.
#pragma once

#include <QString>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "core/support/diagnostic.h"
#include "views/theme/palette.h"

namespace rx {

class TextBuffer;

/// What a clickable range is to its id.
enum class LinkRole : uint8_t { Definition, Use, Callee };

/// A clickable byte range. All ranges of one id are marked together when one is selected or under the pointer.
/// Zero is "no id": such a range is coloured but can not be clicked. A range with a kind is written in the colour of
/// that kind of operator.
struct Link {
  uint32_t begin = 0;
  uint32_t end = 0;
  uint64_t id = 0;
  LinkRole role = LinkRole::Use;
  bool hasKind = false;
  OpKind kind = OpKind::Other;
};

enum class BandKind : uint8_t { Dataflow, Scope, Linked };

/// Lines `first` to `last` (zero-based, inclusive) that belong together: tinted as one block, with a bar in the colour
/// of a scope (views/theme/scope_look.h), or as what the selected line of another text became.
struct LineBand {
  uint32_t first = 0;
  uint32_t last = 0;
  BandKind kind = BandKind::Dataflow;
  int branch = -1;  ///< of a scope: which block of its owner it is
};

enum class MarkKind : uint8_t { Error, Warning, Note };

/// A wavy underline with its explanation.
struct Squiggle {
  uint32_t begin = 0;
  uint32_t end = 0;
  MarkKind kind = MarkKind::Error;
  QString tip;
};

MarkKind markOf(Severity severity);
/// From column to column of a line; columns count characters from 1 and are clipped to the line.
Squiggle squiggleIn(const TextBuffer& buffer, uint32_t line, int column, int endColumn);
/// Sorted; of those that overlap the first stays.
std::vector<Squiggle> apart(std::vector<Squiggle> squiggles);

enum class NoteRole : uint8_t {
  Grey,  ///< shape, type, range
  Chip,  ///< `n = 17`
  Error,
  Warning,
  Stale,  ///< a value of an earlier run or stage
};

struct NotePiece {
  QString text;
  NoteRole role = NoteRole::Grey;
  QString brief = {};   ///< where there is little room
  bool yields = false;  ///< left out where there is not even room for that: the line says something like it
};

/// What stands at the end of a line after the program ran over it.
struct LineNote {
  uint32_t line = 0;
  std::vector<NotePiece> pieces;
  QString tip;
};

/// Notes of lines, each made when it is first looked at: a run may have a value for every line of a long text.
class LineNotes {
 public:
  using Make = std::function<LineNote(uint32_t line)>;
  LineNotes() = default;
  /// Notes that are there already.
  explicit LineNotes(std::vector<LineNote> notes);
  /// Notes that `make` makes for these lines, which are sorted.
  LineNotes(std::vector<uint32_t> lines, Make make) : lines_(std::move(lines)), make_(std::move(make)) {}

  /// Says of lines that are asked for in their order whether they have a note.
  class Cursor {
   public:
    explicit Cursor(const std::vector<uint32_t>& lines) : lines_(lines) {}
    bool reaches(uint32_t line) {
      while (next_ < lines_.size() && lines_[next_] < line) ++next_;
      return next_ < lines_.size() && lines_[next_] == line;
    }

   private:
    const std::vector<uint32_t>& lines_;
    size_t next_ = 0;
  };

  bool empty() const { return lines_.empty(); }
  const std::vector<uint32_t>& lines() const { return lines_; }
  Cursor cursor() const { return Cursor(lines_); }
  /// Null for a line without a note.
  const LineNote* of(uint32_t line) const;
  /// Lets go of the notes of lines from `count` on.
  void dropBeyond(uint32_t count);

 private:
  std::vector<uint32_t> lines_;
  Make make_;
  mutable std::unordered_map<uint32_t, LineNote> made_;
};

enum class BreakpointState : uint8_t { Enabled, Disabled, Unbound, Conditional };

struct GutterMark {
  uint32_t line = 0;
  BreakpointState state = BreakpointState::Enabled;
  bool logs = false;  ///< it writes a message instead of stopping: a diamond, no disc
};

/// A bookmark beside a line; with words it is a note.
struct PlaceMark {
  uint32_t line = 0;
  QString text;
};

enum class DiffTone : uint8_t { Added, Removed, Changed };

struct LineTone {
  uint32_t line = 0;
  DiffTone tone = DiffTone::Changed;
};

/// Numbers of a line that stands in for lines of two other texts; 0 where it has none of that text.
struct SideNumbers {
  uint32_t left = 0;
  uint32_t right = 0;
};

struct WordTone {
  uint32_t begin = 0;
  uint32_t end = 0;
  DiffTone tone = DiffTone::Changed;
};

/// A range with light on it: what a search elsewhere found here.
struct LitRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// Sorted by line or by begin; ranges of one list do not overlap (links may touch).
struct TextDecorations {
  std::vector<Link> links;
  std::vector<LineBand> bands;
  std::vector<Squiggle> squiggles;
  LineNotes notes;
  std::vector<GutterMark> marks;
  std::vector<PlaceMark> places;
  std::vector<LineTone> lineTones;
  std::vector<WordTone> wordTones;
  std::vector<LitRange> lit;

  /// Range at a byte offset (its end included when nothing begins there), or null.
  const Link* linkAt(uint32_t offset) const;
  /// First definition in [begin, end), or null: what a click anywhere on a line means.
  const Link* definitionIn(uint32_t begin, uint32_t end) const;
  const Squiggle* squiggleAt(uint32_t offset) const;
  const LineNote* noteOf(uint32_t line) const;
  const GutterMark* markOf(uint32_t line) const;
  const PlaceMark* placeOf(uint32_t line) const;
  const LineBand* bandOf(uint32_t line) const;
  const LineTone* toneOf(uint32_t line) const;
};

}  // namespace rx
