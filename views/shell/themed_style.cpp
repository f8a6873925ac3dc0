#include "views/shell/themed_style.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QListView>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>

#include "views/theme/icons.h"

namespace rx::views {
namespace {

constexpr double kRadius = 4;

/// Keeps the painter's state for as long as something is drawn.
struct Drawing {
  explicit Drawing(QPainter* with) : painter(with) {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
  }
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;
  ~Drawing() { painter->restore(); }
  QPainter* painter;
};

void drawBox(QPainter* painter, const QRect& rect, const QBrush& fill, const QColor& line, double width,
             double radius) {
  const Drawing drawing(painter);
  const double half = width / 2;
  painter->setPen(QPen(line, width));
  painter->setBrush(fill);
  painter->drawRoundedRect(QRectF(rect).adjusted(half, half, -half, -half), radius, radius);
}

void fill(QPainter* painter, const QRect& rect, const QColor& color) { painter->fillRect(rect, color); }

void fillWithBottomLine(QPainter* painter, const QRect& rect, const QColor& color, const QColor& line) {
  fill(painter, rect, color);
  fill(painter, {rect.left(), rect.bottom(), rect.width(), 1}, line);
}

void drawTick(QPainter* painter, const QRectF& box, const QColor& color) {
  const double side = box.width();
  painter->setPen(QPen(color, std::max(1.5, side / 8)));
  painter->drawPolyline(QPolygonF({{box.left() + side * 0.22, box.top() + side * 0.52},
                                   {box.left() + side * 0.42, box.top() + side * 0.74},
                                   {box.left() + side * 0.80, box.top() + side * 0.26}}));
}

void drawCheckBox(const Palette& theme, const QStyleOption* option, QPainter* painter) {
  const QRectF box = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
  const Drawing drawing(painter);
  painter->setPen(option->state & QStyle::State_HasFocus ? theme.accent : theme.grey);
  painter->setBrush(theme.base);
  painter->drawRoundedRect(box, 2, 2);
  if (option->state & QStyle::State_On) drawTick(painter, box, theme.text);
}

struct ButtonColors {
  QColor fill, text, line;
};

ButtonColors buttonColors(const Palette& theme, const QStyleOption* option, const QWidget* widget) {
  const QStyle::State state = option->state;
  const bool focused = state & QStyle::State_HasFocus;
  const bool hovered = state & QStyle::State_MouseOver;
  if (!(state & QStyle::State_Enabled)) return {theme.panel, theme.grey, theme.border};
  if (widget && widget->property("primary").toBool())
    return {theme.accent, theme.onAccent, focused ? theme.text : theme.accent};
  const QColor line = focused || hovered ? theme.accent : theme.border;
  if (state & (QStyle::State_Sunken | QStyle::State_On)) return {theme.selection, theme.selectionText, line};
  return {hovered ? theme.hover : theme.raised, theme.text, line};
}

void drawButton(const Palette& theme, const QStyleOption* option, QPainter* painter, const QWidget* widget) {
  const ButtonColors colors = buttonColors(theme, option, widget);
  const bool focused = (option->state & QStyle::State_HasFocus) && (option->state & QStyle::State_Enabled);
  drawBox(painter, option->rect, colors.fill, colors.line, focused ? 2 : 1, kRadius);
}

/// The line on top of the selected tab says whether the focus is there; `elsewhere` is set on a bar where it is not.
void drawTab(const Palette& theme, const QStyleOption* option, QPainter* painter, const QWidget* bar) {
  const bool selected = option->state & QStyle::State_Selected;
  const bool hovered = option->state & QStyle::State_MouseOver;
  fill(painter, option->rect, selected ? theme.base : hovered ? theme.hover : theme.window);
  if (selected) fill(painter, {option->rect.left(), option->rect.top(), option->rect.width(), 2},
                     bar && bar->property("elsewhere").toBool() ? theme.border : theme.accent);
}

void drawMenuItem(const QStyle& style, const Palette& theme, const QStyleOptionMenuItem& item, QPainter* painter,
                  const QWidget* widget) {
  const QRect rect = item.rect;
  fill(painter, rect, theme.raised);
  if (item.menuItemType == QStyleOptionMenuItem::Separator)
    return fill(painter, {rect.left() + 6, rect.center().y(), rect.width() - 12, 1}, theme.border);
  const bool enabled = item.state & QStyle::State_Enabled;
  const bool selected = enabled && (item.state & QStyle::State_Selected);
  if (selected) fill(painter, rect, theme.selection);
  const Drawing drawing(painter);
  const QColor ink = !enabled ? theme.grey : selected ? theme.selectionText : theme.text;
  const int space = spaceOf(Spaced::MenuItem, item.fontMetrics).across;
  const auto place = [&](const QRect& at) { return QStyle::visualRect(item.direction, rect, at); };
  if (item.checkType != QStyleOptionMenuItem::NotCheckable && item.checked) {
    const int side = item.fontMetrics.ascent();
    drawTick(painter, place({rect.left() + (space - side) / 2, rect.center().y() - side / 2, side, side}), ink);
  }
  painter->setFont(item.font);
  painter->setPen(ink);
  const int mnemonic =
      style.styleHint(QStyle::SH_UnderlineShortcut, &item, widget) ? Qt::TextShowMnemonic : Qt::TextHideMnemonic;
  const int flags = Qt::AlignVCenter | Qt::TextSingleLine | Qt::TextDontClip | mnemonic;
  const QRect middle = rect.adjusted(space, 0, -space / 2, 0);
  const qsizetype tab = item.text.indexOf('\t');
  painter->drawText(place(middle), flags | Qt::AlignLeft, item.text.left(tab));
  if (tab >= 0) painter->drawText(place(middle), flags | Qt::AlignRight, item.text.mid(tab + 1));
  if (item.menuItemType != QStyleOptionMenuItem::SubMenu) return;
  QStyleOption arrow = item;
  arrow.rect = place({rect.right() - space * 2 / 3, rect.top(), space / 2, rect.height()});
  arrow.palette.setColor(QPalette::Text, ink);
  const bool mirrored = item.direction == Qt::RightToLeft;
  style.drawPrimitive(mirrored ? QStyle::PE_IndicatorArrowLeft : QStyle::PE_IndicatorArrowRight, &arrow, painter,
                      widget);
}

void drawMenuBarItem(const QStyle& style, const Palette& theme, const QStyleOptionMenuItem& item, QPainter* painter,
                     const QWidget* widget) {
  const bool selected = (item.state & QStyle::State_Selected) && (item.state & QStyle::State_Enabled);
  fill(painter, item.rect, selected ? theme.selection : theme.panel);
  const int mnemonic =
      style.styleHint(QStyle::SH_UnderlineShortcut, &item, widget) ? Qt::TextShowMnemonic : Qt::TextHideMnemonic;
  painter->setPen(!(item.state & QStyle::State_Enabled) ? theme.grey : selected ? theme.selectionText : theme.text);
  painter->drawText(item.rect, Qt::AlignCenter | Qt::TextSingleLine | Qt::TextDontClip | mnemonic, item.text);
}

void drawScrollBar(const QStyle& style, const Palette& theme, const QStyleOptionSlider& bar, QPainter* painter,
                   const QWidget* widget) {
  fill(painter, bar.rect, theme.base);
  if (bar.maximum <= bar.minimum) return;
  const bool hovered = (bar.state & QStyle::State_MouseOver) && (bar.activeSubControls & QStyle::SC_ScrollBarSlider);
  const QRect handle = style.subControlRect(QStyle::CC_ScrollBar, &bar, QStyle::SC_ScrollBarSlider, widget);
  const QColor color = hovered || (bar.state & QStyle::State_Sunken) ? theme.grey : theme.border;
  drawBox(painter, handle.adjusted(2, 2, -2, -2), color, color, 1, 3);
}

void drawProgressText(const Palette& theme, const QStyleOptionProgressBar& bar, QPainter* painter) {
  if (!bar.textVisible) return;
  painter->setPen(theme.text);
  painter->drawText(bar.rect, Qt::AlignCenter | Qt::TextSingleLine, bar.text);
}

void drawProgress(const Palette& theme, const QStyleOptionProgressBar& bar, QPainter* painter) {
  const qint64 range = qint64(bar.maximum) - bar.minimum;
  if (range <= 0) return;
  const QRect inside = bar.rect.adjusted(1, 1, -1, -1);
  const int width = static_cast<int>(inside.width() * (qint64(bar.progress) - bar.minimum) / range);
  fill(painter, QStyle::visualRect(bar.direction, inside, {inside.left(), inside.top(), width, inside.height()}),
       theme.selection);
}

/// The selected row of a list or tree, focused or not: the fill and a bar at the left edge of the view.
void drawRow(const Palette& theme, const QStyleOption* option, QPainter* painter) {
  constexpr int kBar = 4;
  const bool selected = option->state & QStyle::State_Selected;
  const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option);
  if (selected) {
    fill(painter, option->rect, theme.selection);
  } else if (item && item->backgroundBrush.style() != Qt::NoBrush) {
    painter->fillRect(option->rect, item->backgroundBrush);
  } else if (option->state & QStyle::State_MouseOver) {
    fill(painter, option->rect, theme.hover);
  }
  if (selected && option->rect.left() <= 0) fill(painter, {0, option->rect.top(), kBar, option->rect.height()}, theme.accent);
}

bool isInsideOther(const QWidget* widget) {
  const QWidget* parent = widget ? widget->parentWidget() : nullptr;
  return qobject_cast<const QComboBox*>(parent) || qobject_cast<const QAbstractSpinBox*>(parent);
}

/// The choice that is shown, with dots where it is longer than its field.
QStyleOptionComboBox elidedBox(const QStyle& style, const QStyleOptionComboBox& box, const QWidget* widget) {
  QStyleOptionComboBox elided = box;
  const QRect room = style.subControlRect(QStyle::CC_ComboBox, &box, QStyle::SC_ComboBoxEditField, widget);
  const int beside = box.currentIcon.isNull() ? 2 : box.iconSize.width() + 6;
  elided.currentText = box.fontMetrics.elidedText(box.currentText, Qt::ElideRight, room.width() - beside);
  return elided;
}

QStyleOptionHeader headerLabel(const QStyle& style, const Palette& theme, const QStyleOptionHeader& option,
                               const QWidget* widget) {
  QStyleOptionHeader header = option;
  header.palette.setColor(QPalette::ButtonText, theme.grey);
  header.palette.setColor(QPalette::WindowText, theme.grey);
  // The base style keeps the margin of the sides above and below too, where there is no room for it.
  const int margin = style.pixelMetric(QStyle::PM_HeaderMargin, &option, widget);
  header.rect.adjust(0, -margin, 0, margin);
  header.state &= ~QStyle::State_On;  // which would draw the header of the selected cell bold
  // The header elides to the section; the margins of this style are wider than it knows.
  header.text = header.fontMetrics.elidedText(header.text, Qt::ElideRight, header.rect.width());
  return header;
}

}  // namespace

