// What every context menu offers that is about a binding.
#pragma once

#include <QStringList>

namespace rx::views {

/// Rows as of Panel::menuCommands, without "Show in ..." of the panel `self` (its id) that has the menu.
QStringList bindingMenu(const QString& self);

}  // namespace rx::views
