// A recording that a test writes and reads again.
#pragma once

#include <QString>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/store/reader.h"
#include "core/store/writer.h"

namespace rx::test {

inline std::vector<std::byte> bytesOf(std::span<const std::byte> span) { return {span.begin(), span.end()}; }

template <class T>
std::string ruleOf(const Result<T>& result) {
  return result ? std::string() : result.diagnostics().front().rule;
}

inline std::unique_ptr<store::Writer> writerAt(const QString& path, const store::Policy& policy = {}) {
  auto writer = store::Writer::create(path.toStdString(), "the program", policy);
  if (!writer) qWarning("%s", writer.diagnostics().front().message.c_str());
  return writer ? std::move(*writer) : nullptr;
}

/// A step that writes.
inline void stepWriting(store::Writer& writer, const store::StepInput& step,
                        std::span<const store::StorageWrite> writes) {
  for (const store::StorageWrite& write : writes) writer.write(write, writer.keeps(step.result));
  writer.step(step);
}

inline std::unique_ptr<store::Reader> readerAt(const QString& path) {
  auto reader = store::Reader::open(path.toStdString());
  if (!reader) qWarning("%s", reader.diagnostics().front().message.c_str());
  return reader ? std::move(*reader) : nullptr;
}

}  // namespace rx::test
