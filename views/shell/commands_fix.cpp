// Fixes of problems: applied to the text that is shown, taken back, and written to a file when somebody asks for it.
#include <QFileInfo>

#include "views/models/output_bytes.h"
#include "views/panels/panel.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"

namespace rx::views {
namespace {

/// The problems whose fixes can be made.
std::vector<ProblemRow> fixable(const Desk& desk) {
  std::vector<ProblemRow> rows;
  for (const ProblemRow& row : desk.document.problems())
    if (desk.document.canFix(row)) rows.push_back(row);
  return rows;
}

bool hasFix(const Desk& desk) { return !fixable(desk).empty(); }
bool isFixed(const Desk& desk) { return !desk.document.fixesMade().isEmpty(); }
bool canSave(const Desk& desk) { return isFixed(desk) && when::open(desk) && desk.document.refusedFile().isEmpty(); }

QString apply(Desk& desk, const QStringList& arguments) {
  if (arguments.value(0) == "all") {
    desk.document.fix(fixable(desk));
    return {};
  }
  const auto& problems = desk.document.problems();
  if (arguments.isEmpty()) {
    desk.document.fix({fixable(desk).front()});
    return {};
  }
  const int number = countArgument(arguments);
  if (number < 1 || number > static_cast<int>(problems.size())) return QStringLiteral("there is no such problem");
  const ProblemRow problem = problems[static_cast<size_t>(number) - 1];
  if (!desk.document.canFix(problem)) return QStringLiteral("nobody knows exactly what to write there");
  desk.document.fix({problem});
  return {};
}

QString undo(Desk& desk, const QStringList&) {
  desk.document.undoFix();
  return {};
}

QString write(Desk& desk, const QString& path) { return writeOutput(path, desk.document.sourceText().toUtf8()); }

QString writeToFile(Desk& desk, const QStringList&) {
  const QString path = desk.document.sourceFile();
  if (const QString error = write(desk, path); !error.isEmpty()) return error;
  desk.window.say(QStringLiteral("%1 is written with the fixes.").arg(QFileInfo(path).fileName()));
  desk.document.reload();
  return {};
}

QString saveAs(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("saveFixed");
  if (const QString error = write(desk, arguments[0]); !error.isEmpty()) return error;
  desk.window.say(QStringLiteral("The fixed text is written to %1.").arg(arguments[0]));
  return {};
}

constexpr Command kRows[] = {
    {"problem.fix", "Apply Fix",
     "Writes what a problem's fix says into the text that is shown; the file stays as it is until it is written.",
     "Alt+Return", "Module", 2, "[NUMBER|all]", "quick fix repair correct did you mean", nullptr, hasFix, apply,
     nullptr},
    {"problem.undoFix", "Undo Fix", "The text as it was before the last fix.", "", "Module", 2, "", "revert", nullptr,
     isFixed, undo, nullptr},
    {"file.writeFixes", "Write Fixes to the File", "Writes the text with its fixes over the file that it came from.",
     "", "File", 1, "", "save overwrite", nullptr, canSave, writeToFile, nullptr},
    {"file.saveFixed", "Save Fixed Text As…", "Writes the text with its fixes to another file.", "", "File", 1,
     "[PATH]", "save copy", nullptr, canSave, saveAs, nullptr},
};

}  // namespace

std::span<const Command> fixCommands() { return kRows; }

}  // namespace rx::views
