// Keeps the focus where it was, and gives it to parts of the window.
#pragma once

#include <QApplication>
#include <QLabel>
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

/// Gives a part of the window the focus: what it has for that, else the first thing in it that the Tab key reaches, else
/// what it shows in words. A panel without rows has no list to be seen, but keys are still about it.
inline void giveFocus(QWidget* part) {
  part->setFocus(Qt::OtherFocusReason);
  const QWidget* now = QApplication::focusWidget();
  if (now && (now == part || part->isAncestorOf(now))) return;
  QWidget* words = nullptr;
  for (QWidget* child : part->findChildren<QWidget*>()) {
    if (!child->isVisible() || !child->isEnabled() || child->focusProxy()) continue;
    if (child->focusPolicy() & Qt::TabFocus) return child->setFocus(Qt::OtherFocusReason);
    if (!words && qobject_cast<QLabel*>(child)) words = child;
  }
  if (words) words->setFocus(Qt::OtherFocusReason);
}

}  // namespace rx::views
