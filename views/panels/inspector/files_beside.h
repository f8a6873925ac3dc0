// The files with arrays beside the module: inputs, parameters, expected results. Their tables are read on a worker when
// a module is opened; no widgets.
#pragma once

#include <QObject>
#include <QString>
#include <vector>

#include "views/models/debug_rows.h"

namespace rx::views {

class Document;

struct FileBeside {
  QString name;  // "inputs.npz"
  QString path;
  QString error;  // why it can not be read; empty where it can
  std::vector<ArrayRow> arrays;
  bool expected = false;  // results to compare with, not arguments
};

class FilesBeside : public QObject {
  Q_OBJECT

 public:
  explicit FilesBeside(Document* document, QObject* parent = nullptr);
  const std::vector<FileBeside>& files() const { return files_; }
  bool busy() const { return reading_; }

 Q_SIGNALS:
  void changed();

 private:
  void read();
  Document* document_;
  std::vector<FileBeside> files_;
  int number_ = 0;  // of the newest read
  bool reading_ = false;
};

}  // namespace rx::views
