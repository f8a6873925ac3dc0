#include "views/theme/icons.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace rx::views {
namespace {

/// Renders the file anew for every size, so that lines stay sharp at fractional scales.
class SvgIcon : public QIconEngine {
 public:
  SvgIcon(QByteArray name, QByteArray svg, QColor ink, QColor disabled)
      : name_(std::move(name)), svg_(std::move(svg)), ink_(std::move(ink)), disabled_(std::move(disabled)) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    QByteArray svg = svg_;
    svg.replace("currentColor", (mode == QIcon::Disabled ? disabled_ : ink_).name().toLatin1());
    QSvgRenderer(svg).render(painter, QRectF(rect));
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    const QColor& color = mode == QIcon::Disabled ? disabled_ : ink_;
    const QString key = QStringLiteral("rx-icon %1 %2 %3 %4")
                            .arg(QString::fromLatin1(name_), color.name())
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
  QColor ink_, disabled_;
};

QIcon make(const char* name, const QColor& ink, const QColor& disabled) {
  QFile file(QStringLiteral(":/icons/%1.svg").arg(QLatin1String(name)));
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QIcon(new SvgIcon(name, file.readAll(), ink, disabled));
}

/// What is disabled stands halfway between the ink and the ground.
QColor between(const QColor& a, const QColor& b) {
  return QColor((a.red() + b.red()) / 2, (a.green() + b.green()) / 2, (a.blue() + b.blue()) / 2);
}

}  // namespace

QIcon icon(const char* name, const Palette& palette) {
  return make(name, palette.text, between(palette.grey, palette.panel));
}

QIcon icon(const char* name, const QColor& ink) { return make(name, ink, ink); }

}  // namespace rx::views
