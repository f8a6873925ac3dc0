// The built-in layouts as data: how the window is split for them and how width and height are shared; each with a form
// for narrow windows, where more panels are tabs of one place. Which panel stands where is the panel table's.
#pragma once

#include <QString>
#include <QStringList>
#include <span>

#include "views/shell/panel_table.h"

namespace rx::views {

/// One place of a layout: its area, and the earlier place that it is split from.
struct LayoutCell {
  PanelArea area;
  int8_t from;  // number of the place that it is split from; -1 for the first
  Qt::Orientation way;
};

/// Places that share a length, in percent. Each is a place whose next split in that direction is the one that is meant.
struct LayoutShare {
  Qt::Orientation way;
  int8_t inside;  // the place whose length in that direction they share, shared before; -1 for the window
  struct Part {
    int8_t cell = -1;
    int8_t percent = 0;
  };
  Part parts[4];
};

struct Layout {
  LayoutForm form;
  const char* name;
  std::span<const LayoutCell> cells;
  std::span<const LayoutShare> shares;
};

/// The number of the place that a panel has in a layout.
size_t cellOf(const Layout& layout, const PanelRow& row);

/// The built-in layout of that name, whatever its case; null when there is none.
const Layout* builtInLayout(const QString& name, bool narrow);
QStringList builtInLayouts();
/// What two forms of a function are shown in: graph over text, to the right of the module where there is room.
const Layout& formsLayout(bool narrow);
/// All of them, with both forms of each.
std::span<const Layout> everyLayout();

}  // namespace rx::views
