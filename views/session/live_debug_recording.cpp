// A run that was recorded before, from its file: read by an engine that runs nothing.
#include <QFileInfo>

#include "views/models/problem_list.h"
#include "views/session/live_debug_ask.h"

namespace rx::views {

void LiveDebug::openRecording(const QString& path) {
  dropEngine();
  forgetRun();
  breakpoints_.forgetRun();
  config_ = {};
  recording_ = true;
  tracePath_ = path;
  document_->setProblems(kOfRun, {});
  note(LogLine::Kind::Note, tr("reads the recording %1").arg(path));
  if (!QFile::exists(path))
    return fail({errorAt({}, "trace.file", tr("%1: there is no such file").arg(path).toStdString())});
  setState(RunState::Starting);
  Q_EMIT outcomeChanged();
  Q_EMIT traceChanged();
  Q_EMIT stopChanged();
  openTrace();
}

QString LiveDebug::otherModule(const dap::StagesBody& stages) const {
  const StageIndexPtr imported = document_->stage(0, false);
  if (!imported) return tr("the module is not ready");
  if (stages.stages.empty()) return tr("the recording has no stages");
  const dap::StageInfo& recorded = stages.stages.front();
  for (const std::string& name : recorded.functions) {
    if (!imported->function(qtText(name)))
      return tr("this recording is of another module: %1 has no function %2").arg(document_->title(), qtText(name));
  }
  if (imported->hash != qtText(recorded.hash))
    return tr("this recording is of another module: that of %1 differs").arg(document_->title());
  return {};
}

void LiveDebug::showRecording(const dap::Position& position) {
  setState(RunState::Stopped);  // it can be asked from now on
  ask<dap::Stages>({}, [this, position](const dap::StagesBody& stages) {
    if (const QString refused = otherModule(stages); !refused.isEmpty()) {
      dropEngine();
      forgetRun();
      return fail({errorAt({}, "trace.file", refused.toStdString())});
    }
    config_.stage = static_cast<int>(stages.selected);
    sendFilters();
    sendBreakpoints();
    stop_.reason = "end";
    takePosition(position);
    stop_.description = tr("the recording %1 ends here").arg(QFileInfo(tracePath_).fileName());
    config_.function = stop_.function;
    setState(RunState::Ended);
    askAll();
  });
}

}  // namespace rx::views
