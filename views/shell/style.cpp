#include "views/shell/style.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPainter>
#include <QPalette>
#include <QProxyStyle>
#include <QStyle>
#include <QStyleFactory>
#include <QStyleOption>
#include <QWidget>
#include <algorithm>

namespace rx::views {
namespace {

// Sizes are in em and ex of the text, so that text scale and screen scale keep the proportions.
const char* const kSheet = R"(
QMainWindow::separator { background: @border; width: 3px; height: 3px; }
QMainWindow::separator:hover { background: @accent; }
QMenuBar { background: @panel; border-bottom: 1px solid @border; padding: 1px; }
QMenuBar::item { padding: 0.3ex 0.7em; background: transparent; }
QMenuBar::item:selected, QMenu::item:selected { background: @selection; color: @selectionText; }
QMenu { background: @raised; border: 1px solid @border; }
QMenu::item { padding: 0.5ex 2em 0.5ex 1.6em; }
QMenu::item:disabled { color: @grey; }
QMenu::separator { height: 1px; background: @border; margin: 3px 6px; }
QToolBar { background: @panel; border: none; border-bottom: 1px solid @border; spacing: 4px; padding: 3px 5px; }
QToolBar::separator { background: @border; width: 1px; margin: 4px 3px; }
QToolBar QToolButton, QPushButton { background: @raised; border: 1px solid @border; border-radius: 4px;
  padding: 0.55ex 0.6em; color: @text; }
QToolBar QToolButton:hover, QPushButton:hover { background: @hover; border-color: @accent; }
QToolBar QToolButton:focus, QPushButton:focus { border: 2px solid @accent; }
QToolBar QToolButton:pressed, QPushButton:pressed { background: @selection; }
QToolBar QToolButton:disabled, QPushButton:disabled { color: @grey; background: @panel; }
QToolBar QToolButton:checked { background: @selection; color: @selectionText; }
QToolBar QToolButton[primary="true"]:enabled, QPushButton[primary="true"]:enabled { background: @accent; color: @onAccent;
  border-color: @accent; }
QTabBar { background: @window; }
QTabBar::tab { background: @window; color: @grey; border: none; border-top: 2px solid transparent; padding: 0.6ex 0.8em; }
QTabBar::tab:selected { background: @base; color: @text; border-top: 2px solid @accent; }
QTabBar::tab:hover { color: @text; background: @hover; }
QTreeView, QTableView, QListView { background: @base; border: none; selection-background-color: @selection;
  selection-color: @selectionText; outline: none; }
QTreeView::item, QTableView::item, QListView::item { padding: 0.35ex 0.15em; }
QHeaderView { background: @base; }
QHeaderView::section { background: @base; color: @grey; border: none; border-bottom: 1px solid @border;
  padding: 0.5ex 0.4em; }
QLineEdit, QPlainTextEdit { background: @base; color: @text; border: 1px solid @border; border-radius: 4px;
  padding: 0.5ex 0.4em; selection-background-color: @selection; selection-color: @selectionText; }
QLineEdit:focus, QPlainTextEdit:focus { border-color: @accent; }
QStatusBar { background: @panel; border-top: 1px solid @border; }
QStatusBar::item { border: none; }
QToolTip { background: @raised; color: @text; border: 1px solid @border; padding: 2px; }
QSplitter::handle { background: @border; }
QScrollBar:vertical { background: @base; width: 0.9em; margin: 0; }
QScrollBar:horizontal { background: @base; height: 0.9em; margin: 0; }
QScrollBar::handle { background: @border; border-radius: 3px; margin: 2px; min-width: 2em; min-height: 2em; }
QScrollBar::handle:hover { background: @grey; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: none; }
QProgressBar { border: 1px solid @border; border-radius: 3px; background: @base; text-align: center; color: @text; }
QProgressBar::chunk { background: @selection; }
)";

QString styleSheet(const Palette& palette) {
  const std::pair<const char*, QColor> colors[] = {
      {"@selectionText", palette.selectionText},
      {"@selection", palette.selection},
      {"@onAccent", palette.onAccent},
      {"@accent", palette.accent},
      {"@border", palette.border},
      {"@window", palette.window},
      {"@raised", palette.raised},
      {"@hover", palette.hover},
      {"@panel", palette.panel},
      {"@grey", palette.grey},
      {"@text", palette.text},
      {"@base", palette.base},
  };
  QString sheet = QString::fromLatin1(kSheet);
  for (const auto& [name, color] : colors) sheet.replace(QLatin1String(name), color.name());
  return sheet;
}

/// What the base style draws for light windows only. Buttons of dialogs are words, since the desktop's pictures of
/// crosses and ticks follow no theme; boxes and fields have a border that is seen on dark ground too.
class ThemedStyle : public QProxyStyle {
 public:
  using QProxyStyle::QProxyStyle;

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
    if (element != PE_IndicatorCheckBox && element != PE_IndicatorItemViewItemCheck)
      return QProxyStyle::drawPrimitive(element, option, painter, widget);
    const Palette& theme = Palette::forQt(option->palette);
    const QRectF box = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(option->state & State_HasFocus ? theme.accent : theme.grey);
    painter->setBrush(theme.base);
    painter->drawRoundedRect(box, 2, 2);
    if (option->state & State_On) {
      const double side = box.width();
      painter->setPen(QPen(theme.text, std::max(1.5, side / 8)));
      painter->drawPolyline(QPolygonF({{box.left() + side * 0.22, box.top() + side * 0.52},
                                       {box.left() + side * 0.42, box.top() + side * 0.74},
                                       {box.left() + side * 0.80, box.top() + side * 0.26}}));
    }
    painter->restore();
  }

  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                          const QWidget* widget) const override {
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (control != CC_SpinBox && control != CC_ComboBox) return;
    const Palette& theme = Palette::forQt(option->palette);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(option->state & State_HasFocus ? theme.accent : theme.border);
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter->restore();
  }

  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* data) const override {
    return hint == SH_DialogButtonBox_ButtonsHaveIcons ? 0 : QProxyStyle::styleHint(hint, option, widget, data);
  }
};

}  // namespace

void markPrimary(QWidget* button) {
  button->setProperty("primary", true);
  button->style()->unpolish(button);
  button->style()->polish(button);
}

QFont monospaceFont(const QFont& base) {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPointSizeF(base.pointSizeF());
  font.setStyleHint(QFont::Monospace);
  return font;
}

void applyStyle(QApplication& application, const Palette& palette, double textScale) {
  static const double kDesktopSize = QApplication::font().pointSizeF();
  QFont font = QApplication::font();
  font.setPointSizeF((kDesktopSize > 0 ? kDesktopSize : 9) * textScale);
  const QString sheet = styleSheet(palette);
  // Each of these has every widget made up anew, so none is done where nothing changed.
  if (application.styleSheet().isEmpty()) application.setStyle(new ThemedStyle(QStyleFactory::create("Fusion")));
  if (QApplication::palette() != palette.toQt()) QApplication::setPalette(palette.toQt());
  if (QApplication::font() != font) QApplication::setFont(font);
  if (application.styleSheet() != sheet) application.setStyleSheet(sheet);
}

}  // namespace rx::views
