// The texts that a window paints, and what of each can be seen: for tests that none is cut off and none lies on
// another. Every widget paints itself once more, onto a device that keeps nothing but its texts.
#pragma once

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QScrollBar>
#include <QStringList>
#include <QTabBar>
#include <QWidget>
#include <cmath>
#include <vector>

namespace rx::test {

struct PaintedText {
  QWidget* widget = nullptr;
  QString text;
  QRectF rect;  // of the letters, in the widget
  QRectF clip;  // what the painter was told to keep to
};

class TextEngine : public QPaintEngine {
 public:
  TextEngine() : QPaintEngine(QPaintEngine::AllFeatures) {}
  bool begin(QPaintDevice*) override { return true; }
  bool end() override { return true; }
  Type type() const override { return User; }
  void updateState(const QPaintEngineState&) override {}
  void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
  void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override {}
  void drawPath(const QPainterPath&) override {}
  void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
  void drawTextItem(const QPointF& at, const QTextItem& item) override {
    if (item.text().trimmed().isEmpty() || painter()->pen().style() == Qt::NoPen) return;
    const QTransform place = painter()->combinedTransform();
    // Blanks at the ends are no letters.
    const double letters = item.width() * item.text().trimmed().size() / item.text().size();
    const QRectF rect(at.x(), at.y() - item.ascent(), letters, item.ascent() + item.descent());
    const QRectF everywhere(-1e6, -1e6, 2e6, 2e6);
    texts.push_back({widget, item.text().trimmed(), place.mapRect(rect),
                     painter()->hasClipping() ? place.mapRect(painter()->clipBoundingRect()) : everywhere});
  }
  QWidget* widget = nullptr;
  std::vector<PaintedText> texts;
};

class TextDevice : public QPaintDevice {
 public:
  QPaintEngine* paintEngine() const override { return &engine; }
  mutable TextEngine engine;

 protected:
  int metric(PaintDeviceMetric what) const override {
    constexpr int kSide = 20'000, kDpi = 96;
    switch (what) {
      case PdmWidth:
      case PdmHeight:
      case PdmWidthMM:
      case PdmHeightMM:
        return kSide;
      case PdmDpiX:
      case PdmDpiY:
      case PdmPhysicalDpiX:
      case PdmPhysicalDpiY:
        return kDpi;
      case PdmDepth:
        return 32;
      case PdmDevicePixelRatio:
        return 1;
      default:
        return QPaintDevice::metric(what);
    }
  }
};

/// What the visible widgets of a window paint, each by itself.
inline std::vector<PaintedText> paintedTexts(QWidget* window) {
  TextDevice device;
  QList<QWidget*> widgets = window->findChildren<QWidget*>();
  widgets.prepend(window);
  for (QWidget* widget : widgets) {
    if (!widget->isVisible() || widget->isWindow() != (widget == window) || widget->visibleRegion().isEmpty()) continue;
    device.engine.widget = widget;
    widget->render(&device, {}, QRegion(widget->rect()), QWidget::RenderFlags());
  }
  return device.engine.texts;
}

/// Whether a part of the widget, or of what it stands in, can be brought into sight in that direction.
inline bool scrolls(const QWidget* widget, Qt::Orientation way) {
  if (widget->inherits("rx::GraphCanvas")) return true;  // it is dragged
  for (const QWidget* at = widget; at && !at->isWindow(); at = at->parentWidget()) {
    const auto* area = qobject_cast<const QAbstractScrollArea*>(at->parentWidget());
    if (!area || (area->viewport() != at && !qobject_cast<const QHeaderView*>(at))) continue;
    const QScrollBar* bar = way == Qt::Horizontal ? area->horizontalScrollBar() : area->verticalScrollBar();
    if (bar->maximum() > bar->minimum() || way == Qt::Vertical) return true;
  }
  return false;
}

/// Part of a message or card, which stands over the panels.
inline bool isAbove(const QWidget* widget) {
  for (const QWidget* at = widget; at; at = at->parentWidget())
    if (at->objectName() == "toast" || at->objectName() == "outcomeCard") return true;
  return false;
}

inline QString nameOf(const PaintedText& text) {
  QString path;
  for (const QWidget* at = text.widget; at && path.count('/') < 4; at = at->parentWidget())
    path.prepend('/' +
                 (at->objectName().isEmpty() ? QString::fromLatin1(at->metaObject()->className()) : at->objectName()));
  return QStringLiteral("\"%1\" in %2").arg(text.text, path);
}

/// The rows of its letters that matter: without what is above and below most of them.
inline QRectF core(const QRectF& rect) { return rect.adjusted(0, rect.height() * 0.25, 0, -rect.height() * 0.25); }

/// Texts that are cut without dots, that have dots and no tip, and pairs that lie on each other.
inline QStringList textFaults(QWidget* window) {
  constexpr double kSlack = 1.5;
  QStringList faults;
  std::vector<std::pair<QRectF, const PaintedText*>> onTop;
  const std::vector<PaintedText> texts = paintedTexts(window);
  for (const PaintedText& one : texts) {
    const QRectF seen = one.clip.intersected(QRectF(one.widget->visibleRegion().boundingRect()));
    const QRectF letters = core(one.rect);
    const bool rows = letters.center().y() > seen.top() && letters.center().y() < seen.bottom();
    if (!rows && scrolls(one.widget, Qt::Vertical)) continue;
    // Tabs are squeezed beyond their dots where there are very many; each has a tip.
    const bool squeezed = qobject_cast<QTabBar*>(one.widget) && one.text.endsWith(QChar(0x2026));
    if (!squeezed && !scrolls(one.widget, Qt::Horizontal) &&
        (letters.left() < seen.left() - kSlack || letters.right() > seen.right() + kSlack))
      faults << "cut: " + nameOf(one);
    if (!scrolls(one.widget, Qt::Vertical) &&
        (letters.top() < seen.top() - kSlack || letters.bottom() > seen.bottom() + kSlack))
      faults << "cut below or above: " + nameOf(one);
    const bool word = qobject_cast<QLabel*>(one.widget) || qobject_cast<QAbstractButton*>(one.widget) ||
                      qobject_cast<QComboBox*>(one.widget);
    const auto* button = qobject_cast<QAbstractButton*>(one.widget);
    const bool meant = button && button->text().remove('&').contains(one.text);
    if (word && !meant && one.text.endsWith(QChar(0x2026)) && one.widget->toolTip().isEmpty())
      faults << "dots without a tip: " + nameOf(one);
    // What another widget covers, a card or a message, is not seen at all.
    const QPoint middle = one.widget->mapTo(window, letters.center().toPoint());
    const QWidget* there = window->childAt(middle);
    if (there != one.widget && !(there && there->isAncestorOf(one.widget))) continue;
    const QRectF shown = letters.intersected(seen);
    if (!shown.isEmpty()) onTop.push_back({shown.translated(one.widget->mapTo(window, QPoint())), &one});
  }
  for (size_t a = 0; a < onTop.size(); ++a)
    for (size_t b = a + 1; b < onTop.size(); ++b) {
      if (isAbove(onTop[a].second->widget) != isAbove(onTop[b].second->widget)) continue;
      const QRectF both = onTop[a].first.intersected(onTop[b].first);
      if (both.width() > 2 * kSlack && both.height() > 2 * kSlack)
        faults << "on each other: " + nameOf(*onTop[a].second) + " and " + nameOf(*onTop[b].second);
    }
  return faults;
}

}  // namespace rx::test
