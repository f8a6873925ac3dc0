#include "views/models/output_bytes.h"

#include <functional>

#include "core/support/output_file.h"

namespace rx::views {

namespace {

QString written(const QString& path, const std::function<Result<Unit>(OutputFile&)>& fill) {
  const auto all = [&]() -> Result<Unit> {
    RX_TRY(file, OutputFile::open(QFile::encodeName(path).toStdString(), std::chrono::seconds(0)));
    RX_CHECK(fill(file));
    return file.isStream() ? Result<Unit>(Unit{}) : file.commit();
  };
  const Result<Unit> done = all();
  return done ? QString() : QString::fromStdString(done.diagnostics().front().message);
}

std::string_view viewOf(const QByteArray& bytes) { return {bytes.constData(), static_cast<size_t>(bytes.size())}; }

}  // namespace

QString writeOutput(const QString& path, const QByteArray& bytes) {
  return written(path, [&](OutputFile& file) { return file.write(viewOf(bytes)); });
}

QString copyOutput(QFile& from, const QString& path) {
  if (!from.isOpen() && !from.open(QIODevice::ReadOnly))
    return QStringLiteral("%1: %2").arg(from.fileName(), from.errorString());
  return written(path, [&](OutputFile& file) -> Result<Unit> {
    constexpr qint64 kPart = 1 << 20;
    while (!from.atEnd()) {
      const QByteArray part = from.read(kPart);
      if (part.isEmpty()) return fail("file.read", (from.fileName() + ": " + from.errorString()).toStdString());
      RX_CHECK(file.write(viewOf(part)));
    }
    return Unit{};
  });
}

}  // namespace rx::views
