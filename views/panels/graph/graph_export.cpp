#include "views/panels/graph/graph_export.h"

#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QTimer>

#include "views/models/output_bytes.h"

namespace rx::views {
namespace {

/// Graphviz needs longer than a person waits from some thousand nodes on.
constexpr int kLongestMilliseconds = 120'000;

}  // namespace

GraphExport::~GraphExport() {
  if (!process_) return;
  process_->disconnect(this);
  process_->kill();
  process_->waitForFinished(1000);
}

bool GraphExport::start(const QString& path, const QByteArray& dot, std::function<void(const QString&)> done,
                        QString* error) {
  const QString ending = QFileInfo(path).suffix().toLower();
  if (busy()) {
    *error = tr("A graph is being written already.");
  } else if (ending == QLatin1String("dot") || ending == QLatin1String("gv")) {
    *error = writeOutput(path, dot);
    if (error->isEmpty()) done({});
    return error->isEmpty();
  } else if (ending != QLatin1String("svg") && ending != QLatin1String("pdf") && ending != QLatin1String("png")) {
    *error = tr("%1: the ending has to be .svg, .pdf, .png or .dot.").arg(path);
  } else if (QStandardPaths::findExecutable(QStringLiteral("dot")).isEmpty()) {
    *error = tr("Not available: the program dot of Graphviz is not installed. A .dot file can be written without it.");
  }
  if (!error->isEmpty()) return false;
  done_ = std::move(done);
  process_ = new QProcess(this);
  connect(process_, &QProcess::finished, this, [this, path](int code, QProcess::ExitStatus status) {
    const QByteArray picture = process_->readAllStandardOutput();
    const QString said = QString::fromUtf8(process_->readAllStandardError()).trimmed();
    if (status != QProcess::NormalExit || code != 0 || picture.isEmpty())
      return finish(tr("Graphviz failed: %1").arg(said.isEmpty() ? tr("it ended without a picture") : said.left(400)));
    finish(writeOutput(path, picture));
  });
  connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError what) {
    if (what == QProcess::FailedToStart) finish(tr("Graphviz could not be started: %1").arg(process_->errorString()));
  });
  QTimer::singleShot(kLongestMilliseconds, process_, [this] { process_->kill(); });
  process_->start(QStringLiteral("dot"), {QStringLiteral("-T") + ending});
  process_->write(dot);
  process_->closeWriteChannel();
  return true;
}

void GraphExport::finish(const QString& error) {
  process_->disconnect(this);
  process_->deleteLater();
  process_ = nullptr;
  const auto done = std::move(done_);
  done_ = nullptr;
  if (done) done(error);
}

}  // namespace rx::views
