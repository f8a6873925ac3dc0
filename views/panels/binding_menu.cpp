#include "views/panels/binding_menu.h"

namespace rx::views {

QStringList bindingMenu(const QString& self) {
  static const QStringList kDeeds = {"select.definition",
                                     "select.use",
                                     "search.calls",
                                     "-",
                                     "debug.runToCursor",
                                     "debug.goToBinding",
                                     "debug.toggleBreakpoint",
                                     "debug.condition",
                                     "debug.logPoint",
                                     "debug.breakWhenWritten",
                                     "watch.add",
                                     "-"};
  struct Target {
    const char* panel;
    const char* row;
  };
  static constexpr Target kTargets[] = {{"ir", "view.panel ir|Show in IR"},
                                        {"graph", "view.panel graph|Show in Graph"},
                                        {"source", "view.panel source|Show in Source"},
                                        {"bytecode", "view.panel bytecode|Show in Bytecode"},
                                        {"values", "view.panel values|Show in Values"}};
  QStringList rows = kDeeds;
  for (const Target& target : kTargets)
    if (self != QLatin1String(target.panel)) rows << QString::fromLatin1(target.row);
  return rows << "bookmark.toggle";
}

}  // namespace rx::views
