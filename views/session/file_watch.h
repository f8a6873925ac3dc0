// Whether the files that a document was read from are still what they were then.
#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>
#include <cstdint>
#include <vector>

namespace rx::views {

/// What a file was at one moment: another file in its place, another size or another time of writing is a change.
struct FileStamp {
  QString path;
  uint64_t file = 0;     // its number on its disk
  int64_t size = 0;      // bytes
  int64_t modified = 0;  // nanoseconds
  bool operator==(const FileStamp&) const = default;
};

/// The stamp of a file, or of all files of a folder by name; none where there is nothing, or nothing that a file is.
std::vector<FileStamp> stampsOf(const QString& path);

class FileWatch : public QObject {
  Q_OBJECT

 public:
  explicit FileWatch(QObject* parent = nullptr);
  /// Looks after a file or a folder of files from now on; `asRead` is what it was when it was read, so that a change
  /// since then is told too. An empty path ends the watch.
  void watch(const QString& path, std::vector<FileStamp> asRead);

 Q_SIGNALS:
  /// It is not what it was when this was said last, or when it was read. Said once writers have been quiet for a
  /// moment; `gone` where nothing is there any more.
  void changed(bool gone);

 private:
  void look();
  void listen();
  QString path_;
  std::vector<FileStamp> known_;
  QFileSystemWatcher watcher_;
  QTimer quiet_;
};

}  // namespace rx::views
