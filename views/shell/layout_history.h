// Undo and redo of changes to the arrangement of panels.
#pragma once

#include <QByteArray>
#include <vector>

namespace rx::views {

class LayoutHistory {
 public:
  /// The present arrangement, where it differs from the last noted one by what is no change of its own (sizes).
  void renew(const QByteArray& state);
  /// The arrangement after a change; one that equals the last is no change.
  void note(const QByteArray& state);
  bool canUndo() const { return at_ > 0; }
  bool canRedo() const { return at_ + 1 < states_.size(); }
  /// The arrangement to go to; only when there is one.
  const QByteArray& undo() { return states_[--at_]; }
  const QByteArray& redo() { return states_[++at_]; }

 private:
  std::vector<QByteArray> states_;
  size_t at_ = 0;
};

}  // namespace rx::views
