#include "views/models/tool_job.h"

#include <QProcess>
#include <memory>
#include <utility>

#include "views/models/process_end.h"
#include "views/models/scratch_folder.h"
#include "views/models/tool_path.h"

namespace rx::views {

ToolJob::ToolJob(QObject* parent) : QObject(parent) {}

ToolJob::~ToolJob() { abandon(); }

QString ToolJob::start(const QStringList& arguments, Done done, Told told) {
  if (busy()) return tr("another one is still at work");
  const QString tool = toolPath();
  if (tool.isEmpty()) return tr("rxs is not beside this program, and it does the compiling");
  done_ = std::move(done);
  told_ = std::move(told);
  output_.clear();
  errors_.clear();
  toldTo_ = 0;
  cancelled_ = false;
  process_ = new QProcess(this);
  process_->setProcessChannelMode(told_ ? QProcess::SeparateChannels : QProcess::MergedChannels);
  connect(process_, &QProcess::readyReadStandardOutput, this, [this] { output_ += process_->readAllStandardOutput(); });
  connect(process_, &QProcess::readyReadStandardError, this, &ToolJob::tellLines);
  connect(process_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
    const bool killed = status == QProcess::CrashExit;
    end(!killed && code == 0, killed ? tr("rxs was %1").arg(processEnd(code, status)) : QString());
  });
  connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) end(false, tr("rxs did not start: %1").arg(process_->errorString()));
  });
  // What it leaves when it is killed goes with the process.
  if (const auto folder = std::make_shared<ScratchFolder>(); !folder->path().isEmpty()) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("TMPDIR"), folder->path());
    process_->setProcessEnvironment(environment);
    connect(process_, &QObject::destroyed, process_, [folder] {});
  }
  process_->start(tool, arguments, QIODevice::ReadOnly);
  return {};
}

void ToolJob::tellLines() {
  if (!told_) return;  // both channels are one then
  errors_ += process_->readAllStandardError();
  // Who is told may end it all.
  for (qsizetype end = 0; process_ && (end = errors_.indexOf('\n', toldTo_)) >= 0;) {
    const QByteArray line = errors_.mid(toldTo_, end - toldTo_);
    toldTo_ = end + 1;
    told_(line);
  }
}

void ToolJob::end(bool ok, const QString& how) {
  if (!process_) return;
  tellLines();
  if (!process_) return;
  output_ += process_->readAllStandardOutput();
  if (output_.isEmpty()) output_ = errors_;
  // What it said until then does not say that.
  if (!how.isEmpty()) output_.prepend(how.toUtf8() + '\n');
  process_->deleteLater();
  process_ = nullptr;
  const Done done = std::exchange(done_, {});
  if (done) done(ok, QString::fromUtf8(output_));
  Q_EMIT finished();
}

void ToolJob::abandon() {
  if (!process_) return;
  done_ = {};
  process_->disconnect(this);
  process_->setParent(nullptr);
  connect(process_, &QProcess::finished, process_, &QObject::deleteLater);
  process_->kill();
  process_ = nullptr;
}

void ToolJob::cancel() {
  if (!process_) return;
  process_->disconnect(this);
  connect(process_, &QProcess::finished, process_, &QObject::deleteLater);
  process_->kill();
  process_ = nullptr;
  cancelled_ = true;
  const Done done = std::exchange(done_, {});
  if (done) done(false, tr("cancelled"));
  Q_EMIT finished();
}

}  // namespace rx::views
