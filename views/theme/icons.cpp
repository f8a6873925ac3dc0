#include "views/theme/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>
#include <functional>

namespace rx::views {
namespace {

/// The colour of an icon; `enabled` is false where it stands for what can not be done.
using Ink = std::function<QColor(bool enabled)>;

/// Renders the file anew for every size, so that lines stay sharp at fractional scales.
class SvgIcon : public QIconEngine {
 public:
  SvgIcon(QByteArray name, QByteArray svg, Ink ink)
      : name_(std::move(name)), svg_(std::move(svg)), ink_(std::move(ink)) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    QByteArray svg = svg_;
    svg.replace("currentColor", ink_(mode != QIcon::Disabled).name().toLatin1());
    QSvgRenderer(svg).render(painter, QRectF(rect));
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    const QString key = QStringLiteral("rx-icon %1 %2 %3 %4")
                            .arg(QString::fromLatin1(name_), ink_(mode != QIcon::Disabled).name())
                            .arg(size.width())
                            .arg(size.height());
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) return pixmap;
    pixmap = QPixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect(QPoint(0, 0), size), mode, state);
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
  }

  QIconEngine* clone() const override { return new SvgIcon(*this); }
  QString iconName() override { return QString::fromLatin1(name_); }
  bool isNull() override { return false; }

 private:
  QByteArray name_, svg_;
  Ink ink_;
};

QIcon make(const char* name, Ink ink) {
  QFile file(QStringLiteral(":/icons/%1.svg").arg(QLatin1String(name)));
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QIcon(new SvgIcon(name, file.readAll(), std::move(ink)));
}

/// What is disabled stands halfway between the ink and the ground.
QColor between(const QColor& a, const QColor& b) {
  return QColor((a.red() + b.red()) / 2, (a.green() + b.green()) / 2, (a.blue() + b.blue()) / 2);
}

QColor inkOf(const Palette& palette, bool enabled) {
  return enabled ? palette.text : between(palette.grey, palette.panel);
}

}  // namespace

QIcon icon(const char* name, const Palette& palette) {
  return make(name, [&palette](bool enabled) { return inkOf(palette, enabled); });
}

QIcon icon(const char* name) {
  return make(name, [](bool enabled) { return inkOf(Palette::forQt(QGuiApplication::palette()), enabled); });
}

QIcon icon(const char* name, const QColor& ink) {
  return make(name, [ink](bool) { return ink; });
}

}  // namespace rx::views
