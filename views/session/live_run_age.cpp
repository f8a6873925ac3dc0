#include "views/session/live_run_age.h"

#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "views/models/debug_session.h"
#include "views/models/document.h"

namespace rx::views {

LiveRunAge::LiveRunAge(Document* document, DebugSession* debug) : QObject(debug), document_(document), debug_(debug) {
  connect(document, &Document::stepsChanged, this, &LiveRunAge::look);
  connect(document, &Document::opened, this, &LiveRunAge::look);
  connect(document, &Document::fileChanged, this, &LiveRunAge::look);
  connect(debug, &DebugSession::stateChanged, this, [this] {
    if (debug_->state() == RunState::Starting) begin();
    if (debug_->state() == RunState::Off) end();
  });
}

QStringList LiveRunAge::passes() const {
  QStringList passes;
  for (const StepRow& step : document_->steps()) passes << step.name + '(' + step.options + ')';
  return passes;
}

void LiveRunAge::begin() {
  end();
  runs_ = true;
  text_ = document_->sourceText();
  pipeline_ = looked_ = document_->pipeline();
  target_ = document_->target();
  passes_ = passes();
  const RunConfig& config = debug_->config();
  for (const QString& path : QStringList{config.inputsFile, config.paramsFile} + config.files) {
    if (path.isEmpty()) continue;
    auto watch = std::make_unique<FileWatch>();
    connect(watch.get(), &FileWatch::changed, this, [this, path](bool gone) {
      if (gone || !changedFile_.isEmpty()) return;
      changedFile_ = QFileInfo(path).fileName();
      look();
    });
    watch->watch(path, stampsOf(path));
    watched_.push_back(std::move(watch));
  }
}

void LiveRunAge::end() {
  runs_ = false;
  watched_.clear();
  changedFile_.clear();
  past_.clear();
}

bool LiveRunAge::knowsStage(int stage) const {
  if (past_.isEmpty() || !document_->canRunPasses() || stage <= 0) return true;
  const QStringList now = passes();
  if (document_->target() != target_ || stage >= now.size() || stage >= passes_.size()) return false;
  return std::equal(now.begin(), now.begin() + stage + 1, passes_.begin());
}

bool LiveRunAge::isOfOtherText() const {
  return runs_ && document_->canRunPasses() && document_->sourceText() != text_;
}

QString LiveRunAge::find() const {
  if (!runs_) return {};
  const bool changed = document_->fileState() == Document::FileState::Changed && document_->canRunPasses();
  if (changed || isOfOtherText()) return tr("%1 before it changed").arg(QFileInfo(document_->sourceFile()).fileName());
  if (!changedFile_.isEmpty()) return tr("%1 before it changed").arg(changedFile_);
  if (document_->pipeline() != pipeline_) return tr("another pipeline");
  return document_->target() != target_ ? tr("another target") : QString();
}

void LiveRunAge::look() {
  const QString before = std::exchange(past_, find());
  // Another pipeline after another one has other stages too.
  const bool stages = std::exchange(looked_, document_->pipeline()) != looked_;
  if (before == past_ && (past_.isEmpty() || !stages)) return;
  if (!knowsStage(debug_->config().stage)) debug_->selectStage(0);
  Q_EMIT debug_->outcomeChanged();
  if (debug_->idle()) Q_EMIT debug_->stopChanged();  // else the answer that is waited for shows all
}

}  // namespace rx::views
