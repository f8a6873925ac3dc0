// The log on disk: lines are appended to a file in the folder for the state of programs, which keeps its last megabytes.
#pragma once

#include <QFile>
#include <QString>

namespace rx::views {

class LogFile {
 public:
  /// Where the log of this program lies: XDG_STATE_HOME, else ~/.local/state.
  static QString usualPath();
  /// An empty path keeps no file.
  void open(const QString& path);
  void add(const QString& line);
  QString path() const { return file_.fileName(); }

 private:
  void turn();
  QFile file_;
};

}  // namespace rx::views
