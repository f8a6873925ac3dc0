#include <QApplication>

#include "views/panels/panel.h"
#include "views/shell/colour_settings.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/dock_area.h"
#include "views/shell/key_map.h"
#include "views/shell/settings.h"

namespace rx::views {
namespace {

QString palette(Desk& desk, const QStringList& arguments) {
  desk.window.showPalette(arguments.join(' '));
  return {};
}

/// A command of a panel: "view.panelCommand graph fit".
QString panelCommand(Desk& desk, const QStringList& arguments) {
  Panel* panel = arguments.size() >= 2 ? desk.window.panel(arguments[0]) : nullptr;
  if (!panel) return QStringLiteral("which panel and command? panels: ") + desk.window.panelIds().join(", ");
  return panel->command(arguments[1], arguments.mid(2)) ? QString() : QStringLiteral("the panel refuses this now");
}

QString setTheme(Desk& desk, const QString& theme) {
  desk.settings.setTheme(theme);
  desk.window.applyLook();
  return {};
}
QString theme(Desk& desk, const QStringList& arguments) {
  static const QStringList kThemes = {"light", "dark", "system"};
  if (!kThemes.contains(arguments.value(0))) return QStringLiteral("which theme? light, dark or system");
  return setTheme(desk, arguments[0]);
}
QString themeLight(Desk& desk, const QStringList&) { return setTheme(desk, "light"); }
QString themeDark(Desk& desk, const QStringList&) { return setTheme(desk, "dark"); }
QString themeSystem(Desk& desk, const QStringList&) { return setTheme(desk, "system"); }

const QStringList kWrapPanels = {"ir", "source", "kernel", "diff"};

constexpr double kScaleStep = 1.1;
QString setTextScale(Desk& desk, double scale) {
  desk.settings.setTextScale(scale);
  desk.window.applyLook();
  return {};
}
QString larger(Desk& desk, const QStringList&) { return setTextScale(desk, desk.settings.textScale() * kScaleStep); }
QString smaller(Desk& desk, const QStringList&) { return setTextScale(desk, desk.settings.textScale() / kScaleStep); }
QString normalSize(Desk& desk, const QStringList&) { return setTextScale(desk, 1); }

QString shortTypes(Desk& desk, const QStringList& arguments) {
  if (!arguments.isEmpty() && arguments[0] != "on" && arguments[0] != "off") return QStringLiteral("on or off");
  const bool on = arguments.isEmpty() ? !when::shortTypes(desk) : arguments[0] == "on";
  desk.settings.setValue("shortTypes", on);
  desk.window.applyLook();
  return {};
}

/// The panel whose lines are meant: the one with the focus, else the text of the stage.
QString wrapPanel(const Desk& desk) {
  const QString focused = desk.window.docks().idOf(desk.window.focusedPanel()).section('.', 0, 0);
  return kWrapPanels.contains(focused) ? focused : kWrapPanels.first();
}
bool wrapsHere(const Desk& desk) { return when::wraps(desk, wrapPanel(desk)); }

QString wrapLines(Desk& desk, const QStringList& arguments) {
  const QString panel = arguments.value(1, wrapPanel(desk));
  if (!kWrapPanels.contains(panel)) return QStringLiteral("which panel? ") + kWrapPanels.join(", ");
  const QString value = arguments.value(0, when::wraps(desk, panel) ? "off" : "on");
  if (value != "on" && value != "off") return QStringLiteral("on or off");
  desk.settings.setValue("wrapLines/" + panel, value == "on");
  desk.window.applyLook();
  return {};
}

QString showCard(Desk& desk, const QStringList&) { return desk.window.showCard(); }

QString copyCard(Desk& desk, const QStringList&) {
  const QString text = desk.window.cardText();
  if (text.isEmpty()) return QStringLiteral("there is no card: nothing has failed or ended yet");
  desk.window.copyText(text, QStringLiteral("card"));
  return {};
}

QString fullScreen(Desk& desk, const QStringList&) {
  desk.window.toggleFullScreen();
  return {};
}

QString settings(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("settings");
  const bool page = QStringList{"colours", "keys", "budgets"}.contains(arguments[0]);
  return page ? desk.window.showDialog(arguments[0]) : QStringLiteral("colours, keys, budgets, or nothing");
}
QString colour(Desk& desk, const QStringList& arguments) {
  const ColorRole* role = colorRole(arguments.value(0));
  if (!role) {
    QStringList ids;
    for (const ColorRole& each : colorRoles()) ids << each.id;
    return QStringLiteral("which colour? ") + ids.join(", ");
  }
  const bool dark = Palette::forQt(QApplication::palette()).dark;
  const QString word = arguments.value(1);
  if (word != "none" && !QColor::isValidColor(word)) return QStringLiteral("a colour such as #1a63c6, or none");
  const QColor before = ownColors(desk.settings, dark).value(role->id);
  setOwnColor(desk.settings, dark, role->id, word == "none" ? QColor() : QColor(word));
  desk.window.applyLook();
  const Palette& theme = dark ? Palette::darkTheme() : Palette::lightTheme();
  const std::optional<RoleContrast> least = leastContrast(theme, *role);
  QString said =
      QStringLiteral("%1, %2: %3").arg(QLatin1String(role->group), role->title, colorOf(theme, *role).name());
  if (least && least->ratio < kLeastContrast)
    said += QStringLiteral("; %1 on %2 is hard to read, its contrast is %3:1")
                .arg(least->text, least->ground)
                .arg(least->ratio, 0, 'f', 1);
  desk.window.say(said, {"view.colour", role->id, before.isValid() ? before.name() : QStringLiteral("none")});
  return {};
}
QString keys(Desk& desk, const QStringList& arguments) {
  const QString name = arguments.join(' ');
  if (!keyPresets().contains(name)) return QStringLiteral("which preset? ") + keyPresets().join(", ");
  setKeyPreset(desk.settings, name);
  desk.window.applyLook();
  return {};
}

constexpr Command kRows[] = {
    {"view.palette", "Search Everything…",
     "One list for commands, names, operators, shapes, types, constants, text of all stages, passes and files.",
     "Ctrl+Shift+P", "View", 0, "[TEXT]", "command palette find", nullptr, when::always, palette, nullptr},
    {"view.panelCommand", "Panel Command", "Runs a command of a panel itself.", "", "", 1, "PANEL COMMAND [ARGUMENT…]",
     "", nullptr, when::always, panelCommand, nullptr},
    {"view.themeLight", "Light", "Light colours.", "", "View/Theme", 4, "", "theme colours bright", nullptr,
     when::always, themeLight, nullptr, when::isLight},
    {"view.themeDark", "Dark", "Dark colours.", "", "View/Theme", 4, "", "theme colours night", nullptr, when::always,
     themeDark, nullptr, when::isDark},
    {"view.themeSystem", "As the Desktop", "Colours as the desktop has them.", "", "View/Theme", 4, "",
     "theme colours system", nullptr, when::always, themeSystem, nullptr, when::isSystem},
    {"view.colour", "Set Colour",
     "Gives a colour of the theme that is shown another value, or the theme's own back; its settings list them all.",
     "", "", 4, "ROLE #rrggbb|none", "colours theme own reset", nullptr, when::always, colour, nullptr},
    {"view.theme", "Set Theme", "Sets the colours by name.", "", "", 4, "light|dark|system", "colours", nullptr,
     when::always, theme, nullptr},
    {"view.larger", "Larger Text", "Makes all text larger.", "Alt+=; Ctrl++", "View", 5, "", "zoom font size", nullptr,
     when::always, larger, nullptr},
    {"view.smaller", "Smaller Text", "Makes all text smaller.", "Alt+-; Ctrl+-", "View", 5, "", "zoom font size",
     nullptr, when::always, smaller, nullptr},
    {"view.normalSize", "Normal Text Size", "Text at the desktop's size.", "Alt+0", "View", 5, "", "zoom font reset",
     nullptr, when::always, normalSize, nullptr},
    {"view.shortTypes", "Short Types",
     "Writes R.Tensor((n, 32), dtype=\"float32\") as (n, 32) f32 where the text is narrow; copies stay whole.",
     "Ctrl+Alt+T", "View", 5, "[on|off]", "struct info annotation abbreviate brief", nullptr, when::always, shortTypes,
     nullptr, when::shortTypes},
    {"view.wrapLines", "Wrap Lines",
     "Goes on below where a line is longer than the panel of text is wide; each panel keeps its own choice.", "Alt+Z",
     "View", 5, "[on|off [ir|source|diff]]", "soft wrap break long lines", nullptr, when::always, wrapLines, nullptr,
     wrapsHere},
    {"view.card", "Show Card Again", "Shows again how the last run came out, or why the last file was refused.", "F8",
     "View", 1, "", "failure error result outcome", nullptr, when::hasCard, showCard, nullptr},
    {"view.copyCard", "Copy Card as Text", "Copies how the last run came out.", "", "View", 1, "",
     "failure error result outcome", nullptr, when::hasCard, copyCard, nullptr},
    {"view.settings", "Settings…", "Theme, colours, fonts, size of text, keys and budgets.", "Ctrl+,", "View", 7,
     "[colours|keys|budgets]", "preferences options colours font keys shortcuts", nullptr, when::always, settings,
     nullptr},
    {"view.keys", "Keys as in", "Takes the keys of a preset: relaxscope, Visual Studio or RenderDoc.", "", "", 7,
     "PRESET", "shortcuts", nullptr, when::always, keys, nullptr},
    {"view.fullScreen", "Full Screen", "The window on the whole screen, or back.", "Ctrl+Shift+F11", "View", 6, "",
     "maximize", nullptr, when::always, fullScreen, nullptr},
};

}  // namespace

std::span<const Command> viewCommands() { return kRows; }

}  // namespace rx::views
