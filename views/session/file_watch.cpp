#include "views/session/file_watch.h"

#include <sys/stat.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <utility>

namespace rx::views {
namespace {

constexpr int kQuiet = 150;  // milliseconds: editors write a file in several goes
constexpr int64_t kNanoseconds = 1'000'000'000;

void addStamp(const QString& path, std::vector<FileStamp>* stamps) {
  struct stat found = {};
  if (::stat(QFile::encodeName(path).constData(), &found) != 0 || S_ISDIR(found.st_mode)) return;
  stamps->push_back({path, found.st_ino, found.st_size, found.st_mtim.tv_sec * kNanoseconds + found.st_mtim.tv_nsec});
}

}  // namespace

std::vector<FileStamp> stampsOf(const QString& path) {
  std::vector<FileStamp> stamps;
  if (!QFileInfo(path).isDir()) {
    addStamp(path, &stamps);
    return stamps;
  }
  const QDir folder(path);
  for (const QString& name : folder.entryList(QDir::Files, QDir::Name)) addStamp(folder.filePath(name), &stamps);
  return stamps;
}

FileWatch::FileWatch(QObject* parent) : QObject(parent) {
  quiet_.setSingleShot(true);
  quiet_.setInterval(kQuiet);
  connect(&watcher_, &QFileSystemWatcher::fileChanged, &quiet_, qOverload<>(&QTimer::start));
  // What goes on beside the file is no reason to wait longer.
  connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, [this] {
    if (!quiet_.isActive()) quiet_.start();
  });
  connect(&quiet_, &QTimer::timeout, this, &FileWatch::look);
}

void FileWatch::watch(const QString& path, std::vector<FileStamp> asRead) {
  if (const QStringList all = watcher_.files() + watcher_.directories(); !all.isEmpty()) watcher_.removePaths(all);
  path_ = path;
  known_ = std::move(asRead);
  if (path_.isEmpty()) return quiet_.stop();
  listen();
  quiet_.start();  // it may have changed while it was read
}

/// The files themselves, and the folder that they stand in: who renames over a file, or deletes it, ends its watch.
void FileWatch::listen() {
  const QFileInfo info(path_);
  QStringList wanted = {info.isDir() ? path_ : info.absolutePath()};
  for (const FileStamp& stamp : known_) wanted << stamp.path;
  const QStringList now = watcher_.files() + watcher_.directories();
  wanted.removeIf([&now](const QString& path) { return now.contains(path) || !QFileInfo::exists(path); });
  if (!wanted.isEmpty()) watcher_.addPaths(wanted);
}

void FileWatch::look() {
  std::vector<FileStamp> now = stampsOf(path_);
  const bool same = now == known_;
  known_ = std::move(now);
  listen();
  if (!same) Q_EMIT changed(known_.empty());
}

}  // namespace rx::views
