// Commands of the panel Values: the shown element, pictures, formats, comparisons, copies.
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/panel_command.h"

namespace rx::views {
namespace {

/// Runs a command of the panel, which is raised for it.
QString onValues(Desk& desk, const char* name, const QStringList& arguments, const QString& refused) {
  return onPanel(desk, "values", QString::fromLatin1(name), arguments, refused);
}

QString nextBad(Desk& desk, const QStringList&) {
  return onValues(desk, "nextBad", {}, QStringLiteral("the shown value has no NaN or Inf"));
}
QString previousBad(Desk& desk, const QStringList&) {
  return onValues(desk, "previousBad", {}, QStringLiteral("the shown value has no NaN or Inf"));
}
QString largest(Desk& desk, const QStringList&) {
  return onValues(desk, "largest", {}, QStringLiteral("the shown value has no finite element"));
}
QString goToElement(Desk& desk, const QStringList& a) {
  return onValues(desk, "goTo", a, QStringLiteral("the shown value has no such element; give an index for every axis"));
}
QString compare(Desk& desk, const QStringList& a) {
  return onValues(
      desk, "compare", a,
      QStringLiteral("name a value of the same shape, `file` and its path, or off; a tensor must be shown"));
}
QString setValue(Desk& desk, const QStringList& a) {
  return onValues(desk, "set", a,
                  QStringLiteral("show a value of a program that stands at a step, and write a number or a list, "
                                 "or a number, `at` and an index"));
}
QString distance(Desk& desk, const QStringList& a) {
  return onValues(desk, "distance", a, QStringLiteral("absolute, relative or ulp"));
}
QString format(Desk& desk, const QStringList& a) {
  return onValues(desk, "format", a, QStringLiteral("decimal, scientific, hex or bits"));
}
QString picture(Desk& desk, const QStringList& a) {
  return onValues(desk, "picture", a, QStringLiteral("heat, image or line"));
}
QString axes(Desk& desk, const QStringList& a) {
  return onValues(desk, "axes", a, QStringLiteral("two different axes of the shown value: rows, then columns"));
}
QString hold(Desk& desk, const QStringList& a) {
  return onValues(desk, "hold", a,
                  QStringLiteral("an axis that is neither rows nor columns, and the index to hold it at"));
}
QString logarithmic(Desk& desk, const QStringList& a) {
  return onValues(desk, "logarithmic", a, QStringLiteral("on or off"));
}
QString item(Desk& desk, const QStringList& a) {
  return onValues(desk, "item", a, QStringLiteral("select a tuple that has such an item; up leads out of one"));
}
QString copyCells(Desk& desk, const QStringList&) {
  return onValues(desk, "copy", {QStringLiteral("cells")}, QStringLiteral("no cells are shown"));
}
QString copyNumpy(Desk& desk, const QStringList&) {
  return onValues(desk, "copy", {QStringLiteral("numpy")}, QStringLiteral("no cells are shown"));
}

constexpr const char* kMenu = "Run/Values";

constexpr Command kRows[] = {
    {"values.nextBad", "Next NaN or Inf", "Goes to the next element of the shown value that is not finite.", "", kMenu,
     0, "", "element infinity tensor", nullptr, when::hasTrace, nextBad, nullptr},
    {"values.previousBad", "Previous NaN or Inf", "Goes to the element before that is not finite.", "", kMenu, 0, "",
     "element infinity tensor", nullptr, when::hasTrace, previousBad, nullptr},
    {"values.largest", "Largest Element", "Goes to the finite element of the largest magnitude.", "", kMenu, 0, "",
     "element maximum tensor", nullptr, when::hasTrace, largest, nullptr},
    {"values.goTo", "Go to Element", "Goes to an element of the shown value.", "", "", 0, "INDEX…", "element index",
     nullptr, when::hasTrace, goToElement, nullptr},
    {"values.set", "Set Value…",
     "Gives the shown value other content in the run; F2 or a double click edits one element. At a step of the past "
     "the "
     "program runs again as far as there, and goes on from the new value.",
     "", kMenu, 1, "[VALUE [at INDEX…]]", "change edit write assign poke run again from here", nullptr,
     when::canSetValues, setValue, nullptr},
    {"values.compare", "Compare with…", "Compares the shown value with another, or with an array of a file.", "", kMenu,
     1, "[NAME | file PATH [ARRAY] | off]", "difference tensor npz expected", nullptr, when::hasTrace, compare,
     nullptr},
    {"values.distance", "Measure Differences", "Shows absolute or relative differences, or units in the last place.",
     "", "", 1, "absolute|relative|ulp", "ulp error compare", nullptr, when::hasTrace, distance, nullptr},
    {"values.format", "Number Format", "Writes numbers in decimal, in scientific notation, or as their bits.", "", "",
     2, "decimal|scientific|hex|bits", "binary hexadecimal", nullptr, when::always, format, nullptr},
    {"values.picture", "Picture of the Value", "Shows a heat map, an image or the line of a row.", "", "", 2,
     "heat|image|line", "plot channel colour", nullptr, when::hasTrace, picture, nullptr},
    {"values.axes", "Axes of the Picture", "Chooses which axes are rows and columns.", "", "", 2, "ROWS COLUMNS",
     "dimension transpose", nullptr, when::hasTrace, axes, nullptr},
    {"values.hold", "Hold an Axis", "Shows another index of an axis that is neither rows nor columns.", "", "", 2,
     "AXIS INDEX", "dimension slice", nullptr, when::hasTrace, hold, nullptr},
    {"values.logarithmic", "Logarithmic Histogram", "Heights of the histogram as logarithms of the counts.", "", kMenu,
     2, "[on|off]", "log counts", nullptr, when::always, logarithmic, nullptr},
    {"values.item", "Open Item of the Tuple",
     "Shows an item of the selected tuple, by the numbers that lead to it; without one the tuple.", "", "", 2,
     "[NUMBER…|up]", "tuple field element inner", nullptr, when::hasTrace, item, nullptr},
    {"values.copyCells", "Copy Cells", "Copies the selected cells of the shown value, tab-separated.", "", kMenu, 3, "",
     "clipboard spreadsheet", nullptr, when::hasTrace, copyCells, nullptr},
    {"values.copyNumpy", "Copy as NumPy", "Copies the selected cells as a Python text of an array.", "", kMenu, 3, "",
     "clipboard python array", nullptr, when::hasTrace, copyNumpy, nullptr},
};

}  // namespace

std::span<const Command> valueCommands() { return kRows; }

}  // namespace rx::views
