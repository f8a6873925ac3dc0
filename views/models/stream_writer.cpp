#include "views/models/stream_writer.h"

#include <poll.h>
#include <pthread.h>

#include <QElapsedTimer>
#include <climits>
#include <csignal>
#include <utility>

namespace rx::views {

StreamWriter::StreamWriter(OutputFile file, QByteArray bytes, QObject* application)
    : QObject(application), file_(std::move(file)), bytes_(std::move(bytes)) {
  thread_ = std::thread([this] {
    // A reader that is gone is an error of the write, and not the end of the program.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    const QString error = writeAll();
    file_.reset();
    result_.set_value(error);
    if (late_ && !error.isEmpty()) qWarning("%s", qPrintable(error));
    QMetaObject::invokeMethod(this, &QObject::deleteLater, Qt::QueuedConnection);
  });
}

StreamWriter::~StreamWriter() {
  leaving_ = true;
  thread_.join();
}

QString StreamWriter::resultSoon() {
  constexpr std::chrono::milliseconds kMoment(50);
  std::future<QString> result = result_.get_future();
  if (result.wait_for(kMoment) == std::future_status::ready) return result.get();
  late_ = true;
  return {};
}

QString StreamWriter::writeAll() {
  constexpr int kLook = 100;  // milliseconds between two looks whether the program ends
  constexpr std::chrono::milliseconds kPatience = OutputFile::kReaderPatience;
  const std::string_view all(bytes_.constData(), static_cast<size_t>(bytes_.size()));
  QElapsedTimer untaken;
  untaken.start();
  for (size_t from = 0; from < all.size();) {
    pollfd descriptor{file_->descriptor(), POLLOUT, 0};
    if (::poll(&descriptor, 1, kLook) == 0) {
      if (leaving_ && untaken.elapsed() > kPatience.count())
        return QStringLiteral("nobody reads all that was to be written");
      continue;
    }
    // A pipe that is ready takes so many bytes without a wait.
    const std::string_view part = all.substr(from, PIPE_BUF);
    if (const Result<Unit> done = file_->write(part); !done)
      return QString::fromStdString(done.diagnostics().front().message);
    from += part.size();
    untaken.restart();
  }
  return {};
}

}  // namespace rx::views
