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
  /// Keeps what `window` selects now.
  PanelLock(Selection* window, LockKind kind, QObject* parent);
  Selection* selection() { return &own_; }
  const Place& place() const { return own_.place(); }
  /// What is kept, for the tab: "stage 4", "main", "lv3".
  QString label() const;

 private:
  void follow(const Place& place);
  LockKind kind_;
  Place kept_;
  Selection own_;
};

}  // namespace rx::views
