// The panel table: one row a dock, with its place in every built-in layout. A new panel is its folder, its row in
// views/CMakeLists.txt and its row here.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "views/panels/panel.h"

namespace rx::views {

/// The places that the built-in layouts divide the window into; Debug has all of them, others share some.
enum class PanelArea : uint8_t { LeftTop, LeftBottom, Center, CenterRight, Right, Bottom, Strip };

/// The built-in layouts, each behind it in its form for narrow windows: the columns of the table.
enum class LayoutForm : uint8_t { Read, ReadNarrow, Debug, DebugNarrow, Profile, ProfileNarrow, Forms, FormsNarrow };
inline constexpr size_t kLayoutForms = 8;

/// Whether a panel is seen: not at all, as a tab, or as the tab in front of the others of its place.
enum class PanelSeen : uint8_t { Hidden, Tab, Front };

struct PanelPlace {
  PanelArea area = PanelArea::Center;
  PanelSeen seen = PanelSeen::Tab;
};
using PanelPlaces = std::array<PanelPlace, kLayoutForms>;

/// The places of a panel, one word a column: the name of the area, with a "!" where it is in front of its tabs and a
/// "-" where it is not to be seen. A word that is none does not compile.
consteval PanelPlaces placesOf(std::string_view words) {
  constexpr std::string_view kNames[] = {"left", "below", "text", "graph", "right", "bottom", "strip"};
  PanelPlaces places;
  for (PanelPlace& place : places) {
    words.remove_prefix(std::min(words.size(), words.find_first_not_of(' ')));
    std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(word.size());
    place.seen = word.ends_with('!') ? PanelSeen::Front : word.ends_with('-') ? PanelSeen::Hidden : PanelSeen::Tab;
    if (place.seen != PanelSeen::Tab) word.remove_suffix(1);
    size_t area = 0;
    while (kNames[area] != word) ++area;  // past the end this is no constant
    place.area = static_cast<PanelArea>(area);
  }
  if (words.find_first_not_of(' ') != std::string_view::npos) throw "more words than layouts";
  return places;
}

/// A row of the panel table.
struct PanelRow {
  const char* id;     // "passes": stable, for scripts, layouts and commands
  const char* title;  // "Passes"
  const char* help;   // one sentence
  Panel* (*make)(const PanelContext& context, QWidget* parent);
  PanelPlaces places;  // by LayoutForm

  const PanelPlace& in(LayoutForm form) const { return places[static_cast<size_t>(form)]; }
  /// Its place in the layout that has all of them.
  PanelArea home() const { return in(LayoutForm::Debug).area; }
};

std::span<const PanelRow> panelTable();

}  // namespace rx::views
