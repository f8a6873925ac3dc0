// What a locked (pinned) panel looks at: a selection of its own that keeps a stage, a function or a binding, whatever the
// window's selection does.
#pragma once

#include "views/models/selection.h"

namespace rx::views {

enum class LockKind : uint8_t { None, Stage, Function, Binding };

/// "stage", "function", "binding"; None for anything else.
LockKind lockKindOf(const QString& word);

class PanelLock : public QObject {
  Q_OBJECT

 public:
  /// Keeps what `window` selects now, at another stage where one is named.
  PanelLock(Selection* window, LockKind kind, QObject* parent, int stage = -1);
  Selection* selection() { return &own_; }
  const Place& place() const { return own_.place(); }
  /// How closely the panel is locked to a place: to its binding 3, its function 2, its stage 1; 0 where it shows
  /// another.
  int closeness(const Place& place) const;
  /// What is kept, for the tab: "stage 4", "main", "lv3".
  QString label() const;

 private:
  void follow(const Place& place);
  LockKind kind_;
  Place kept_;
  Selection own_;
};

}  // namespace rx::views
