#include "views/panels/inspector/files_beside.h"

#include <QDir>

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

}  // namespace rx::views
