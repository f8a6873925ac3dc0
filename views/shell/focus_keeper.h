// Keeps the focus where it was.
#pragma once

#include <QApplication>
#include <QPointer>
#include <QWidget>

namespace rx::views {

/// Whoever has the focus has it again when docks were moved or raised, which takes it away.
class FocusKeeper {
 public:
  FocusKeeper() : had_(QApplication::focusWidget()) {}
  FocusKeeper(const FocusKeeper&) = delete;
  FocusKeeper& operator=(const FocusKeeper&) = delete;
  ~FocusKeeper() {
    if (had_) had_->setFocus(Qt::OtherFocusReason);
  }

 private:
  QPointer<QWidget> had_;
};

}  // namespace rx::views