bool isFramedList(const QWidget* widget) {
  return qobject_cast<const QAbstractItemView*>(widget) && qobject_cast<const QDialog*>(widget->window());
}

bool isToolbarButton(const QWidget* widget) {
  return qobject_cast<const QToolButton*>(widget) && qobject_cast<const QToolBar*>(widget->parentWidget());
}

ThemedStyle::ThemedStyle(const Palette& theme) : QProxyStyle(QStyleFactory::create("Fusion")), theme_(&theme) {}

void ThemedStyle::polish(QWidget* widget) {
  QProxyStyle::polish(widget);
  // On a screen of 125 % a label begins between two pixels, and the lowest row of its letters, where a "_" is drawn,
  // would fall out of it.
  if (qobject_cast<QLabel*>(widget) && widget->contentsMargins().isNull()) widget->setContentsMargins(0, 0, 0, 1);
  if (qobject_cast<QTabBar*>(widget)) widget->setAttribute(Qt::WA_Hover);
}

/// Letters are a fraction of a pixel higher than their rounded height, for which the lowest row of them would be cut.
void ThemedStyle::drawItemText(QPainter* painter, const QRect& rect, int flags, const QPalette& palette, bool enabled,
                               const QString& text, QPalette::ColorRole role) const {
  const QRect room = flags & Qt::AlignVCenter ? rect.adjusted(0, -1, 0, 1) : rect;
  QProxyStyle::drawItemText(painter, room, flags, palette, enabled, text, role);
}

