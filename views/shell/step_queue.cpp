#include "views/shell/step_queue.h"

namespace rx::views {

StepQueue::StepQueue(DebugSession* debug, QObject* parent) : QObject(parent), debug_(debug) {
  connect(debug, &DebugSession::stateChanged, this, &StepQueue::advance, Qt::QueuedConnection);
  connect(debug, &DebugSession::stopChanged, this, &StepQueue::advance, Qt::QueuedConnection);
}

void StepQueue::run(Step step, int count) {
  step_ = step;
  left_ = count;
  afterDeath_ = debug_->state() == RunState::Died;
  advance();
}

void StepQueue::advance() {
  if (left_ <= 0 || !debug_->idle()) return;
  const RunState state = debug_->state();
  if (state == RunState::Starting || state == RunState::Running) return;
  const bool died = state == RunState::Died;
  // A death in the middle ends the steps; steps that were asked for after it go over the recorded trace.
  if (state == RunState::Off || (died && !afterDeath_)) {
    left_ = 0;
    return;
  }
  --left_;
  (debug_->*step_)();
  if (died && debug_->idle() && debug_->state() == RunState::Died) left_ = 0;  // there is nothing to look at
}

}  // namespace rx::views
