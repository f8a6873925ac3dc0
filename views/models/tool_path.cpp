#include "views/models/tool_path.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace rx::views {

QString toolPath() {
  const QString named = qEnvironmentVariable("RELAXSCOPE_RXS");
  if (!named.isEmpty()) return named;
  const QDir here(QCoreApplication::applicationDirPath());
  for (const char* place : {"rxs", "../bin/rxs"}) {
    const QFileInfo file(here.filePath(QString::fromLatin1(place)));
    if (file.isFile() && file.isExecutable()) return file.canonicalFilePath();
  }
  return QStandardPaths::findExecutable("rxs");
}

}  // namespace rx::views
