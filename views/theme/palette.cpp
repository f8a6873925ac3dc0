#include "views/theme/palette.h"

#include <QCoreApplication>
#include <QPalette>
#include <QPointer>
#include <QThread>
#include <cmath>

#include "views/theme/kind_family.h"
#include "views/theme/own_colors.h"

namespace rx {
namespace {

constexpr std::array<std::string_view, kOpKindCount> kKindNames = {
    "other",     "compute", "data movement", "reduction", "elementwise", "constant",
    "parameter", "tuple",   "control flow",  "impure",    "memory",      "output",
};

QColor rgb(unsigned value) { return QColor::fromRgb(value); }

constexpr std::array<KindFamily, kOpKindCount> kFamilyOf = {
    Plain,     // Other
    Compute,   // Compute
    Movement,  // Movement
    Reduction, Elementwise, Constant,
    Plain,     // Parameter
    Movement,  // Tuple: taking an element moves data, or nothing
    Plain,     // Control
    Machine,   // Impure
    Machine,   // Memory
    Plain,     // Output
};
struct FamilyColors {
  unsigned line, fill, bar, ink;
};

std::array<KindColors, kOpKindCount> kindsOf(const std::array<FamilyColors, kKindFamilies>& families) {
  std::array<KindColors, kOpKindCount> kinds;
  for (size_t i = 0; i < kOpKindCount; ++i) {
    const FamilyColors& colors = families[kFamilyOf[i]];
    kinds[i] = {rgb(colors.line), rgb(colors.fill), rgb(colors.bar), rgb(colors.ink)};
  }
  return kinds;
}

Palette makeLight() {
  Palette p;
  p.window = rgb(0xe9ecef), p.panel = rgb(0xf6f7f9), p.base = rgb(0xffffff), p.raised = rgb(0xffffff);
  p.border = rgb(0xcfd4da), p.hover = rgb(0xeef1f5);
  p.text = rgb(0x1f2328), p.grey = rgb(0x57606a), p.accent = rgb(0x1a63c6), p.onAccent = rgb(0xffffff);
  p.link = rgb(0x1a63c6);
  p.selection = rgb(0xd6e6fb), p.selectionText = rgb(0x1f2328), p.use = rgb(0xeaf2fd);
  p.keyword = rgb(0x8a2da5), p.type = rgb(0x7a4b00), p.string = rgb(0x7a4b00), p.number = rgb(0x0b6158);
  p.comment = rgb(0x57606a), p.callee = rgb(0x1a63c6), p.decorator = rgb(0x8a2da5);
  p.currentLine = rgb(0xfff4ce), p.caretLine = rgb(0xf6f7f9), p.dataflow = rgb(0xf5f9ff);
  p.dataflowEdge = rgb(0xb9d2f2), p.lineNumber = rgb(0x57606a), p.foldGuide = rgb(0xdfe3e8);
  p.error = rgb(0xb3261e), p.errorFill = rgb(0xfdecea), p.warning = rgb(0x7a4b00), p.warningFill = rgb(0xfff1d6);
  p.note = rgb(0x1a63c6), p.good = rgb(0x146c2e), p.goodFill = rgb(0xe3f4e6);
  p.breakpoint = rgb(0xb3261e), p.breakpointOff = rgb(0x57606a), p.stale = rgb(0x57606a);
  p.match = rgb(0xffe28a), p.matchCurrent = rgb(0xffb454);
  p.added = rgb(0xe3f4e6), p.addedWord = rgb(0xb4e6c2), p.removed = rgb(0xfdecea), p.removedWord = rgb(0xf9c6c2);
  p.changed = rgb(0xfff6e0), p.changedWord = rgb(0xffdf9c), p.filler = rgb(0xf1f3f5);
  p.kinds = kindsOf({{{0x1a63c6, 0xe6f0fd, 0x8db8ee, 0x1a63c6},
                      {0x146c2e, 0xe8f5ee, 0x93cfa8, 0x146c2e},
                      {0x8a2da5, 0xf3e8fb, 0xc99bdc, 0x8a2da5},
                      {0x0b6f7a, 0xe1f4f5, 0x82c7cd, 0x0b6f7a},
                      {0x7a4b00, 0xfff5dc, 0xe3c07b, 0x7a4b00},
                      {0x6a737d, 0xf1f3f5, 0xc4cad1, 0x57606a},
                      {0x57606a, 0xf6f7f9, 0xc4cad1, 0x1f2328}}});
  return p;
}

Palette makeDark() {
  Palette p;
  p.dark = true;
  p.window = rgb(0x101317), p.panel = rgb(0x20252b), p.base = rgb(0x191d22), p.raised = rgb(0x20252b);
  p.border = rgb(0x3a424b), p.hover = rgb(0x2a3038);
  p.text = rgb(0xe3e7ec), p.grey = rgb(0xa8b2bc), p.accent = rgb(0x6cb0ff), p.onAccent = rgb(0x0c1a2b);
  p.link = rgb(0x6cb0ff);
  p.selection = rgb(0x1d3d63), p.selectionText = rgb(0xe3e7ec), p.use = rgb(0x1a2b40);
  p.keyword = rgb(0xd3a4ff), p.type = rgb(0xffd48a), p.string = rgb(0xffd48a), p.number = rgb(0x6fd0c2);
  p.comment = rgb(0xa8b2bc), p.callee = rgb(0x6cb0ff), p.decorator = rgb(0xd3a4ff);
  p.currentLine = rgb(0x4a4117), p.caretLine = rgb(0x20252b), p.dataflow = rgb(0x1a2433);
  p.dataflowEdge = rgb(0x35527a), p.lineNumber = rgb(0xa8b2bc), p.foldGuide = rgb(0x2d333b);
  p.error = rgb(0xff948b), p.errorFill = rgb(0x43201d), p.warning = rgb(0xffd48a), p.warningFill = rgb(0x3d2e12);
  p.note = rgb(0x6cb0ff), p.good = rgb(0x7ddc97), p.goodFill = rgb(0x16351f);
  p.breakpoint = rgb(0xff948b), p.breakpointOff = rgb(0xa8b2bc), p.stale = rgb(0xa8b2bc);
  p.match = rgb(0x5c4a12), p.matchCurrent = rgb(0x8a5a00);
  p.added = rgb(0x16351f), p.addedWord = rgb(0x245c36), p.removed = rgb(0x43201d), p.removedWord = rgb(0x6b2a27);
  p.changed = rgb(0x2e2614), p.changedWord = rgb(0x5f4a17), p.filler = rgb(0x14171b);
  p.kinds = kindsOf({{{0x6cb0ff, 0x17293f, 0x31669f, 0x6cb0ff},
                      {0x74d693, 0x172c1e, 0x2f6b43, 0x74d693},
                      {0xd3a4ff, 0x2a1f36, 0x6b4486, 0xd3a4ff},
                      {0x66d3db, 0x132b2d, 0x1f666d, 0x66d3db},
                      {0xffd48a, 0x33270f, 0x6e5320, 0xffd48a},
                      {0xa8b2bc, 0x252930, 0x4a525b, 0xa8b2bc},
                      {0xa8b2bc, 0x20252b, 0x4a525b, 0xe3e7ec}}});
  return p;
}

double luminance(const QColor& color) {
  auto channel = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF()) + 0.0722 * channel(color.blueF());
}

}  // namespace

