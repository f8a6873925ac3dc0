#include "views/shell/colour_settings.h"

#include <QApplication>
#include <QEvent>
#include <QWidget>

#include "views/shell/settings.h"

namespace rx::views {
namespace {

QString keyOf(bool dark) { return dark ? QStringLiteral("colours/dark") : QStringLiteral("colours/light"); }

}  // namespace

OwnColors ownColors(const Settings& settings, bool dark) {
  OwnColors own;
  const QVariantMap kept = settings.value(keyOf(dark)).toMap();
  for (auto row = kept.begin(); row != kept.end(); ++row)
    if (const QColor color(row.value().toString()); color.isValid() && colorRole(row.key()))
      own.insert(row.key(), color);
  return own;
}

void setOwnColor(Settings& settings, bool dark, const QString& role, const QColor& color) {
  QVariantMap kept = settings.value(keyOf(dark)).toMap();
  if (color.isValid())
    kept.insert(role, color.name());
  else
    kept.remove(role);
  settings.setValue(keyOf(dark), kept);
}

void applyOwnColors(const Settings& settings) {
  const bool light = setOwnColors(false, ownColors(settings, false));
  const bool dark = setOwnColors(true, ownColors(settings, true));
  if (!light && !dark) return;
  // Most roles are none of Qt's, which would not tell anybody of them.
  for (QWidget* widget : QApplication::allWidgets()) {
    QEvent changed(QEvent::PaletteChange);
    QCoreApplication::sendEvent(widget, &changed);
  }
}

}  // namespace rx::views
