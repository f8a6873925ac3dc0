// Keys as a person presses them, for scripts: to whatever has the focus, past the shortcuts of the window.
#pragma once

#include <QString>

class QWidget;

namespace rx::views {

/// Presses keys such as "Ctrl+Shift+P" or "Down". What has the focus may take them before a shortcut of `window` does.
/// The answer is empty, or why there is no such key.
QString pressKeys(QWidget* window, const QString& keys);

/// Types a text into what has the focus.
QString typeText(QWidget* window, const QString& text);

}  // namespace rx::views
