#include "views/models/output_bytes.h"

#include <QCoreApplication>
#include <QThread>
#include <functional>

#include "core/support/output_file.h"
#include "views/models/stream_writer.h"

namespace rx::views {

namespace {

QString reasonOf(const Result<Unit>& done) {
  return done ? QString() : QString::fromStdString(done.diagnostics().front().message);
}

std::string_view viewOf(const QByteArray& bytes) { return {bytes.constData(), static_cast<size_t>(bytes.size())}; }

/// What `fill` writes; `whole` is asked for where the bytes are handed over to a thread.
QString written(const QString& path, const std::function<Result<Unit>(OutputFile&)>& fill,
                const std::function<QByteArray()>& whole) {
  Result<OutputFile> file = OutputFile::open(QFile::encodeName(path).toStdString(), std::chrono::seconds(0));
  if (!file) return QString::fromStdString(file.diagnostics().front().message);
  QCoreApplication* window = QCoreApplication::instance();
  if (file->isStream() && window && QThread::currentThread() == window->thread())
    return (new StreamWriter(std::move(*file), whole(), window))->resultSoon();
  if (const Result<Unit> done = fill(*file); !done) return reasonOf(done);
  return file->isStream() ? QString() : reasonOf(file->commit());
}

}  // namespace

QString writeOutput(const QString& path, const QByteArray& bytes) {
  return written(
      path, [&](OutputFile& file) { return file.write(viewOf(bytes)); }, [&] { return bytes; });
}

QString copyOutput(QFile& from, const QString& path) {
  if (!from.isOpen() && !from.open(QIODevice::ReadOnly))
    return QStringLiteral("%1: %2").arg(from.fileName(), from.errorString());
  const auto inParts = [&](OutputFile& file) -> Result<Unit> {
    constexpr qint64 kPart = 1 << 20;
    while (!from.atEnd()) {
      const QByteArray part = from.read(kPart);
      if (part.isEmpty()) return fail("file.read", (from.fileName() + ": " + from.errorString()).toStdString());
      RX_CHECK(file.write(viewOf(part)));
    }
    return Unit{};
  };
  return written(path, inParts, [&] { return from.readAll(); });
}

}  // namespace rx::views
