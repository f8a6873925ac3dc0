// The help page of a panel: what it is for, how to use it, and the commands that belong to it, with the keys that run them now.
#pragma once

#include <QString>

namespace rx::views {

class Settings;

/// The page as text: the panel's purpose, then a line a command, cells parted by tabs. Empty for an unknown panel.
QString panelHelpText(const QString& panel, const Settings& settings);

}  // namespace rx::views
