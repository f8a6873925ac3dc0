// One window answers links: a second start with a relaxscope:// link hands it to the window that runs, and ends.
#pragma once

#include <QObject>

class QLocalServer;

namespace rx::views {

/// Where windows of this user listen: RELAXSCOPE_SOCKET, else a file in XDG_RUNTIME_DIR, else one of this home's own:
/// windows that share neither a desktop nor a home do not take each other's links.
QString linkSocket();

class LinkServer : public QObject {
  Q_OBJECT

 public:
  explicit LinkServer(QObject* parent = nullptr);
  /// Listens there, unless another window does already; false when it can not.
  bool listen(const QString& socket);

 Q_SIGNALS:
  void linkArrived(const QString& link);

 private:
  void take();
  QLocalServer* server_;
};

/// Hands a link to the window that listens there; false when there is none. For a program without a window: it waits.
bool sendLink(const QString& socket, const QString& link);

}  // namespace rx::views
