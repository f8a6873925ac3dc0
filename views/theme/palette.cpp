#include "views/theme/palette.h"

#include <QPalette>
#include <cmath>

namespace rx {
namespace {

constexpr std::array<std::string_view, kOpKindCount> kKindNames = {
    "other",     "compute", "data movement", "reduction", "elementwise", "constant",
    "parameter", "tuple",   "control flow",  "impure",    "memory",      "output",
};

QColor rgb(unsigned value) { return QColor::fromRgb(value); }
KindColors pair(unsigned line, unsigned fill) { return {rgb(line), rgb(fill)}; }

Palette makeLight() {
  Palette p;
  p.window = rgb(0xf1f3f5), p.panel = rgb(0xf6f7f9), p.base = rgb(0xffffff), p.raised = rgb(0xffffff);
  p.border = rgb(0xc9ced6), p.hover = rgb(0xe9edf3);
  p.text = rgb(0x1b1f24), p.grey = rgb(0x626b75), p.accent = rgb(0x1a63c6), p.onAccent = rgb(0xffffff);
  p.link = rgb(0x1a63c6);
  p.selection = rgb(0xcfe1f8), p.selectionText = rgb(0x1b1f24), p.sameBinding = rgb(0xe2e9f3);
  p.keyword = rgb(0x8a1fa8), p.type = rgb(0x7a4b00), p.string = rgb(0x7a4b00), p.number = rgb(0x0b6158);
  p.comment = rgb(0x626b75), p.callee = rgb(0x1a63c6), p.decorator = rgb(0x8a1fa8);
  p.currentLine = rgb(0xfff4ce), p.caretLine = rgb(0xf3f5f8), p.dataflow = rgb(0xf3f8ff);
  p.dataflowEdge = rgb(0xb9d2f2), p.lineNumber = rgb(0x626b75), p.foldGuide = rgb(0xdfe3e8);
  p.error = rgb(0xb3261e), p.errorFill = rgb(0xfde7e5), p.warning = rgb(0x7a4b00), p.warningFill = rgb(0xfff1d6);
  p.note = rgb(0x1a63c6), p.good = rgb(0x116329), p.goodFill = rgb(0xdcf5e3);
  p.breakpoint = rgb(0xb3261e), p.breakpointOff = rgb(0x626b75), p.stale = rgb(0x626b75);
  p.match = rgb(0xffe28a), p.matchCurrent = rgb(0xffb454);
  p.added = rgb(0xe6f6ea), p.addedWord = rgb(0xb4e6c2), p.removed = rgb(0xfdebea), p.removedWord = rgb(0xf9c6c2);
  p.changed = rgb(0xfff6e0), p.changedWord = rgb(0xffdf9c), p.filler = rgb(0xf1f3f5);
  p.kinds = {pair(0x57606a, 0xf2f4f6), pair(0x1a63c6, 0xe4effc), pair(0x1a7f37, 0xe6f6ea), pair(0x8a3fb5, 0xf3e9fa),
             pair(0x0b6e75, 0xe0f4f5), pair(0x8a5a00, 0xfff1d6), pair(0x57606a, 0xeef0f3), pair(0x5b5fc7, 0xecedfb),
             pair(0x9a3f6b, 0xfbe9f1), pair(0xb3261e, 0xffffff), pair(0x5d6b2f, 0xf0f4e0), pair(0x1b1f24, 0xe9edf3)};
  return p;
}

Palette makeDark() {
  Palette p;
  p.dark = true;
  p.window = rgb(0x17191d), p.panel = rgb(0x1d2025), p.base = rgb(0x14161a), p.raised = rgb(0x262a31);
  p.border = rgb(0x3a404a), p.hover = rgb(0x2a2f37);
  p.text = rgb(0xe4e7eb), p.grey = rgb(0xa6afb9), p.accent = rgb(0x6cb0ff), p.onAccent = rgb(0x0c1a2b);
  p.link = rgb(0x6cb0ff);
  p.selection = rgb(0x274468), p.selectionText = rgb(0xf2f5f8), p.sameBinding = rgb(0x2b3440);
  p.keyword = rgb(0xd59bf0), p.type = rgb(0xe5c07b), p.string = rgb(0xe5c07b), p.number = rgb(0x6fd0c2);
  p.comment = rgb(0xa6afb9), p.callee = rgb(0x6cb0ff), p.decorator = rgb(0xd59bf0);
  p.currentLine = rgb(0x4a4117), p.caretLine = rgb(0x1e2228), p.dataflow = rgb(0x1a2433);
  p.dataflowEdge = rgb(0x35527a), p.lineNumber = rgb(0x8f99a4), p.foldGuide = rgb(0x2d333b);
  p.error = rgb(0xff8f86), p.errorFill = rgb(0x42201e), p.warning = rgb(0xffd48a), p.warningFill = rgb(0x3d2e12);
  p.note = rgb(0x6cb0ff), p.good = rgb(0x7fd99a), p.goodFill = rgb(0x18351f);
  p.breakpoint = rgb(0xff7066), p.breakpointOff = rgb(0x9aa4ae), p.stale = rgb(0x9aa4ae);
  p.match = rgb(0x5c4a12), p.matchCurrent = rgb(0x8a5a00);
  p.added = rgb(0x16291c), p.addedWord = rgb(0x245c36), p.removed = rgb(0x331c1b), p.removedWord = rgb(0x6b2a27);
  p.changed = rgb(0x2e2614), p.changedWord = rgb(0x5f4a17), p.filler = rgb(0x1b1e23);
  p.kinds = {pair(0xa8b1bb, 0x252930), pair(0x6cb0ff, 0x17293f), pair(0x6fcf8a, 0x172c1e), pair(0xcf9bf0, 0x2a1f36),
             pair(0x62ccd2, 0x132b2d), pair(0xf0b95a, 0x33270f), pair(0xa8b1bb, 0x23272d), pair(0xa9acf5, 0x22243c),
             pair(0xf09abf, 0x351c28), pair(0xff8a80, 0x14161a), pair(0xbccb7c, 0x272b18), pair(0xe4e7eb, 0x2a2f37)};
  return p;
}

double luminance(const QColor& color) {
  auto channel = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF()) + 0.0722 * channel(color.blueF());
}

}  // namespace

