#include "core/debug/history.h"

#include <algorithm>

namespace rx::debug {

void History::begin(int function, int64_t instruction) {
  activations_.push_back({function, -1, -1});
  depths_.push_back(1);
  last_ = {instruction, 0};
}

void History::append(StepRecord record, int pushed, int64_t next) {
  int64_t step = recorded();
  int activation = record.activation;
  OpKind op = program().instructions[static_cast<size_t>(record.instruction)].op;
  steps_.push_back(std::move(record));
  if (pushed >= 0) {
    activations_.push_back({pushed, activation, step});
    depths_.push_back(depths_[static_cast<size_t>(activation)] + 1);
    activation = static_cast<int>(activations_.size()) - 1;
  } else if (op == OpKind::Ret) {
    activation = activations_[static_cast<size_t>(activation)].parent;
  }
  last_ = {activation < 0 ? -1 : next, activation};
}

void History::finish(RunEnd end, std::vector<Diagnostic> failure) {
  end_ = end;
  failure_ = std::move(failure);
}

Next History::next(int64_t state) const {
  if (state < 0 || state > recorded()) return {};
  if (state == recorded()) return last_;
  const StepRecord& step = steps_[static_cast<size_t>(state)];
  return {step.instruction, step.activation};
}

std::vector<Next> History::frames(int64_t state) const {
  std::vector<Next> found;
  Next frame = next(state);
  // After the last return there is no frame, though what the outermost one held can still be looked at.
  while (frame.activation >= 0) {
    found.push_back(frame);
    const Activation& activation = activations_[static_cast<size_t>(frame.activation)];
    if (activation.parent < 0) break;
    frame = {steps_[static_cast<size_t>(activation.callStep)].instruction, activation.parent};
  }
  return found;
}

int64_t History::lastStateOf(int activation, int64_t state) const {
  if (activation < 0 || activation >= static_cast<int>(activations_.size())) return -1;
  int64_t first = activations_[static_cast<size_t>(activation)].callStep + 1;
  for (int64_t s = std::min(state, recorded()); s >= first; --s) {
    // The frame exists where it is the running one or below it on the stack.
    for (int a = next(s).activation; a >= activation; a = activations_[static_cast<size_t>(a)].parent)
      if (a == activation) return s;
  }
  return -1;
}

int History::depth(int64_t state) const {
  int activation = next(state).activation;
  return activation < 0 ? 0 : depths_[static_cast<size_t>(activation)];
}

Result<Unit> History::changeable() const {
  return fail("debug.recorded", "what is shown is a recording, not a run: its values can not be changed");
}

Result<vm::Value> History::held(int, int) const { return changeable().failure(); }

Result<Unit> History::change(Change) { return changeable(); }

}  // namespace rx::debug