KindFamily familyOf(OpKind kind) { return kFamilyOf[static_cast<size_t>(kind)]; }

std::string_view opKindName(OpKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

KindMark kindMark(OpKind kind) {
  static constexpr std::array<KindMark, kKindFamilies> kMarks = {
      KindMark::Square,  KindMark::TriangleRight, KindMark::TriangleDown, KindMark::Disc,
      KindMark::Diamond, KindMark::Dash,          KindMark::None};
  return kMarks[kFamilyOf[static_cast<size_t>(kind)]];
}

std::array<KindLegend, 6> kindLegend() {
  return {{{OpKind::Compute, "compute"},
           {OpKind::Movement, "data movement"},
           {OpKind::Reduction, "reduction"},
           {OpKind::Elementwise, "elementwise"},
           {OpKind::Constant, "constant"},
           {OpKind::Memory, "machine"}}};
}

const Palette& plainTheme(bool dark) {
  static const Palette light = makeLight(), night = makeDark();
  return dark ? night : light;
}

namespace {

/// What the application draws with.
struct ShownThemes : QObject {
  using QObject::QObject;
  Palette light = plainTheme(false), night = plainTheme(true);
};

}  // namespace

Palette* shownTheme(bool dark) {
  static QPointer<ShownThemes> shown;  // of the application that there is: its child
  QCoreApplication* app = QCoreApplication::instance();
  if (!shown && app && QThread::currentThread() == app->thread()) shown = new ShownThemes(app);
  if (!shown) return nullptr;
  return dark ? &shown->night : &shown->light;
}

const Palette& Palette::lightTheme() {
  const Palette* shown = shownTheme(false);
  return shown ? *shown : plainTheme(false);
}

const Palette& Palette::darkTheme() {
  const Palette* shown = shownTheme(true);
  return shown ? *shown : plainTheme(true);
}

const Palette& Palette::forQt(const QPalette& palette) {
  // Own colours may make a light theme darker than its text.
  const auto is = [&](const Palette& theme) {
    return palette.color(QPalette::Base) == theme.base && palette.color(QPalette::Text) == theme.text;
  };
  if (is(lightTheme()) != is(darkTheme())) return is(lightTheme()) ? lightTheme() : darkTheme();
  const bool isDark = luminance(palette.color(QPalette::Base)) < luminance(palette.color(QPalette::Text));
  return isDark ? darkTheme() : lightTheme();
}

QPalette Palette::toQt() const {
  QPalette qt;
  const std::pair<QPalette::ColorRole, QColor> rows[] = {
      {QPalette::Window, window},
      {QPalette::WindowText, text},
      {QPalette::Base, base},
      {QPalette::AlternateBase, panel},
      {QPalette::Text, text},
      {QPalette::Button, raised},
      {QPalette::ButtonText, text},
      {QPalette::BrightText, error},
      {QPalette::Highlight, selection},
      {QPalette::Link, link},
      {QPalette::HighlightedText, selectionText},
      {QPalette::LinkVisited, link},
      {QPalette::ToolTipBase, raised},
      {QPalette::ToolTipText, text},
      {QPalette::Mid, border},
      {QPalette::Midlight, hover},
      {QPalette::Dark, border},
      {QPalette::Light, raised},
      {QPalette::PlaceholderText, grey},
      {QPalette::Shadow, border},
  };
  for (const auto& [role, color] : rows) qt.setColor(role, color);
  for (auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
    qt.setColor(QPalette::Disabled, role, grey);
  return qt;
}

double contrastRatio(const QColor& a, const QColor& b) {
  const double la = luminance(a), lb = luminance(b);
  return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

std::vector<ColorPair> textPairs(const Palette& p) {
  std::vector<ColorPair> pairs = {
      {"on accent", p.onAccent, p.accent},
      {"selected text", p.selectionText, p.selection},
      {"error on its fill", p.error, p.errorFill},
      {"warning on its fill", p.warning, p.warningFill},
      {"good on its fill", p.good, p.goodFill},
      {"text on match", p.text, p.match},
      {"text on current match", p.text, p.matchCurrent},
      {"text on changed word", p.text, p.changedWord},
      {"text on added word", p.text, p.addedWord},
      {"text on removed word", p.text, p.removedWord},
  };
  const auto cross = [&pairs](const std::vector<ColorPair>& inks, const std::vector<QColor>& grounds) {
    for (const QColor& ground : grounds)
      for (const ColorPair& ink : inks) pairs.push_back({ink.name, ink.text, ground});
  };
  const std::vector<ColorPair> words = {{"text", p.text, {}}, {"grey", p.grey, {}},   {"accent", p.accent, {}},
                                        {"link", p.link, {}}, {"error", p.error, {}}, {"warning", p.warning, {}},
                                        {"good", p.good, {}}};
  cross(words, {p.window, p.panel, p.base, p.raised, p.hover, p.selection, p.use, p.currentLine, p.dataflow});
  cross({{"text", p.text, {}}, {"grey", p.grey, {}}}, {p.errorFill, p.warningFill, p.goodFill});
  std::vector<ColorPair> tokens = {{"keyword", p.keyword, {}},     {"type", p.type, {}},
                                   {"string", p.string, {}},       {"number", p.number, {}},
                                   {"comment", p.comment, {}},     {"callee", p.callee, {}},
                                   {"decorator", p.decorator, {}}, {"line number", p.lineNumber, {}}};
  for (const KindColors& kind : p.kinds) tokens.push_back({"name of an operator kind", kind.ink, {}});
  cross(tokens, {p.base, p.dataflow, p.currentLine, p.caretLine, p.selection, p.use});
  for (const KindColors& kind : p.kinds) {
    pairs.push_back({"text on operator kind", p.text, kind.fill});
    pairs.push_back({"grey on operator kind", p.grey, kind.fill});
    pairs.push_back({"text on bar", p.text, kind.bar});
  }
  return pairs;
}

}  // namespace rx
