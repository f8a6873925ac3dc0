#include "views/shell/layout_history.h"

namespace rx::views {

void LayoutHistory::renew(const QByteArray& state) {
  if (states_.empty()) return note(state);
  states_[at_] = state;
}

void LayoutHistory::note(const QByteArray& state) {
  constexpr size_t kMost = 50;
  if (!states_.empty()) {
    if (states_[at_] == state) return;
    states_.resize(at_ + 1);
  }
  states_.push_back(state);
  if (states_.size() > kMost) states_.erase(states_.begin());
  at_ = states_.size() - 1;
}

}  // namespace rx::views
