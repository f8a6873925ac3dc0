#include "views/shell/dock_layouts.h"

#include <algorithm>

namespace rx::views {
namespace {

constexpr Qt::Orientation kAcross = Qt::Horizontal;
constexpr Qt::Orientation kDown = Qt::Vertical;
using enum PanelArea;

// Columns are split before what stands in each of them: splitting a tabbed dock would only add a tab.
constexpr LayoutCell kReadCells[] = {
    {LeftTop, -1, kAcross}, {CenterRight, 0, kAcross}, {Center, 1, kAcross}, {LeftBottom, 0, kDown}, {Right, 2, kDown},
};
constexpr LayoutShare kReadShares[] = {
    {kAcross, -1, {{0, 20}, {1, 40}, {2, 40}}},
    {kDown, -1, {{0, 52}, {3, 48}}},
    {kDown, -1, {{2, 60}, {4, 40}}},
};
constexpr LayoutCell kReadNarrowCells[] = {
    {CenterRight, -1, kAcross},
    {Center, 0, kAcross},
    {Right, 1, kDown},
};
constexpr LayoutShare kReadNarrowShares[] = {
    {kAcross, -1, {{0, 46}, {1, 54}}},
    {kDown, -1, {{1, 58}, {2, 42}}},
};

constexpr LayoutCell kDebugCells[] = {
    {LeftTop, -1, kAcross}, {Strip, 0, kDown},  {Center, 0, kAcross},      {Right, 2, kAcross},
    {LeftBottom, 0, kDown}, {Bottom, 2, kDown}, {CenterRight, 2, kAcross},
};
constexpr LayoutShare kDebugShares[] = {
    {kDown, -1, {{3, 93}, {1, 7}}},   {kAcross, -1, {{0, 17}, {5, 62}, {3, 21}}},
    {kAcross, 5, {{2, 60}, {6, 40}}}, {kDown, 3, {{2, 70}, {5, 30}}},
    {kDown, 3, {{0, 68}, {4, 32}}},
};
constexpr LayoutCell kDebugNarrowCells[] = {
    {Center, -1, kAcross},
    {Strip, 0, kDown},
    {Right, 0, kAcross},
    {Bottom, 0, kDown},
};
constexpr LayoutShare kDebugNarrowShares[] = {
    {kDown, -1, {{2, 92}, {1, 8}}},
    {kAcross, -1, {{3, 70}, {2, 30}}},
    {kDown, 2, {{0, 74}, {3, 26}}},
};

constexpr LayoutCell kProfileCells[] = {
    {LeftTop, -1, kAcross}, {Center, 0, kAcross}, {Bottom, 1, kDown}, {Right, 1, kAcross}, {LeftBottom, 0, kDown},
};
constexpr LayoutShare kProfileShares[] = {
    {kAcross, -1, {{0, 28}, {2, 72}}},
    {kAcross, 1, {{1, 73}, {3, 27}}},
    {kDown, -1, {{0, 50}, {4, 50}}},
    {kDown, 1, {{1, 74}, {2, 26}}},
};
constexpr LayoutCell kProfileNarrowCells[] = {
    {Center, -1, kAcross},
    {Bottom, 0, kDown},
};
constexpr LayoutShare kProfileNarrowShares[] = {
    {kDown, -1, {{0, 72}, {1, 28}}},
};

// The text is taken out of its tabs and put under the graph (DockArea::pairForms).
constexpr LayoutCell kFormsCells[] = {
    {LeftTop, -1, kAcross},
    {CenterRight, 0, kAcross},
    {Right, 0, kDown},
};

constexpr Layout kLayouts[] = {
    {LayoutForm::Read, "Read", kReadCells, kReadShares},
    {LayoutForm::ReadNarrow, "Read", kReadNarrowCells, kReadNarrowShares},
    {LayoutForm::Debug, "Debug", kDebugCells, kDebugShares},
    {LayoutForm::DebugNarrow, "Debug", kDebugNarrowCells, kDebugNarrowShares},
    {LayoutForm::Profile, "Profile", kProfileCells, kProfileShares},
    {LayoutForm::ProfileNarrow, "Profile", kProfileNarrowCells, kProfileNarrowShares},
    {LayoutForm::Forms, "", kFormsCells, {}},
    {LayoutForm::FormsNarrow, "", kFormsCells, {}},
};

/// The form for narrow windows stands behind the other one.
bool isNarrow(const Layout& layout) { return static_cast<uint8_t>(layout.form) % 2 == 1; }
bool isForms(const Layout& layout) { return !*layout.name; }

}  // namespace

std::span<const Layout> everyLayout() { return kLayouts; }

const Layout* builtInLayout(const QString& name, bool narrow) {
  for (const Layout& layout : kLayouts) {
    if (isForms(layout) || isNarrow(layout) != narrow) continue;
    if (name.compare(QLatin1String(layout.name), Qt::CaseInsensitive) == 0) return &layout;
  }
  return nullptr;
}

size_t cellOf(const Layout& layout, const PanelRow& row) {
  const auto found = std::ranges::find(layout.cells, row.in(layout.form).area, &LayoutCell::area);
  return static_cast<size_t>(found - layout.cells.begin());
}

const Layout& formsLayout(bool narrow) {
  return *std::ranges::find_if(
      kLayouts, [narrow](const Layout& layout) { return isForms(layout) && isNarrow(layout) == narrow; });
}

QStringList builtInLayouts() {
  QStringList names;
  for (const Layout& layout : kLayouts) {
    if (!isForms(layout) && !isNarrow(layout)) names << QString::fromLatin1(layout.name);
  }
  return names;
}

}  // namespace rx::views
