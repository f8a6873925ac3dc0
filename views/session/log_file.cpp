#include "views/session/log_file.h"

#include <QDir>
#include <QFileInfo>

namespace rx::views {
namespace {

constexpr qint64 kMostBytes = 2'000'000;  // then the file becomes the old one, which is replaced

}  // namespace

QString LogFile::usualPath() {
  const QString state = qEnvironmentVariable("XDG_STATE_HOME", QDir::homePath() + "/.local/state");
  return state + "/relaxscope/log.txt";
}

void LogFile::open(const QString& path) {
  file_.close();
  file_.setFileName(path);
  if (path.isEmpty()) return;
  QDir().mkpath(QFileInfo(path).path());
  turn();
  static_cast<void>(file_.open(QIODevice::Append | QIODevice::Text));  // without a file the log is on screen only
}

void LogFile::turn() {
  if (QFileInfo(file_).size() < kMostBytes) return;
  const QString old = file_.fileName() + ".old";
  QFile::remove(old);
  QFile::rename(file_.fileName(), old);
}

void LogFile::add(const QString& line) {
  if (!file_.isOpen()) return;
  file_.write(line.toUtf8() + '\n');
  file_.flush();
  if (file_.size() >= kMostBytes) open(file_.fileName());
}

}  // namespace rx::views
