// The engine as a child process with a DAP client on its pipes. Never waits for it.
#pragma once

#include <QObject>
#include <QProcess>
#include <memory>

#include "core/dap/client.h"

namespace rx::views {

class EngineProcess : public QObject {
  Q_OBJECT

 public:
  explicit EngineProcess(QObject* parent = nullptr);
  /// Kills a child that still runs, without a signal.
  ~EngineProcess() override;
  /// Starts `rxs dap`, confined to writing in a folder, with libraries of the user's own functions; the answer is
  /// empty, or why it can not be tried.
  QString start(const QString& writable, const QStringList& plugins);
  /// Starts what carries this conversation to an engine that listens at HOST:PORT and wants to hear a token; the answer
  /// is as of start().
  QString attach(const QString& address, const QString& token);
  dap::Client& client() { return *client_; }
  qint64 id() const { return process_.processId(); }
  /// Fails what was asked of it and not answered yet; later requests too.
  void answerRest();
  /// As retire(); an engine that was attached to is left to whoever comes next.
  void leave();
  /// Kills the child without a signal to anybody and deletes this object once it is reaped; open requests get no
  /// answer.
  void retire();

 Q_SIGNALS:
  void told(const QString& name, const rx::dap::Json& body);
  /// Text that the engine wrote to standard error.
  void said(const QString& text);
  /// The process is gone; `how` is in words: "killed by signal 9", "exit code 3", "did not start: ...".
  void gone(const QString& how);

 private:
  void end(const QString& how);
  void takePart();
  QProcess process_;
  QByteArray unsent_;    // asked before the child runs
  QByteArray received_;  // what the client has not got yet
  bool takes_ = false;
  std::unique_ptr<dap::Client> client_;
  bool gone_ = false;
  bool attached_ = false;
};

}  // namespace rx::views
