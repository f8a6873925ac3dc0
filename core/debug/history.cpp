#include "core/debug/history.h"

#include <algorithm>

namespace rx::debug {

void History::begin(int function, int64_t instruction) {
  activations_.push_back({function, -1, -1, -1, 1});
  last_ = {instruction, 0};
}

void History::resume(int64_t firstStep, std::map<int, Activation> carried, Next next) {
  firstStep_ = firstStep;
  firstActivation_ = carried.empty() ? 0 : carried.rbegin()->first + 1;
  carried_ = std::move(carried);
  last_ = next;
}

const StepRecord& History::step(int64_t number) const {
  static const StepRecord kUnknown;
  if (number < firstStep_ || number >= recorded()) return kUnknown;
  return steps_[static_cast<size_t>(number - firstStep_)];
}

const Activation& History::activation(int number) const {
  static const Activation kUnknown;
  if (number >= firstActivation_ && number < activationCount())
    return activations_[static_cast<size_t>(number - firstActivation_)];
  const auto carried = carried_.find(number);
  return carried == carried_.end() ? kUnknown : carried->second;
}

void History::append(StepRecord record, int pushed, int64_t next) {
  int64_t step = recorded();
  int activation = record.activation;
  OpKind op = program().instructions[static_cast<size_t>(record.instruction)].op;
  steps_.push_back(std::move(record));
  if (pushed >= 0) {
    activations_.push_back(
        {pushed, activation, step, steps_.back().instruction, this->activation(activation).depth + 1});
    activation = activationCount() - 1;
  } else if (op == OpKind::Ret) {
    activation = this->activation(activation).parent;
  }
  last_ = {activation < 0 ? -1 : next, activation};
}

void History::finish(RunEnd end, std::vector<Diagnostic> failure) {
  end_ = end;
  failure_ = std::move(failure);
}

Next History::next(int64_t state) const {
  if (state < firstStep_ || state > recorded()) return {};
  if (state == recorded()) return last_;
  const StepRecord& taken = step(state);
  return {taken.instruction, taken.activation};
}

std::vector<Next> History::frames(int64_t state) const {
  std::vector<Next> found;
  Next frame = next(state);
  // After the last return there is no frame, though what the outermost one held can still be looked at.
  while (frame.activation >= 0) {
    found.push_back(frame);
    const Activation& call = activation(frame.activation);
    if (call.parent < 0) break;
    frame = {call.callInstruction, call.parent};
  }
  return found;
}

int64_t History::lastStateOf(int activation, int64_t state) const {
  if (activation < 0 || this->activation(activation).function < 0) return -1;
  const int64_t first = std::max(this->activation(activation).callStep + 1, firstStep_);
  for (int64_t s = std::min(state, recorded()); s >= first; --s) {
    // The frame exists where it is the running one or below it on the stack.
    for (int a = next(s).activation; a >= activation; a = this->activation(a).parent)
      if (a == activation) return s;
  }
  return -1;
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
