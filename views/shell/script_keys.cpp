#include "views/shell/script_keys.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QKeySequence>
#include <QLabel>
#include <QShortcut>
#include <QWidget>

namespace rx::views {
namespace {

/// Who gets a key: an open list or menu, else what has the focus, else the window in front.
QWidget* receiver(QWidget* window) {
  if (QWidget* popup = QApplication::activePopupWidget()) return popup->focusWidget() ? popup->focusWidget() : popup;
  if (QWidget* focus = QApplication::focusWidget()) return focus;
  QWidget* active = QApplication::activeWindow();
  return active ? active : window;
}

bool send(QWidget* to, QEvent::Type type, QKeyCombination key, const QString& text) {
  QKeyEvent event(type, key.key(), key.keyboardModifiers(), text);
  event.ignore();
  QApplication::sendEvent(to, &event);
  return event.isAccepted();
}

/// The underlined letter of a label or a button of the window: the former's field gets the focus, the latter is
/// pressed.
bool pressMnemonic(const QWidget* window, const QKeySequence& keys) {
  for (const QLabel* label : window->findChildren<QLabel*>()) {
    if (!label->buddy() || !label->isVisible() || QKeySequence::mnemonic(label->text()) != keys) continue;
    label->buddy()->setFocus(Qt::ShortcutFocusReason);
    return true;
  }
  for (QAbstractButton* button : window->findChildren<QAbstractButton*>()) {
    if (!button->isVisible() || !button->isEnabled() || button->shortcut() != keys) continue;
    button->click();
    return true;
  }
  return false;
}

/// The shortcut of the window that the widget is in; false where it has none that can be used now.
bool triggerShortcut(const QWidget* from, const QKeySequence& keys) {
  for (const QWidget* widget = from; widget; widget = widget->parentWidget()) {
    for (QAction* action : widget->actions()) {
      if (!action->isEnabled() || !action->shortcuts().contains(keys)) continue;
      action->trigger();
      return true;
    }
    for (QShortcut* shortcut : widget->findChildren<QShortcut*>(QString(), Qt::FindDirectChildrenOnly)) {
      if (!shortcut->isEnabled() || shortcut->key() != keys) continue;
      Q_EMIT shortcut->activated();
      return true;
    }
    if (widget->isWindow()) return pressMnemonic(widget, keys);
  }
  return false;
}

/// What a key writes: letters and signs, without Ctrl, Alt and Meta.
QString writtenBy(QKeyCombination key) {
  const bool plain = !(key.keyboardModifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier));
  if (key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter) return QStringLiteral("\r");
  if (key.key() == Qt::Key_Tab) return QStringLiteral("\t");
  if (!plain || key.key() < Qt::Key_Space || key.key() > Qt::Key_AsciiTilde) return {};
  const QChar letter(static_cast<char16_t>(key.key()));
  return key.keyboardModifiers() & Qt::ShiftModifier ? QString(letter) : QString(letter.toLower());
}

}  // namespace

QString pressKeys(QWidget* window, const QString& keys) {
  const QKeySequence sequence(keys, QKeySequence::PortableText);
  if (sequence.isEmpty() || sequence[0].key() == Qt::Key_unknown) return QStringLiteral("%1 is no key").arg(keys);
  QWidget* to = receiver(window);
  const QKeyCombination first = sequence[0];
  if (!send(to, QEvent::ShortcutOverride, first, writtenBy(first)) && triggerShortcut(to, sequence)) return {};
  for (int i = 0; i < sequence.count(); ++i) {
    to = receiver(window);
    send(to, QEvent::KeyPress, sequence[static_cast<uint>(i)], writtenBy(sequence[static_cast<uint>(i)]));
    if (QWidget* now = receiver(window)) send(now, QEvent::KeyRelease, sequence[static_cast<uint>(i)], {});
  }
  return {};
}

QString typeText(QWidget* window, const QString& text) {
  for (const QChar letter : text) {
    QWidget* to = receiver(window);
    const auto key = static_cast<Qt::Key>(letter.toUpper().unicode());
    send(to, QEvent::KeyPress, key, letter);
    send(receiver(window), QEvent::KeyRelease, key, letter);
  }
  return {};
}

}  // namespace rx::views
