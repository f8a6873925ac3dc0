// The help page of a panel: what it is for, how to use it, and the commands that belong to it, with their keys.
#pragma once

#include <QString>

namespace rx::views {

/// The page as text: the panel's purpose, then a line a command, cells parted by tabs. Empty for an unknown panel.
QString panelHelpText(const QString& panel);

}  // namespace rx::views
