#include "views/shell/style.h"

#include <QApplication>
#include <QPalette>
#include <QWidget>

#include "views/shell/themed_style.h"
#include "views/theme/fonts.h"

namespace rx::views {

void markPrimary(QWidget* button) { button->setProperty("primary", true); }

QFont monospaceFont(const QFont& base) { return fixedFont(base); }

void applyStyle(const Palette& palette, const Fonts& fonts) {
  static const QFont kDesktop = QApplication::font();
  QFont font = kDesktop;
  if (!fonts.family.isEmpty()) font.setFamily(fonts.family);
  constexpr double kUsualSize = 9;
  font.setPointSizeF((kDesktop.pointSizeF() > 0 ? kDesktop.pointSizeF() : kUsualSize) * fonts.scale);
  setFixedFamily(fonts.fixedFamily);
  auto* style = dynamic_cast<ThemedStyle*>(QApplication::style());
  if (!style) {
    style = new ThemedStyle(palette);
    QApplication::setStyle(style);
  }
  style->setTheme(palette);
  // Each of these tells every widget, so neither is done where nothing changed.
  if (QApplication::palette() != palette.toQt()) QApplication::setPalette(palette.toQt());
  if (QApplication::font() != font) QApplication::setFont(font);
}

}  // namespace rx::views
