// The files with arrays beside the module: inputs, parameters, expected results. Their tables are read on a worker when
// a module is opened; no widgets.
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <vector>

#include "views/models/debug_rows.h"
#include "views/models/stage_index.h"

namespace rx::views {

class Document;

struct FileBeside {
  QString name;  // "inputs.npz"
  QString path;
  QString error;  // why it can not be read; empty where it can
  std::vector<ArrayRow> arrays;
  bool expected = false;  // results to compare with, not arguments
};

/// Sizes of symbols: the first array that has a symbol alone as a size gives it its number.
using SymbolSizes = std::map<QString, qint64>;

/// Whether an array can be given for a parameter, where symbols have the sizes that they were given so far. An
/// expression of symbols is left to the run.
bool fits(const ParamRow& param, const ArrayRow& array, SymbolSizes* sizes);

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

/// The sizes that the arrays of the files give to symbols of a function.
SymbolSizes sizesGiven(const FilesBeside& files, const FunctionRow& function);

}  // namespace rx::views
