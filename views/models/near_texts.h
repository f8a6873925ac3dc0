// Names near to one that somebody wrote, as texts of Qt.
#pragma once

#include <QStringList>
#include <string>
#include <vector>

#include "core/support/near_names.h"
#include "views/theme/qt_text.h"

namespace rx::views {

/// Those of `names` that `written` may mean, `most` of them at the most; see nearNames.
inline QStringList nearTexts(const QString& written, const QStringList& names, size_t most) {
  std::vector<std::string> all;
  for (const QString& name : names) all.push_back(name.toStdString());
  QStringList near;
  for (const std::string& each : nearNames(written.toStdString(), all, most)) near << qtText(each);
  return near;
}

}  // namespace rx::views
