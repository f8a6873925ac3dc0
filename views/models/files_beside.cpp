#include "views/models/files_beside.h"

#include <QDir>
#include <algorithm>

#include "core/tensor/npy.h"
#include "views/models/document.h"
#include "views/models/worker.h"

namespace rx::views {
namespace {

std::vector<FileBeside> filesIn(const QString& folder) {
  std::vector<FileBeside> files;
  const QDir dir(folder);
  for (const QString& stem : {QStringLiteral("inputs"), QStringLiteral("params"), QStringLiteral("expected")}) {
    for (const char* ending : {".npz", ".safetensors"}) {
      const QString name = stem + QLatin1String(ending);
      if (!dir.exists(name)) continue;
      FileBeside file{name, dir.filePath(name), {}, {}, stem == QLatin1String("expected")};
      const auto headers = arrayHeaders(file.path.toStdString());
      if (!headers) file.error = QString::fromStdString(headers.diagnostics().front().message);
      for (size_t i = 0; headers && i < headers->size(); ++i) {
        const ArrayHeader& header = (*headers)[i];
        file.arrays.push_back({QString::fromStdString(header.name),
                               QString::fromStdString(header.dtype.str()),
                               {header.shape.begin(), header.shape.end()}});
      }
      files.push_back(std::move(file));
    }
  }
  return files;
}

}  // namespace

bool fits(const ParamRow& param, const ArrayRow& array, SymbolSizes* sizes) {
  if (!param.dtype.isEmpty() && param.dtype != array.dtype) return false;
  if (!param.shape.startsWith(QLatin1Char('('))) return true;  // of an unknown shape
  const QStringList words = param.shape.mid(1, param.shape.size() - 2).split(QLatin1Char(','), Qt::SkipEmptyParts);
  QStringList dims;
  for (const QString& dim : words)
    if (!dim.trimmed().isEmpty()) dims << dim.trimmed();
  if (dims.size() != static_cast<qsizetype>(array.shape.size())) return false;
  for (qsizetype i = 0; i < dims.size(); ++i) {
    const qint64 given = array.shape[static_cast<size_t>(i)];
    bool number = false;
    const qint64 wanted = dims[i].toLongLong(&number);
    if (number && wanted != given) return false;
    const bool symbol = !number && std::all_of(dims[i].begin(), dims[i].end(),
                                               [](QChar c) { return c.isLetterOrNumber() || c == QLatin1Char('_'); });
    if (symbol && sizes->try_emplace(dims[i], given).first->second != given) return false;
  }
  return true;
}

FilesBeside::FilesBeside(Document* document, QObject* parent) : QObject(parent), document_(document) {
  connect(document, &Document::opened, this, &FilesBeside::read);
  read();
}

void FilesBeside::read() {
  ++number_;
  reading_ = document_->state() == Document::State::Ready && !document_->folder().isEmpty();
  files_.clear();
  if (!reading_) return Q_EMIT changed();
  runOnWorker(
      *QThreadPool::globalInstance(), this, [folder = document_->folder()] { return filesIn(folder); },
      [this, number = number_](std::vector<FileBeside> files) {
        if (number != number_) return;
        reading_ = false;
        files_ = std::move(files);
        Q_EMIT changed();
      });
}

SymbolSizes sizesGiven(const FilesBeside& files, const FunctionRow& function) {
  SymbolSizes sizes;
  for (const FileBeside& file : files.files()) {
    if (file.expected) continue;
    for (const ParamRow& param : function.params)
      for (const ArrayRow& array : file.arrays)
        if (array.name == param.name) fits(param, array, &sizes);
  }
  return sizes;
}

}  // namespace rx::views
