// views/theme: the colours of every view, in one struct per theme, and the colour of each kind of operator.
//
// Views take a `const Palette&` and keep a copy; they never ask the desktop for a colour, so that the text, the
// graph and the lists agree and every pair of text and ground can be checked for contrast in one place.
#pragma once

#include <QColor>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

class QPalette;

namespace rx {

/// What a binding does, seen from afar; it picks the colour in text, lists and graph alike.
enum class OpKind : uint8_t {
  Other,      ///< anything without a family
  Compute,    ///< call_tir, matmul, conv
  Movement,   ///< reshape, permute, concat, take
  Reduction,  ///< sum, max, softmax, norm
  Elementwise,
  Constant,
  Parameter,
  Tuple,
  Control,  ///< if, call of a function
  Impure,   ///< call_packed, print, debug hooks
  Memory,   ///< allocation and kill
  Output,
};
inline constexpr size_t kOpKindCount = 12;

/// Name of a kind for legends and accessible texts, in lower case ("data movement").
std::string_view opKindName(OpKind kind);

/// The mark that goes with a kind's colour wherever it is shown, so that a kind is never told by colour alone.
enum class KindMark : uint8_t { None, Square, TriangleRight, TriangleDown, Disc, Diamond, Dash };
KindMark kindMark(OpKind kind);

/// A line of the legend: the kinds that have a mark, in the order of the legend, and what the mark is called.
struct KindLegend {
  OpKind kind;
  const char* name;
};
std::array<KindLegend, 6> kindLegend();

/// One kind's colours: `line` for borders and marks, `ink` for words (legible on every ground of text), `fill` carries
/// `Palette::text`, `bar` is a solid area in charts and the timeline, which carries `Palette::text` too.
struct KindColors {
  QColor line, fill, bar, ink;
};

/// A theme. Every text colour has a contrast of at least 4.5 to 1 on the grounds that it is drawn on.
struct Palette {
  bool dark = false;
  // Grounds: `window` lies behind the panels, `panel` is the ground of bars, `base` that of a panel's content.
  QColor window, panel, base, raised, border, hover;
  // Text
  QColor text, grey, accent, onAccent, link;
  // Selection: the one selected thing, and what uses it.
  QColor selection, selectionText, use;
  // IR text tokens
  QColor keyword, type, string, number, comment, callee, decorator;
  // Lines of text; `currentLine` says "runs next" and nothing else.
  QColor currentLine, caretLine, dataflow, dataflowEdge, lineNumber, foldGuide;
  // States
  QColor error, errorFill, warning, warningFill, note, good, goodFill, breakpoint, breakpointOff, stale;
  // Search and difference
  QColor match, matchCurrent, added, addedWord, removed, removedWord, changed, changedWord, filler;
  std::array<KindColors, kOpKindCount> kinds;

  const KindColors& of(OpKind kind) const { return kinds[static_cast<size_t>(kind)]; }

  static const Palette& lightTheme();
  static const Palette& darkTheme();
  /// The theme for a window whose Qt palette is `palette` (dark when its base is darker than its text).
  static const Palette& forQt(const QPalette& palette);
  /// The same colours as a Qt palette, for the standard widgets of the window.
  QPalette toQt() const;
};

/// WCAG contrast ratio of two opaque colours, 1 to 21.
double contrastRatio(const QColor& a, const QColor& b);

/// A text colour and a ground that it is drawn on, by name: what the contrast test walks through.
struct ColorPair {
  const char* name;
  QColor text;
  QColor ground;
};
std::vector<ColorPair> textPairs(const Palette& palette);

}  // namespace rx
