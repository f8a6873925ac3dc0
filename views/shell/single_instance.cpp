#include "views/shell/single_instance.h"

#include <QCryptographicHash>
#include <QDir>
#include <QLocalServer>
#include <QLocalSocket>
#include <QStandardPaths>

#include "views/models/place.h"

namespace rx::views {
namespace {

constexpr int kPatience = 2000;        // milliseconds
constexpr qint64 kLongestLink = 8192;  // longer ones are no links of ours
constexpr char kTaken[] = "taken\n";

}  // namespace

QString linkSocket() {
  const QString named = qEnvironmentVariable("RELAXSCOPE_SOCKET");
  if (!named.isEmpty()) return named;
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation);
  // Without the desktop's folder Qt makes one up, one for all homes that a user has, as of containers and tests. A path
  // in the home itself may be too long for a socket.
  QString name = QStringLiteral("relaxscope.socket");
  if (qEnvironmentVariableIsEmpty("XDG_RUNTIME_DIR")) {
    const QByteArray home = QCryptographicHash::hash(QDir::homePath().toUtf8(), QCryptographicHash::Sha256);
    name = QStringLiteral("relaxscope-%1.socket").arg(QString::fromLatin1(home.toHex().left(16)));
  }
  return QDir(folder.isEmpty() ? QDir::tempPath() : folder).filePath(name);
}

LinkServer::LinkServer(QObject* parent) : QObject(parent), server_(new QLocalServer(this)) {
  server_->setSocketOptions(QLocalServer::UserAccessOption);
  connect(server_, &QLocalServer::newConnection, this, &LinkServer::take);
}

bool LinkServer::listen(const QString& socket) {
  QLocalSocket other;
  other.connectToServer(socket);
  if (other.waitForConnected(kPatience / 10)) return false;  // another window answers
  QLocalServer::removeServer(socket);                        // what a window that died left there
  return server_->listen(socket);
}

void LinkServer::take() {
  while (QLocalSocket* socket = server_->nextPendingConnection()) {
    connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
    connect(socket, &QLocalSocket::readyRead, this, [this, socket] {
      if (socket->bytesAvailable() > kLongestLink) return socket->abort();
      if (!socket->canReadLine()) return;
      const QString link = QString::fromUtf8(socket->readLine()).trimmed();
      Place place;
      QString file;
      if (!placeOfLink(link, &place, &file)) return socket->abort();
      socket->write(kTaken);
      socket->disconnectFromServer();
      Q_EMIT linkArrived(link);
    });
  }
}

bool sendLink(const QString& socket, const QString& link) {
  QLocalSocket client;
  client.connectToServer(socket);
  if (!client.waitForConnected(kPatience)) return false;
  client.write(link.toUtf8() + '\n');
  return client.waitForBytesWritten(kPatience) && client.waitForReadyRead(kPatience) && client.readAll() == kTaken;
}

}  // namespace rx::views
