// The panel table: one row a dock. A new panel is its folder, its row in views/CMakeLists.txt and its row here.
#pragma once

#include <span>

#include "views/panels/panel.h"

namespace rx::views {

std::span<const PanelRow> panelTable();

}  // namespace rx::views
