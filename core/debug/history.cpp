#include "core/debug/history.h"

#include <algorithm>

namespace rx::debug {

void History::finish(RunEnd end, std::vector<Diagnostic> failure) {
  end_ = end;
  failure_ = std::move(failure);
}

std::vector<Next> History::frames(int64_t state) const {
  std::vector<Next> found;
  Next frame = next(state);
  // After the last return there is no frame, though what the outermost one held can still be looked at.
  while (frame.activation >= 0) {
    found.push_back(frame);
    const Activation call = activation(frame.activation);
    if (call.parent < 0) break;
    frame = {call.callInstruction, call.parent};
  }
  return found;
}

int64_t History::lastStateOf(int activation, int64_t state) const {
  const Activation frame = this->activation(activation);
  if (frame.function < 0) return -1;
  const int64_t last = std::min({state, recorded(), frame.lastState});
  return last >= std::max(frame.callStep + 1, oldest()) ? last : -1;
}

int64_t History::lastRunning(int activation, int64_t state) const {
  int64_t last = lastStateOf(activation, state);
  if (last < 0) return -1;
  int running = next(last).activation;
  while (running > activation) {
    const Activation called = this->activation(running);
    last = called.callStep;
    running = called.parent;
  }
  return running == activation && next(last).activation == activation ? last : -1;
}

int64_t History::previous(int64_t state) const {
  if (state <= oldest()) return -1;
  const int here = next(state).activation, before = next(state - 1).activation;
  if (here < 0 || before == here) return here < 0 ? -1 : state - 1;
  // The step before was the return of a frame that this one had called, or its own call.
  const Activation other = activation(before);
  return other.parent == here && next(other.callStep).activation == here ? other.callStep : -1;
}

int64_t History::following(int64_t step) const {
  if (step < oldest() || step >= recorded()) return -1;
  const int here = next(step).activation, behind = next(step + 1).activation;
  if (here < 0 || behind < 0) return -1;
  if (behind == here) return step + 1;
  const Activation called = activation(behind);
  return called.parent == here && called.callStep == step && called.returned ? called.lastState + 1 : -1;
}

int History::depth(int64_t state) const {
  const int running = next(state).activation;
  return running < 0 ? 0 : activation(running).depth;
}

Result<Unit> History::changeable() const {
  return fail("debug.recorded", "what is shown is a recording, not a run: its values can not be changed");
}

Result<vm::Value> History::held(int, int) const { return changeable().failure(); }

Result<Unit> History::change(Change) { return changeable(); }

}  // namespace rx::debug
