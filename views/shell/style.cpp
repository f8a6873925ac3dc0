#include "views/shell/style.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>
#include <QWidget>

#include "views/shell/themed_style.h"

namespace rx::views {

void markPrimary(QWidget* button) { button->setProperty("primary", true); }

QFont monospaceFont(const QFont& base) {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPointSizeF(base.pointSizeF());
  font.setStyleHint(QFont::Monospace);
  return font;
}

void applyStyle(const Palette& palette, double textScale) {
  static const double kDesktopSize = QApplication::font().pointSizeF();
  QFont font = QApplication::font();
  font.setPointSizeF((kDesktopSize > 0 ? kDesktopSize : 9) * textScale);
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
