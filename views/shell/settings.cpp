#include "views/shell/settings.h"

#include <QFileInfo>
#include <QSettings>
#include <algorithm>

namespace rx::views {
namespace {

constexpr int kMostRecent = 12;
const QString kRecent = QStringLiteral("recentFiles");
const QString kLayouts = QStringLiteral("layouts");

}  // namespace

Settings::Settings(Keep keep, QObject* parent) : QObject(parent), keep_(keep) {}

QVariant Settings::value(const QString& key, const QVariant& fallback) const {
  if (keep_ == Keep::InMemory) return memory_.value(key, fallback);
  return QSettings().value(key, fallback);
}

void Settings::setValue(const QString& key, const QVariant& value) {
  if (keep_ == Keep::InMemory) {
    memory_.insert(key, value);
  } else {
    QSettings().setValue(key, value);
  }
}

QString Settings::theme() const {
  const QString theme = value("theme", "system").toString();
  return theme == "light" || theme == "dark" ? theme : QStringLiteral("system");
}

void Settings::setTheme(const QString& theme) { setValue("theme", theme); }

double Settings::textScale() const {
  const double scale = value("textScale", 1.0).toDouble();
  return scale >= 0.25 && scale <= 4 ? scale : 1.0;
}

void Settings::setTextScale(double scale) { setValue("textScale", std::clamp(scale, 0.25, 4.0)); }

QStringList Settings::recentFiles() const { return value(kRecent).toStringList(); }

void Settings::addRecentFile(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  QStringList files = recentFiles();
  files.removeAll(absolute);
  files.prepend(absolute);
  while (files.size() > kMostRecent) files.removeLast();
  setValue(kRecent, files);
  Q_EMIT recentFilesChanged();
}

void Settings::removeRecentFile(const QString& path) {
  QStringList files = recentFiles();
  files.removeAll(path);
  setValue(kRecent, files);
  Q_EMIT recentFilesChanged();
}

QStringList Settings::layoutNames() const { return value(kLayouts).toMap().keys(); }

QByteArray Settings::layout(const QString& name) const { return value(kLayouts).toMap().value(name).toByteArray(); }

void Settings::setLayout(const QString& name, const QByteArray& state) {
  QVariantMap layouts = value(kLayouts).toMap();
  layouts.insert(name, state);
  setValue(kLayouts, layouts);
  Q_EMIT layoutsChanged();
}

}  // namespace rx::views
