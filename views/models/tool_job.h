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
  /// A line of standard error, as it came.
  using Told = std::function<void(const QByteArray& line)>;
  explicit ToolJob(QObject* parent = nullptr);
  ~ToolJob() override;
  /// Starts it; one at a time. The answer is empty, or why it can not start. With `told`, the output is what it writes
  /// to standard output, else both are one.
  QString start(const QStringList& arguments, Done done, Told told = {});
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
  /// `how` it ended where not by itself; empty else.
  void end(bool ok, const QString& how);
  void tellLines();
  QProcess* process_ = nullptr;
  bool cancelled_ = false;
  QByteArray output_;
  QByteArray errors_;     // with `told_`
  qsizetype toldTo_ = 0;  // so much of them was told, in whole lines
  Done done_;
  Told told_;
};

}  // namespace rx::views