QIcon ThemedStyle::standardIcon(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const {
  struct Row {
    StandardPixmap which;
    const char* name;
  };
  static constexpr Row kRows[] = {{SP_DirIcon, "folder"},
                                  {SP_DirOpenIcon, "folder"},
                                  {SP_DirClosedIcon, "folder"},
                                  {SP_DirLinkIcon, "folder"},
                                  {SP_DirHomeIcon, "folder"},
                                  {SP_ComputerIcon, "folder"},
                                  {SP_DesktopIcon, "folder"},
                                  {SP_DriveHDIcon, "folder"},
                                  {SP_FileIcon, "file"},
                                  {SP_FileLinkIcon, "file"},
                                  {SP_FileDialogToParent, "up"},
                                  {SP_FileDialogNewFolder, "plus"},
                                  {SP_FileDialogDetailedView, "table"},
                                  {SP_FileDialogListView, "log"},
                                  {SP_FileDialogBack, "previous"},
                                  {SP_ArrowBack, "previous"},
                                  {SP_ArrowLeft, "previous"},
                                  {SP_ArrowForward, "next"},
                                  {SP_ArrowRight, "next"},
                                  {SP_LineEditClearButton, "close"},
                                  {SP_MessageBoxInformation, "info"},
                                  {SP_MessageBoxQuestion, "help"},
                                  {SP_MessageBoxWarning, "warning"},
                                  {SP_MessageBoxCritical, "error"}};
  for (const Row& row : kRows)
    if (row.which == which) return icon(row.name);
  return QProxyStyle::standardIcon(which, option, widget);
}

void ThemedStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                const QWidget* widget) const {
  const Palette& theme = *theme_;
  const bool list = qobject_cast<const QAbstractItemView*>(widget) != nullptr;
  const bool focused = option->state & State_HasFocus;
  switch (element) {
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
      return drawCheckBox(theme, option, painter);
    case PE_PanelButtonCommand:
      return drawButton(theme, option, painter, widget);
    case PE_PanelButtonTool:
      if (isToolbarButton(widget)) return drawButton(theme, option, painter, widget);
      break;
    case PE_PanelItemViewRow:
    case PE_PanelItemViewItem:
      if (!qobject_cast<const QTreeView*>(widget) && !qobject_cast<const QListView*>(widget)) break;
      return drawRow(theme, option, painter);
    case PE_IndicatorTabClose:
      if (option->state & State_MouseOver) drawBox(painter, option->rect, theme.hover, theme.border, 1, kRadius);
      return icon("close", theme).paint(painter, option->rect.adjusted(2, 2, -2, -2));
    case PE_PanelLineEdit: {
      const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
      if (isInsideOther(widget) || !frame) break;
      if (frame->lineWidth <= 0) {
        // Without a frame it has a line below while it has the focus.
        QProxyStyle::drawPrimitive(element, option, painter, widget);
        if (focused)
          fill(painter, {option->rect.left(), option->rect.bottom() - 1, option->rect.width(), 2}, theme.accent);
        return;
      }
      return drawBox(painter, option->rect, theme.base, focused ? theme.accent : theme.border, 1, kRadius);
    }
    case PE_Frame:
      if (!list || isFramedList(widget))
        drawBox(painter, option->rect, Qt::NoBrush, focused ? theme.accent : theme.border, 1, kRadius);
      return;
    case PE_FrameFocusRect:
      if (list) return;
      break;
    case PE_IndicatorDockWidgetResizeHandle: {
      // The edges of the panels on both sides, and the ground between them.
      const bool upright = option->rect.height() > option->rect.width();
      fill(painter, option->rect, theme.border);
      return fill(painter, upright ? option->rect.adjusted(1, 0, -1, 0) : option->rect.adjusted(0, 1, 0, -1),
                  option->state & State_MouseOver ? theme.accent : theme.window);
    }
    case PE_IndicatorToolBarSeparator: {
      const QRect& rect = option->rect;
      return fill(painter, {rect.center().x(), rect.top() + 4, 1, rect.height() - 8}, theme.border);
    }
    case PE_PanelMenuBar:
      return fillWithBottomLine(painter, option->rect, theme.panel, theme.border);
    case PE_PanelStatusBar:
      fill(painter, option->rect, theme.panel);
      return fill(painter, {option->rect.left(), option->rect.top(), option->rect.width(), 1}, theme.border);
    case PE_FrameTabBarBase:
    case PE_FrameStatusBarItem:
      return;
    case PE_PanelMenu:
      return fill(painter, option->rect, theme.raised);
    case PE_FrameMenu:
      return drawBox(painter, option->rect, Qt::NoBrush, theme.border, 1, 0);
    case PE_PanelTipLabel:
      return drawBox(painter, option->rect, theme.raised, theme.border, 1, 0);
    case PE_PanelScrollAreaCorner:
      return fill(painter, option->rect, theme.base);
    default:
      break;
  }
  QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void ThemedStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                              const QWidget* widget) const {
  const Palette& theme = *theme_;
  switch (element) {
    case CE_PushButton:
      drawControl(CE_PushButtonBevel, option, painter, widget);
      return drawControl(CE_PushButtonLabel, option, painter, widget);
    case CE_PushButtonBevel:
      return drawButton(theme, option, painter, widget);
    case CE_PushButtonLabel: {
      QStyleOptionButton button = *qstyleoption_cast<const QStyleOptionButton*>(option);
      button.palette.setColor(QPalette::ButtonText, buttonColors(theme, option, widget).text);
      button.state &= ~State_HasFocus;
      return QProxyStyle::drawControl(element, &button, painter, widget);
    }
    case CE_ComboBoxLabel: {
      const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
      if (!box || box->editable) break;
      const QStyleOptionComboBox elided = elidedBox(*this, *box, widget);
      return QProxyStyle::drawControl(element, &elided, painter, widget);
    }
    case CE_ToolButtonLabel: {
      QStyleOptionToolButton button = *qstyleoption_cast<const QStyleOptionToolButton*>(option);
      if (isToolbarButton(widget)) {
        button.palette.setColor(QPalette::ButtonText, buttonColors(theme, option, widget).text);
      } else if (button.toolButtonStyle == Qt::ToolButtonTextOnly || button.icon.isNull()) {
        button.text = button.fontMetrics.elidedText(button.text, Qt::ElideRight, button.rect.width(),
                                                    Qt::TextShowMnemonic);
      }
      return QProxyStyle::drawControl(element, &button, painter, widget);
    }
    case CE_TabBarTabShape:
      return drawTab(theme, option, painter, widget);
    case CE_TabBarTabLabel: {
      QStyleOptionTab tab = *qstyleoption_cast<const QStyleOptionTab*>(option);
      const bool lit = tab.state & (State_Selected | State_MouseOver);
      tab.palette.setColor(QPalette::WindowText, lit ? theme.text : theme.grey);
      return QProxyStyle::drawControl(element, &tab, painter, widget);
    }
    case CE_HeaderSection:
    case CE_HeaderEmptyArea:
      return fillWithBottomLine(painter, option->rect, theme.base, theme.border);
    case CE_HeaderLabel: {
      const QStyleOptionHeader header =
          headerLabel(*this, theme, *qstyleoption_cast<const QStyleOptionHeader*>(option), widget);
      return QProxyStyle::drawControl(element, &header, painter, widget);
    }
    case CE_MenuItem:
      if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option))
        return drawMenuItem(*this, theme, *item, painter, widget);
      break;
    case CE_MenuBarItem:
      if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option))
        return drawMenuBarItem(*this, theme, *item, painter, widget);
      break;
    case CE_MenuBarEmptyArea:
    case CE_MenuEmptyArea:
      return fill(painter, option->rect, element == CE_MenuBarEmptyArea ? theme.panel : theme.raised);
    case CE_ToolBar:
      return fillWithBottomLine(painter, option->rect, theme.panel, theme.border);
    case CE_Splitter:
      return fill(painter, option->rect, option->state & State_MouseOver ? theme.accent : theme.border);
    case CE_ProgressBarGroove:
      return drawBox(painter, option->rect, theme.base, theme.border, 1, 3);
    case CE_ProgressBarContents:
    case CE_ProgressBarLabel: {
      const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option);
      if (!bar) break;
      if (element == CE_ProgressBarLabel) return drawProgressText(theme, *bar, painter);
      if (bar->maximum == bar->minimum) break;  // Fusion's moving stripes, where the length is not known
      return drawProgress(theme, *bar, painter);
    }
    default:
      break;
  }
  QProxyStyle::drawControl(element, option, painter, widget);
}

