#include "views/models/samples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "core/support/text_names.h"

namespace rx::views {
namespace {

constexpr int kLevelsUp = 4;  // build/dev/bin is three below the root

QString firstSentence(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QString text = QString::fromUtf8(file.read(4000)).trimmed();
  const QString line = text.section('\n', 0, 0);
  const qsizetype end = line.indexOf(QLatin1String(". "));
  // Where it is shown there is no font for code.
  QString sentence = end < 0 ? line : line.left(end + 1);
  return sentence.remove('`');
}

QString firstComment(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly)) return {};
  const QString line = QString::fromUtf8(file.readLine(400)).trimmed();
  return line.startsWith('#') ? line.mid(1).trimmed() : QString();
}

}  // namespace

QString samplesFolder() {
  const QString fromEnvironment = qEnvironmentVariable("RELAXSCOPE_SAMPLES");
  if (!fromEnvironment.isEmpty()) return QDir(fromEnvironment).exists() ? fromEnvironment : QString();
  QDir folder(QCoreApplication::applicationDirPath());
  for (int level = 0; level <= kLevelsUp; ++level) {
    if (folder.exists("samples/mlp/module.py")) return folder.filePath("samples");
    if (folder.exists("share/relaxscope/samples/mlp/module.py")) return folder.filePath("share/relaxscope/samples");
    if (!folder.cdUp()) break;
  }
  return {};
}

std::vector<SampleRow> sampleRows() {
  std::vector<SampleRow> rows;
  const QString root = samplesFolder();
  if (root.isEmpty()) return rows;
  const QDir folder(root);
  for (const QString& name : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
    if (moduleIn(folder.absoluteFilePath(name).toStdString()))
      rows.push_back({name, folder.absoluteFilePath(name), firstSentence(folder.filePath(name + "/README.md"))});
  }
  // One module in the text of each age of TVM.
  for (const QString& file : QDir(folder.filePath("eras")).entryList({"*.py"}, QDir::Files, QDir::Name)) {
    const QString name = "eras/" + file;
    rows.push_back({name, folder.absoluteFilePath(name), firstComment(folder.filePath(name))});
  }
  return rows;
}

bool isRecording(const QString& path) {
  constexpr char kBegin[] = "rxtrace";  // and the number of its form
  QFile file(path);
  return file.open(QIODevice::ReadOnly) && file.read(sizeof kBegin - 1) == kBegin;
}

QString tracedFolder(const QString& path) {
  const QFileInfo place(path);
  if (place.isDir()) {
    const QDir folder(path);
    return folder.exists("trace.json") && !moduleIn(path.toStdString()) ? folder.absolutePath() : QString();
  }
  constexpr qint64 kHead = 200;  // the list says what it is at its beginning
  QFile file(path);
  const bool list = place.fileName() == QLatin1String("trace.json") && file.open(QIODevice::ReadOnly) &&
                    file.read(kHead).contains("\"relaxscope trace\"");
  return list ? place.absolutePath() : QString();
}

QString placeTitle(const QString& path) {
  const QFileInfo file(path);
  const QString around = file.dir().dirName();
  return around.isEmpty() ? path : around + QStringLiteral(" / ") + file.fileName();
}

QString fileBeside(const QString& folder, const QString& stem) {
  if (folder.isEmpty()) return {};
  const auto found = arraysIn(folder.toStdString(), stem.toStdString());
  return found ? QString::fromStdString(*found) : QString();
}

}  // namespace rx::views
