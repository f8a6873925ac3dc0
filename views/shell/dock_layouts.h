// The built-in layouts as data: which panels are seen, how the window is split for them, and how width and height are
// shared; each with a form for narrow windows, where more panels are tabs of one place.
#pragma once

#include <QString>
#include <QStringList>
#include <span>

#include "views/panels/panel.h"

namespace rx::views {

/// One place of a layout: the areas whose panels are tabs in it, and the earlier place that it is split from.
struct LayoutCell {
  uint8_t areas;  // bits of PanelArea
  int8_t from;    // number of the place that it is split from; -1 for the first
  Qt::Orientation way;
  const char* panels = "";  // ids of those that are seen here though they start hidden or their area is another place's
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
  const char* name;
  bool narrow;
  const char* shown;  // ids of the panels that are seen, separated by blanks; empty for all that start visible
  const char* front;  // ids of those in front of their tabs
  std::span<const LayoutCell> cells;
  std::span<const LayoutShare> shares;
};

/// Whether a place of the layout has the panel by its id.
bool isNamed(const Layout& layout, const PanelRow& row);
/// The number of the place that a panel has in a layout.
size_t cellOf(const Layout& layout, const PanelRow& row);

constexpr uint8_t areaBit(PanelArea area) { return static_cast<uint8_t>(1U << static_cast<uint8_t>(area)); }

/// The built-in layout of that name, whatever its case; null when there is none.
const Layout* builtInLayout(const QString& name, bool narrow);
QStringList builtInLayouts();
/// What two forms of a function are shown in: graph over text, to the right of the module where there is room.
const Layout& formsLayout(bool narrow);
QStringList idsOf(const char* text);

}  // namespace rx::views
