// Runs the command line program beside the window, for what compiles and executes: exports, profiles, kernels.
#pragma once

#include <QObject>
#include <QStringList>
#include <functional>

class QProcess;

namespace rx::views {

class ToolJob : public QObject {
  Q_OBJECT

 public:
  using Done = std::function<void(bool ok, const QString& output)>;
  explicit ToolJob(QObject* parent = nullptr);
  ~ToolJob() override;
  /// Starts it; one at a time. The answer is empty, or why it can not start.
  QString start(const QStringList& arguments, Done done);
  /// Ends it and says so to who waits.
  void cancel();
  /// Ends it without a word and without waiting for its end: another question has taken its place.
  void abandon();
  bool busy() const { return process_ != nullptr; }
  /// Whether the last one was ended by `cancel`.
  bool cancelled() const { return cancelled_; }

 Q_SIGNALS:
  void finished();

 private:
  void end(bool ok);
  QProcess* process_ = nullptr;
  bool cancelled_ = false;
  QByteArray output_;
  Done done_;
};

}  // namespace rx::views
