#include "views/shell/step_queue.h"

namespace rx::views {

StepQueue::StepQueue(DebugSession* debug, QObject* parent) : QObject(parent), debug_(debug) {
  connect(debug, &DebugSession::stateChanged, this, &StepQueue::advance, Qt::QueuedConnection);
  connect(debug, &DebugSession::stopChanged, this, &StepQueue::advance, Qt::QueuedConnection);
}

void StepQueue::run(Step step, int count) {
  step_ = step;
  left_ = count;
  advance();
}

void StepQueue::advance() {
  if (left_ <= 0 || !debug_->idle()) return;
  const RunState state = debug_->state();
  if (state == RunState::Starting || state == RunState::Running) return;
  if (state == RunState::Off || state == RunState::Died) {
    left_ = 0;
    return;
  }
  --left_;
  (debug_->*step_)();
}

}  // namespace rx::views