/// The arrow stands behind the text, in the room that the size of the button has for it.
void ThemedStyle::drawMenuButton(const QStyleOptionToolButton& button, QPainter* painter,
                                 const QWidget* widget) const {
  QStyleOptionToolButton ground = button;
  ground.features &= ~QStyleOptionToolButton::HasMenu;
  QStyleOptionToolButton label = ground;
  ground.text.clear();
  ground.icon = QIcon();
  QProxyStyle::drawComplexControl(CC_ToolButton, &ground, painter, widget);
  const int arrow = menuArrowWidth(button.fontMetrics), side = button.fontMetrics.ascent();
  label.rect = visualRect(button.direction, button.rect, button.rect.adjusted(0, 0, -arrow, 0));
  drawControl(CE_ToolButtonLabel, &label, painter, widget);
  const QRect place(button.rect.right() - arrow, button.rect.center().y() - side / 2, side, side);
  icon("down", *theme_)
      .paint(painter, visualRect(button.direction, button.rect, place), Qt::AlignCenter,
             button.state & State_Enabled ? QIcon::Normal : QIcon::Disabled);
}

void ThemedStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                                     const QWidget* widget) const {
  const Palette& theme = *theme_;
  if (control == CC_ScrollBar) {
    if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option))
      return drawScrollBar(*this, theme, *bar, painter, widget);
  }
  if (control == CC_ToolButton && isToolbarButton(widget)) {
    drawButton(theme, option, painter, widget);
    return drawControl(CE_ToolButtonLabel, option, painter, widget);
  }
  if (control == CC_ToolButton && opensMenu(option)) {
    drawMenuButton(*qstyleoption_cast<const QStyleOptionToolButton*>(option), painter, widget);
  } else {
    QProxyStyle::drawComplexControl(control, option, painter, widget);
  }
  // A flat button has no frame that could say it.
  if (control == CC_ToolButton && option->state & State_HasFocus)
    return drawBox(painter, option->rect, Qt::NoBrush, theme.accent, 2, kRadius);
  if (control != CC_SpinBox && control != CC_ComboBox) return;
  // Fusion's border is not seen on dark ground.
  drawBox(painter, option->rect, Qt::NoBrush, option->state & State_HasFocus ? theme.accent : theme.border, 1, 3);
}

}  // namespace rx::views
