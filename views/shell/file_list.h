// A list of files that the user puts together: a button adds, another or Delete takes away.
#pragma once

#include <QWidget>

class QListWidget;

namespace rx::views {

/// Whether a file holds arrays, by its name: .npz, .npy, .safetensors.
bool holdsArrays(const QString& path);

class FileList : public QWidget {
  Q_OBJECT

 public:
  /// `what` heads the dialog that adds and tells a reader what the list is; `filter` is as QFileDialog takes it. The
  /// list is as high as `lines` lines of text.
  FileList(const QString& what, const QString& filter, int lines, QWidget* parent);
  /// Where the dialog looks first.
  void setFolder(const QString& folder) { folder_ = folder; }
  QStringList files() const;
  /// Adds files without changed().
  void add(const QStringList& files);

 Q_SIGNALS:
  /// The user added or removed files.
  void changed();

 private:
  void browse();
  void remove();

  QString what_, filter_, folder_;
  QListWidget* list_;
};

}  // namespace rx::views
