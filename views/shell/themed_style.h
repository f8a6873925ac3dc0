// How the standard widgets look: Fusion with the colours of a theme, flat panels and sizes in proportion to the text.
//
// A style and no style sheet: after a change of theme Qt then only repaints, where a style sheet has it match every
// rule with every widget again, shown or not, which is ten times the work.
#pragma once

#include <QProxyStyle>

#include "views/theme/palette.h"

namespace rx::views {

/// Draws with the theme that it was given last. The property `primary` of a button marks the one that goes on.
class ThemedStyle : public QProxyStyle {
 public:
  explicit ThemedStyle(const Palette& theme);
  void setTheme(const Palette& theme) { theme_ = &theme; }
  const Palette& theme() const { return *theme_; }

  void polish(QWidget* widget) override;
  void drawItemText(QPainter* painter, const QRect& rect, int flags, const QPalette& palette, bool enabled,
                    const QString& text, QPalette::ColorRole role) const override;
  /// The window's own icons where Qt's dialogs ask for some.
  QIcon standardIcon(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                          const QWidget* widget) const override;
  // Sizes: themed_style_sizes.cpp
  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                         const QWidget* widget) const override;
  QRect subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const override;
  QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                       const QWidget* widget) const override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* data) const override;

 private:
  using QProxyStyle::polish;
  void drawMenuButton(const QStyleOptionToolButton& button, QPainter* painter, const QWidget* widget) const;
  const Palette* theme_;  ///< one of the two themes, which last as long as the program
};

/// The empty space around the text of a thing, in pixels: from the height and the x-height of its letters.
struct TextSpace {
  int across = 0;
  int along = 0;
  QSize around(const QSize& text) const { return text + QSize(2 * across, 2 * along); }
};
enum class Spaced : uint8_t { Button, Field, MenuItem, MenuBarItem, Tab, HeaderSection, ListItem };
TextSpace spaceOf(Spaced what, const QFontMetrics& letters);

/// Whether `widget` is a list in a dialog, which has a line around it; those of panels fill their panel.
bool isFramedList(const QWidget* widget);

/// Whether `widget` is a button of a tool bar, which has a frame; other tool buttons have none.
bool isToolbarButton(const QWidget* widget);

/// Whether a click on a tool button opens its menu, which an arrow says, as wide as `menuArrowWidth`.
bool opensMenu(const QStyleOption* option);
int menuArrowWidth(const QFontMetrics& letters);

}  // namespace rx::views
