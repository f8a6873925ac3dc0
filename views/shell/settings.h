// What outlives the program: theme, text size, recent files, layouts. Kept in the desktop's settings store, or in
// memory only when the window is driven by a script.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QVariant>

namespace rx::views {

class Settings : public QObject {
  Q_OBJECT

 public:
  enum class Keep : uint8_t { OnDisk, InMemory };
  explicit Settings(Keep keep, QObject* parent = nullptr);

  /// "light", "dark" or "system".
  QString theme() const;
  void setTheme(const QString& theme);
  /// Factor on the desktop's font size, 0.25 to 4.
  double textScale() const;
  void setTextScale(double scale);

  /// Families of the fonts; empty for the desktop's.
  QString fontFamily() const { return value("fontFamily").toString(); }
  QString fixedFamily() const { return value("fixedFamily").toString(); }

  QStringList recentFiles() const;
  void addRecentFile(const QString& path);
  void removeRecentFile(const QString& path);

  QStringList layoutNames() const;
  QByteArray layout(const QString& name) const;
  void setLayout(const QString& name, const QByteArray& state);

  QVariant value(const QString& key, const QVariant& fallback = {}) const;
  void setValue(const QString& key, const QVariant& value);

 Q_SIGNALS:
  void recentFilesChanged();
  void layoutsChanged();

 private:
  Keep keep_;
  QVariantMap memory_;
};

}  // namespace rx::views
