#include "views/theme/fonts.h"

#include <QCoreApplication>
#include <QFontDatabase>
#include <QVariant>

namespace rx::views {
namespace {
// Kept by the application beside its font, since every view asks for it.
constexpr const char* kFamily = "rxFixedFamily";
}  // namespace

QFont fixedFont(const QFont& base) {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  const QString family = QCoreApplication::instance()->property(kFamily).toString();
  if (!family.isEmpty()) font.setFamily(family);
  if (base.pointSizeF() > 0) font.setPointSizeF(base.pointSizeF());
  font.setStyleHint(QFont::Monospace);
  font.setFixedPitch(true);
  return font;
}

void setFixedFamily(const QString& family) { QCoreApplication::instance()->setProperty(kFamily, family); }

}  // namespace rx::views