std::string_view opKindName(OpKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

const Palette& Palette::lightTheme() {
  static const Palette palette = makeLight();
  return palette;
}

const Palette& Palette::darkTheme() {
  static const Palette palette = makeDark();
  return palette;
}

const Palette& Palette::forQt(const QPalette& palette) {
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
      {"text on window", p.text, p.window},
      {"grey on window", p.grey, p.window},
      {"grey on panel", p.grey, p.panel},
      {"line number on panel", p.lineNumber, p.panel},
      {"on accent", p.onAccent, p.accent},
      {"selection", p.selectionText, p.selection},
      {"error on its fill", p.error, p.errorFill},
      {"warning on its fill", p.warning, p.warningFill},
      {"good on its fill", p.good, p.goodFill},
      {"text on match", p.text, p.match},
      {"text on current match", p.text, p.matchCurrent},
      {"text on changed word", p.text, p.changedWord},
      {"text on added word", p.text, p.addedWord},
      {"text on removed word", p.text, p.removedWord},
  };
  const std::pair<const char*, QColor> inks[] = {{"text", p.text},       {"grey", p.grey},     {"keyword", p.keyword},
                                                 {"type", p.type},       {"string", p.string}, {"number", p.number},
                                                 {"comment", p.comment}, {"callee", p.callee}, {"error", p.error},
                                                 {"warning", p.warning}, {"accent", p.accent}};
  for (const QColor& ground : {p.base, p.dataflow, p.currentLine, p.caretLine})
    for (const auto& [name, ink] : inks) pairs.push_back({name, ink, ground});
  for (const KindColors& kind : p.kinds) {
    pairs.push_back({"operator kind on text ground", kind.line, p.base});
    pairs.push_back({"text on operator kind", p.text, kind.fill});
    pairs.push_back({"grey on operator kind", p.grey, kind.fill});
  }
  return pairs;
}

}  // namespace rx
