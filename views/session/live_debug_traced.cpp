// The part of LiveDebug that shows the values of a folder that `rxs run --trace` wrote. No engine is needed.
#include "views/session/live_debug_traced.h"

#include <QDir>

#include "core/support/file.h"
#include "core/tensor/npy.h"
#include "core/tensor/safetensors.h"
#include "views/session/engine_rows.h"
#include "views/session/trace_folder.h"

namespace rx::views {
namespace {

const TracedRow* rowOf(const TracedValues& traced, int reference) {
  for (const TracedRow& row : traced.rows)
    if (row.value.reference == reference) return &row;
  return nullptr;
}

Result<Ref<HostTensor>> readArray(const QString& path, const QString& type, const QString& array) {
  const DataType known = DataType::parse(type.toStdString()).value_or(DataType::Void());
  if (path.endsWith(QLatin1String(".npy"))) return readNpy(path.toStdString(), known);
  const bool safe = path.endsWith(QLatin1String(".safetensors"));
  RX_TRY(arrays, safe ? readSafetensors(path.toStdString()) : readNpz(path.toStdString()));
  for (const auto& [name, tensor] : arrays)
    if (name == array.toStdString()) return tensor;
  return fail("trace.folder", QStringLiteral("%1 has no array %2").arg(path, array).toStdString());
}

}  // namespace

TracedFiles filesOf(const TracedValues& traced, const ElementSource& source) {
  TracedFiles files;
  const QDir folder(traced.folder);
  const TracedRow* left = rowOf(traced, source.reference);
  const TracedRow* right = source.against != 0 ? rowOf(traced, source.against) : nullptr;
  files.distance = source.distance;
  files.array = source.array;
  if (!left || (source.against != 0 && !right)) {
    files.error = QStringLiteral("only values of one folder, or an array of a file, can be compared");
    return files;
  }
  files.left = folder.filePath(left->file);
  files.leftType = left->value.dtype;
  files.right = right ? folder.filePath(right->file) : source.file;
  files.rightType = right ? right->value.dtype : QString();
  return files;
}

Result<ArrayPair> readFiles(const TracedFiles& files) {
  if (!files.error.isEmpty()) return fail("trace.folder", files.error.toStdString());
  RX_TRY(left, readArray(files.left, files.leftType, {}));
  ArrayPair arrays{left, nullptr, files.distance};
  if (files.right.isEmpty()) return arrays;
  RX_TRY(right, readArray(files.right, files.rightType, files.array));
  arrays.right = right;
  return arrays;
}

QString saveTraced(const TracedValues& traced, int reference, const QString& path) {
  const TracedRow* row = rowOf(traced, reference);
  if (!row) return QStringLiteral("its folder is not open any more");
  const Result<std::string> bytes = readFile(QDir(traced.folder).filePath(row->file).toStdString());
  if (!bytes) return textOf(bytes.diagnostics());
  const Result<Unit> written = writeFile(path.toStdString(), *bytes);
  return written ? QString() : textOf(written.diagnostics());
}

std::vector<ArrayRow> arraysIn(const QString& path) {
  std::vector<ArrayRow> rows;
  const Result<std::vector<ArrayHeader>> headers = arrayHeaders(path.toStdString());
  if (!headers) return rows;
  for (const ArrayHeader& header : *headers)
    rows.push_back({qtText(header.name), qtText(header.dtype.str()), {header.shape.begin(), header.shape.end()}});
  return rows;
}

void LiveDebug::openTraced(const QString& folder) {
  if (folder.isEmpty()) {
    traced_ = {};
    Q_EMIT tracedChanged();
    Q_EMIT tracedShown();
    return;
  }
  readsTraced_ = true;
  traced_.error.clear();
  runOnWorker(
      *QThreadPool::globalInstance(), this,
      [folder, first = -1 - tracedMade_] { return readTraceFolder(folder, first); },
      [this, folder](Result<std::vector<TracedRow>> rows) {
        readsTraced_ = false;
        if (!rows) {
          traced_.error = textOf(rows.diagnostics());
          note(LogLine::Kind::Error, traced_.error);
          Q_EMIT tracedRefused(folder, traced_.error);
          return;
        }
        tracedMade_ += static_cast<int>(rows->size());
        traced_ = {folder, std::move(*rows), -1, {}};
        note(LogLine::Kind::Note, tr("%1 values of %2").arg(traced_.rows.size()).arg(folder));
        Q_EMIT tracedChanged();
        Q_EMIT tracedShown();
      });
}

void LiveDebug::showTraced(int row) {
  const int shown = row >= 0 && row < static_cast<int>(traced_.rows.size()) ? row : -1;
  if (shown == traced_.shown) return;
  traced_.shown = shown;
  Q_EMIT tracedShown();
}

}  // namespace rx::views
