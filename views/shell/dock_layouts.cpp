#include "views/shell/dock_layouts.h"

#include <algorithm>

namespace rx::views {
namespace {

constexpr Qt::Orientation kAcross = Qt::Horizontal;
constexpr Qt::Orientation kDown = Qt::Vertical;
constexpr uint8_t kLeftTop = areaBit(PanelArea::LeftTop), kLeftBottom = areaBit(PanelArea::LeftBottom),
                  kText = areaBit(PanelArea::Center), kGraph = areaBit(PanelArea::CenterRight),
                  kRight = areaBit(PanelArea::Right), kBottom = areaBit(PanelArea::Bottom),
                  kStrip = areaBit(PanelArea::Strip);

// Columns are split before what stands in each of them: splitting a tabbed dock would only add a tab.
constexpr LayoutCell kReadCells[] = {
    {kLeftTop, -1, kAcross},
    {kGraph, 0, kAcross},
    {kText, 1, kAcross},
    {kLeftBottom, 0, kDown},
    {uint8_t(kRight | kBottom | kStrip), 2, kDown},
};
constexpr LayoutShare kReadShares[] = {
    {kAcross, -1, {{0, 20}, {1, 40}, {2, 40}}},
    {kDown, -1, {{0, 52}, {3, 48}}},
    {kDown, -1, {{2, 60}, {4, 40}}},
};
constexpr LayoutCell kReadNarrowCells[] = {
    {uint8_t(kGraph | kLeftTop | kLeftBottom), -1, kAcross},
    {kText, 0, kAcross},
    {uint8_t(kRight | kBottom | kStrip), 1, kDown},
};
constexpr LayoutShare kReadNarrowShares[] = {
    {kAcross, -1, {{0, 46}, {1, 54}}},
    {kDown, -1, {{1, 58}, {2, 42}}},
};

constexpr LayoutCell kDebugCells[] = {
    {kLeftTop, -1, kAcross}, {kStrip, 0, kDown},  {kText, 0, kAcross},  {kRight, 2, kAcross},
    {kLeftBottom, 0, kDown}, {kBottom, 2, kDown}, {kGraph, 2, kAcross},
};
constexpr LayoutShare kDebugShares[] = {
    {kDown, -1, {{3, 93}, {1, 7}}},   {kAcross, -1, {{0, 17}, {5, 62}, {3, 21}}},
    {kAcross, 5, {{2, 60}, {6, 40}}}, {kDown, 3, {{2, 70}, {5, 30}}},
    {kDown, 3, {{0, 68}, {4, 32}}},
};
constexpr LayoutCell kDebugNarrowCells[] = {
    {uint8_t(kText | kGraph | kLeftTop | kLeftBottom), -1, kAcross},
    {kStrip, 0, kDown},
    {kRight, 0, kAcross},
    {kBottom, 0, kDown, "registers watch"},
};
constexpr LayoutShare kDebugNarrowShares[] = {
    {kDown, -1, {{2, 92}, {1, 8}}},
    {kAcross, -1, {{3, 70}, {2, 30}}},
    {kDown, 2, {{0, 74}, {3, 26}}},
};

constexpr LayoutCell kProfileCells[] = {
    {kLeftTop, -1, kAcross},
    {kText, 0, kAcross},
    {uint8_t(kBottom | kStrip), 1, kDown},
    {kRight, 1, kAcross},
    {uint8_t(kLeftBottom | kGraph), 0, kDown},
};
constexpr LayoutShare kProfileShares[] = {
    {kAcross, -1, {{0, 28}, {2, 72}}},
    {kAcross, 1, {{1, 73}, {3, 27}}},
    {kDown, -1, {{0, 50}, {4, 50}}},
    {kDown, 1, {{1, 74}, {2, 26}}},
};
constexpr LayoutCell kProfileNarrowCells[] = {
    {uint8_t(kText | kGraph | kLeftTop | kLeftBottom), -1, kAcross},
    {uint8_t(kRight | kBottom | kStrip), 0, kDown},
};
constexpr LayoutShare kProfileNarrowShares[] = {
    {kDown, -1, {{0, 72}, {1, 28}}},
};

// The text is taken out of its tabs and put under the graph (DockArea::pairForms).
constexpr LayoutCell kFormsCells[] = {
    {uint8_t(kLeftTop | kLeftBottom | kText), -1, kAcross},
    {kGraph, 0, kAcross},
    {uint8_t(kRight | kBottom | kStrip), 0, kDown},
};

constexpr const char* kReadShown = "module symbols passes graph ir source diff inspector origin";
constexpr const char* kProfileShown =
    "module passes shares ir kernel profile roofline inspector flame memory problems log";
constexpr Layout kForms[] = {
    {"", false, "module passes graph ir inspector", "module graph ir inspector", kFormsCells, {}},
    {"", true, "graph ir", "graph ir", kFormsCells, {}},
};
constexpr Layout kLayouts[] = {
    {"Read", false, kReadShown, "module passes graph ir inspector", kReadCells, kReadShares},
    {"Read", true, kReadShown, "graph ir inspector", kReadNarrowCells, kReadNarrowShares},
    {"Debug", false, "", "module watch ir graph bytecode inspector", kDebugCells, kDebugShares},
    {"Debug", true, "", "ir bytecode inspector", kDebugNarrowCells, kDebugNarrowShares},
    {"Profile", false, kProfileShown, "module shares profile roofline flame", kProfileCells, kProfileShares},
    {"Profile", true, kProfileShown, "profile roofline", kProfileNarrowCells, kProfileNarrowShares},
};

bool names(const LayoutCell& cell, const PanelRow& row) {
  return *cell.panels && idsOf(cell.panels).contains(QLatin1String(row.id));
}

}  // namespace

const Layout* builtInLayout(const QString& name, bool narrow) {
  for (const Layout& layout : kLayouts) {
    if (layout.narrow == narrow && name.compare(QLatin1String(layout.name), Qt::CaseInsensitive) == 0) return &layout;
  }
  return nullptr;
}

bool isNamed(const Layout& layout, const PanelRow& row) {
  return std::ranges::any_of(layout.cells, [&](const LayoutCell& cell) { return names(cell, row); });
}

size_t cellOf(const Layout& layout, const PanelRow& row) {
  const auto found = std::ranges::find_if(layout.cells, [&, named = isNamed(layout, row)](const LayoutCell& cell) {
    return named ? names(cell, row) : (cell.areas & areaBit(row.area)) != 0;
  });
  return static_cast<size_t>(found - layout.cells.begin());
}

const Layout& formsLayout(bool narrow) { return kForms[narrow ? 1 : 0]; }

QStringList builtInLayouts() {
  QStringList names;
  for (const Layout& layout : kLayouts) {
    if (!layout.narrow) names << QString::fromLatin1(layout.name);
  }
  return names;
}

QStringList idsOf(const char* text) { return QString::fromLatin1(text).split(' ', Qt::SkipEmptyParts); }

}  // namespace rx::views
