// A real window over real controllers and a real engine, driven through the command table.
#pragma once

#include <QDeadlineTimer>
#include <QTimer>
#include <QtTest>

#include "views/session/live_debug.h"
#include "views/session/live_document.h"
#include "views/shell/main_window.h"

namespace rx::views {

constexpr int kPatience = 30000;  // milliseconds, for a machine that is busy with other work

inline const QString kTool = QStringLiteral(RX_BINARY_DIR "/bin/rxs");
inline const QString kSamples = QStringLiteral(RX_SOURCE_DIR "/samples/");

/// The windows of a test start the `rxs` that was built and find the samples of this tree.
inline void useBuiltProgram() {
  qputenv("RELAXSCOPE_RXS", kTool.toUtf8());
  qputenv("RELAXSCOPE_SAMPLES", RX_SOURCE_DIR "/samples");
}

inline QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline bool write(const QString& path, const QByteArray& bytes) {
  QFile file(path);
  return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

/// Handles events until something holds; false when it did not within the time. Looks after every event:
/// QTest::qWaitFor sleeps ten milliseconds between two looks, and what a window waits for is a chain of many answers.
template <class Holds>
bool waitUntil(Holds holds, int milliseconds = kPatience) {
  const QDeadlineTimer deadline(milliseconds);
  QTimer tick;  // wakes the loop where what is waited for comes without an event
  tick.start(10);
  while (!holds()) {
    if (deadline.hasExpired()) return false;
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  }
  return true;
}

struct LiveBench {
  Settings settings{Settings::Keep::InMemory};
  LiveDocument document;
  Selection selection;
  LiveDebug debug{&document};
  MainWindow window{&document, &selection, &debug, &settings};

  LiveBench() {
    window.resize(1280, 800);
    window.show();
  }
  bool settle() {
    return waitUntil([this] { return window.settled(); });
  }
  bool does(const QString& id, const QStringList& arguments = {}) {
    if (!window.run(id, arguments)) {
      qWarning("%s: %s", qPrintable(id), qPrintable(window.lastError()));
      return false;
    }
    if (settle()) return true;
    qWarning("%s does not settle", qPrintable(id));
    return false;
  }
  /// The rows of all recorded steps.
  std::vector<TraceRow> steps() {
    std::vector<TraceRow> all;
    while (static_cast<int>(all.size()) < debug.recorded()) {
      bool answered = false;
      size_t more = 0;
      debug.fetchSteps(static_cast<int>(all.size()), debug.recorded(), &window, [&](const std::vector<TraceRow>& rows) {
        answered = true;
        more = rows.size();
        all.insert(all.end(), rows.begin(), rows.end());
      });
      if (!waitUntil([&] { return answered; }) || more == 0) break;
    }
    return all;
  }
  bool open(const QString& sample) { return does("file.open", {kSamples + sample}); }
};

}  // namespace rx::views
