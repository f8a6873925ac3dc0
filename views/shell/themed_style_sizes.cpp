#include <QAbstractItemView>
#include <QComboBox>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QStyleFactory>
#include <QStyleOption>
#include <QToolBar>
#include <algorithm>

#include "views/shell/themed_style.h"

namespace rx::views {
namespace {

constexpr int kBorder = 1;
constexpr int kMenuSeparator = 7;

QFontMetrics lettersOf(const QStyleOption* option, const QWidget* widget) {
  if (option) return option->fontMetrics;
  return widget ? widget->fontMetrics() : QFontMetrics(QFont());
}

int em(double number, const QFontMetrics& letters) { return qRound(number * letters.height()); }

}  // namespace

bool opensMenu(const QStyleOption* option) {
  const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
  return button && button->features.testFlag(QStyleOptionToolButton::HasMenu) &&
         !button->features.testFlag(QStyleOptionToolButton::MenuButtonPopup);
}

int menuArrowWidth(const QFontMetrics& letters) { return letters.height(); }

namespace {

QRect scrollBarPart(const QStyleOptionSlider& bar, QStyle::SubControl part, int least) {
  const bool across = bar.orientation == Qt::Horizontal;
  const int length = across ? bar.rect.width() : bar.rect.height();
  const qint64 range = qint64(bar.maximum) - bar.minimum;
  int handle = length;
  if (range > 0)
    handle = std::clamp(static_cast<int>(qint64(bar.pageStep) * length / (range + std::max(1, bar.pageStep))),
                        std::min(least, length), length);
  const int start =
      QStyle::sliderPositionFromValue(bar.minimum, bar.maximum, bar.sliderPosition, length - handle, bar.upsideDown);
  const auto piece = [&](int from, int to) {
    const QRect rect =
        across ? QRect(from, 0, to - from, bar.rect.height()) : QRect(0, from, bar.rect.width(), to - from);
    return QStyle::visualRect(bar.direction, bar.rect, rect.translated(bar.rect.topLeft()));
  };
  switch (part) {
    case QStyle::SC_ScrollBarGroove:
      return bar.rect;
    case QStyle::SC_ScrollBarSlider:
      return piece(start, start + handle);
    case QStyle::SC_ScrollBarSubPage:
      return piece(0, start);
    case QStyle::SC_ScrollBarAddPage:
      return piece(start + handle, length);
    default:
      return {};  // no buttons at the ends
  }
}

}  // namespace

TextSpace spaceOf(Spaced what, const QFontMetrics& letters) {
  struct Row {
    double across, along;  // in heights, in x-heights
    int border;
  };
  static constexpr Row kRows[] = {
      {0.6, 0.55, kBorder},  // Button
      {0.4, 0.5, kBorder},   // Field
      {1.8, 0.5, 0},         // MenuItem
      {0.7, 0.3, 0},         // MenuBarItem
      {0.6, 0.6, kBorder},   // Tab
      {0.4, 0.5, kBorder},   // HeaderSection
      {0.15, 0.35, 0},       // ListItem
  };
  const Row& row = kRows[static_cast<size_t>(what)];
  return {qRound(row.across * letters.height()) + row.border, qRound(row.along * letters.xHeight()) + row.border};
}

int ThemedStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
  const bool list = qobject_cast<const QAbstractItemView*>(widget) != nullptr;
  switch (metric) {
    case PM_DefaultFrameWidth:
      if (list) return isFramedList(widget) ? kBorder : 0;
      return qobject_cast<const QPlainTextEdit*>(widget) ? 2 * kBorder
                                                         : QProxyStyle::pixelMetric(metric, option, widget);
    case PM_ScrollBarExtent:
      return em(0.9, lettersOf(option, widget));
    case PM_ScrollBarSliderMin:
      return em(2, lettersOf(option, widget));
    case PM_DockWidgetSeparatorExtent:
      return 5;
    case PM_ToolBarItemSpacing:
    case PM_ToolBarItemMargin:
      return 4;
    case PM_ToolBarFrameWidth:
    case PM_ToolBarHandleExtent:
    case PM_MenuHMargin:
    case PM_MenuVMargin:
    case PM_MenuBarHMargin:
    case PM_MenuBarVMargin:
    case PM_MenuBarItemSpacing:
    case PM_TabBarTabOverlap:
    case PM_TabBarBaseOverlap:
    case PM_TabBarTabShiftVertical:
    case PM_TabBarTabShiftHorizontal:
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
    case PM_ButtonDefaultIndicator:
      return 0;
    case PM_ToolBarSeparatorExtent:
      return 7;
    case PM_MenuBarPanelWidth:
    case PM_MenuPanelWidth:
      return kBorder;
    case PM_ToolTipLabelFrameWidth:
      return 3;
    case PM_TabBarTabHSpace:
      return 2 * spaceOf(Spaced::Tab, lettersOf(option, widget)).across;
    case PM_TabBarTabVSpace:
      return 2 * spaceOf(Spaced::Tab, lettersOf(option, widget)).along;
    case PM_HeaderMargin:
      return spaceOf(Spaced::HeaderSection, lettersOf(option, widget)).across;
    default:
      return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

QSize ThemedStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                    const QWidget* widget) const {
  const QFontMetrics letters = lettersOf(option, widget);
  switch (type) {
    case CT_PushButton:
      return spaceOf(Spaced::Button, letters).around(size);
    case CT_ToolButton:
      if (isToolbarButton(widget)) return spaceOf(Spaced::Button, letters).around(size);
      if (opensMenu(option))
        return QProxyStyle::sizeFromContents(type, option, size + QSize(menuArrowWidth(letters), 0), widget);
      break;
    case CT_SpinBox:  // as high as the field in it, which is a line edit with its space
      return {QProxyStyle::sizeFromContents(type, option, size, widget).width(), size.height()};
    case CT_LineEdit:
      return spaceOf(Spaced::Field, letters).around(size);
    case CT_MenuBarItem:
      return spaceOf(Spaced::MenuBarItem, letters).around(size);
    case CT_MenuItem: {
      const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
      if (item && item->menuItemType == QStyleOptionMenuItem::Separator) return {size.width(), kMenuSeparator};
      return spaceOf(Spaced::MenuItem, letters).around({size.width(), letters.height()});
    }
    case CT_HeaderSection: {
      const TextSpace space = spaceOf(Spaced::HeaderSection, letters);
      const QSize base = QProxyStyle::sizeFromContents(type, option, size, widget);
      return {base.width(), std::max(letters.height() + 2 * space.along, base.height() - 2 * space.across)};
    }
    case CT_ItemViewItem:
      return spaceOf(Spaced::ListItem, letters).around(QProxyStyle::sizeFromContents(type, option, size, widget));
    case CT_TabBarTab:
      return size;
    default:
      break;
  }
  return QProxyStyle::sizeFromContents(type, option, size, widget);
}

QRect ThemedStyle::subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const {
  if (element == SE_ItemViewItemText || element == SE_ItemViewItemDecoration ||
      element == SE_ItemViewItemCheckIndicator) {
    const int across = spaceOf(Spaced::ListItem, option->fontMetrics).across;
    if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option)) {
      QStyleOptionViewItem inner = *item;
      inner.rect.adjust(across, 0, -across, 0);
      return QProxyStyle::subElementRect(element, &inner, widget);
    }
  }
  if (element == SE_LineEditContents) {
    const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
    if (!frame || frame->lineWidth <= 0) return QProxyStyle::subElementRect(element, option, widget);
    const int across = spaceOf(Spaced::Field, option->fontMetrics).across;
    return visualRect(option->direction, option->rect, option->rect.adjusted(across, kBorder, -across, -kBorder));
  }
  return QProxyStyle::subElementRect(element, option, widget);
}

QRect ThemedStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl part,
                                  const QWidget* widget) const {
  const auto* bar = control == CC_ScrollBar ? qstyleoption_cast<const QStyleOptionSlider*>(option) : nullptr;
  if (!bar) return QProxyStyle::subControlRect(control, option, part, widget);
  return scrollBarPart(*bar, part, pixelMetric(PM_ScrollBarSliderMin, option, widget));
}

int ThemedStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                           QStyleHintReturn* data) const {
  switch (hint) {
    case SH_DialogButtonBox_ButtonsHaveIcons:
    case SH_EtchDisabledText:
    case SH_ItemView_ActivateItemOnSingleClick:
    case SH_ScrollBar_Transient:
      return 0;
    case SH_ItemView_ShowDecorationSelected:
    case SH_MenuBar_MouseTracking:
    case SH_Menu_MouseTracking:
      return 1;
    default:
      return QProxyStyle::styleHint(hint, option, widget, data);
  }
}

}  // namespace rx::views
