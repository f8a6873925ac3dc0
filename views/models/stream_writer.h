// Bytes on their way from the window into a FIFO or a device. Whoever reads them may be slow, or stop: a thread of its
// own waits for that, and the window does not.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <atomic>
#include <future>
#include <optional>
#include <thread>

#include "core/support/output_file.h"

namespace rx::views {

/// Lives until all is written, as a child of the application: this one waits for it at its end, as long as somebody
/// takes the bytes.
class StreamWriter : public QObject {
 public:
  StreamWriter(OutputFile file, QByteArray bytes, QObject* application);
  ~StreamWriter() override;
  /// Why it failed; empty when it did not, and where more than a moment goes by. What fails after that is a warning on
  /// the standard error.
  QString resultSoon();

 private:
  QString writeAll();
  std::optional<OutputFile> file_;  // until all is written: the reader waits for its end
  QByteArray bytes_;
  std::atomic<bool> leaving_ = false;
  std::atomic<bool> late_ = false;
  std::promise<QString> result_;
  std::thread thread_;
};

}  // namespace rx::views
