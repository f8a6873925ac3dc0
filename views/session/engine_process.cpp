#include "views/session/engine_process.h"

#include <QTimer>
#include <utility>

#include "views/models/process_end.h"
#include "views/models/tool_path.h"

namespace rx::views {

EngineProcess::EngineProcess(QObject* parent) : QObject(parent) {
  client_ = std::make_unique<dap::Client>([this](std::string bytes) {
    if (process_.state() == QProcess::Starting) unsent_.append(bytes.data(), static_cast<qsizetype>(bytes.size()));
    if (process_.state() == QProcess::Running) process_.write(bytes.data(), static_cast<qint64>(bytes.size()));
  });
  client_->onEvent(
      [this](const dap::Event& received) { Q_EMIT told(QString::fromStdString(received.event), received.body); });
  client_->onProblem([this](const std::vector<Diagnostic>& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics) Q_EMIT said(QString::fromStdString(diagnostic.message));
  });
  // What is asked before the child runs is kept until it does: nobody waits for that.
  connect(&process_, &QProcess::started, this, [this] { process_.write(std::exchange(unsent_, {})); });
  connect(&process_, &QProcess::readyReadStandardOutput, this, [this] {
    received_ += process_.readAllStandardOutput();
    if (!takes_) takePart();
  });
  connect(&process_, &QProcess::readyReadStandardError, this,
          [this] { Q_EMIT said(QString::fromUtf8(process_.readAllStandardError()).trimmed()); });
  connect(&process_, &QProcess::finished, this,
          [this](int code, QProcess::ExitStatus status) { end(processEnd(code, status)); });
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) end(tr("did not start: %1").arg(process_.errorString()));
  });
}

EngineProcess::~EngineProcess() {
  process_.disconnect(this);
  gone_ = true;
  if (process_.state() == QProcess::NotRunning) return;
  process_.kill();
  // A killed child is reaped at once; the limit is for one that hangs in the kernel.
  constexpr int kReapLimit = 500;
  process_.waitForFinished(kReapLimit);
}

/// A part at a time, so that many answers at once do not hold the window up.
void EngineProcess::takePart() {
  if (gone_) return;
  constexpr qsizetype kPart = 64 * 1024;  // less than most answers, so that no two are taken in one event
  const QByteArray part = received_.left(kPart);
  received_.remove(0, part.size());
  takes_ = !received_.isEmpty();
  if (takes_) QTimer::singleShot(0, this, &EngineProcess::takePart);
  client_->feed(std::string_view(part.constData(), static_cast<size_t>(part.size())));
}

void EngineProcess::retire() {
  gone_ = true;
  disconnect();
  process_.disconnect(this);
  if (process_.state() == QProcess::NotRunning) return deleteLater();
  connect(&process_, &QProcess::finished, this, &QObject::deleteLater);
  process_.kill();
}

void EngineProcess::leave() {
  if (!attached_ || process_.state() != QProcess::Running) return retire();
  dap::DisconnectArguments again;
  again.restart = true;
  client_->call<dap::Disconnect>(again);
  process_.closeWriteChannel();
  gone_ = true;
  disconnect();
  process_.disconnect(this);
  connect(&process_, &QProcess::finished, this, &QObject::deleteLater);
  // An engine that does not answer keeps nobody waiting.
  constexpr int kAnswerLimit = 2000;
  QTimer::singleShot(kAnswerLimit, this, [this] { process_.kill(); });
}

void EngineProcess::answerRest() { client_->closed("the run was ended"); }

QString EngineProcess::start(const QString& writable, const QStringList& plugins) {
  const QString tool = toolPath();
  if (tool.isEmpty()) return tr("rxs is not beside this program; it is the engine");
  QStringList arguments{"dap", "--confine", "--allow-write", writable};
  for (const QString& plugin : plugins) arguments << "--plugin" << plugin;
  // What it leaves when it is killed goes with the folder that it may write to.
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("TMPDIR"), writable);
  process_.setProcessEnvironment(environment);
  process_.start(tool, arguments);
  return {};
}

QString EngineProcess::attach(const QString& address, const QString& token) {
  const QString tool = toolPath();
  if (tool.isEmpty()) return tr("rxs is not beside this program; it carries what is said to the engine");
  // Not as an argument, which everybody on this machine could read.
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("RXS_DAP_TOKEN"), token);
  process_.setProcessEnvironment(environment);
  process_.start(tool, {"dap", "--connect", address});
  attached_ = true;
  return {};
}

void EngineProcess::end(const QString& how) {
  if (gone_) return;
  gone_ = true;
  const QByteArray rest = received_ + process_.readAllStandardOutput();
  received_.clear();
  client_->feed(std::string_view(rest.constData(), static_cast<size_t>(rest.size())));
  // First the news, then the answers to what was asked: whoever reads those knows why they fail.
  Q_EMIT gone(how);
  client_->closed(how.toStdString());
}

}  // namespace rx::views
