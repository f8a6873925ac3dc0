#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "views/models/output_bytes.h"
#include "views/models/samples.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/file_list.h"
#include "views/shell/place_mover.h"

namespace rx::views {
namespace {

/// Opens a recorded run over its module: the one that is open, or the text that stands beside the recording.
QString openRecording(Desk& desk, const QString& path) {
  desk.settings.addRecentFile(path);
  const QFileInfo file(path);
  const QString module = file.dir().filePath(file.completeBaseName() + ".py");
  if (!QFileInfo::exists(module)) {
    if (!when::open(desk))
      return QStringLiteral("open the module of the recording first, or put it beside as %1").arg(module);
    desk.debug.openRecording(path);
    return {};
  }
  desk.document.open(module);
  // The recording is compared with the functions of the module, which are known then.
  whenStage(desk, module, 0, [&desk, path] { desk.debug.openRecording(path); });
  return {};
}

QString saveRecording(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("saveRecording");
  const QFileInfo file(arguments[0]);
  const QString module = file.dir().filePath(file.completeBaseName() + ".py");
  QFile program(desk.document.programPath(desk.debug.config().stage)), run(desk.debug.recordingFile());
  for (const auto& [from, to] : {std::pair(&run, arguments[0]), std::pair(&program, module)}) {
    if (const QString error = copyOutput(*from, to); !error.isEmpty()) return error;
  }
  desk.settings.addRecentFile(file.absoluteFilePath());
  desk.window.say(QStringLiteral("The run is written to %1, its module beside it.").arg(arguments[0]));
  return {};
}

QString openPath(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("open");
  if (!QFileInfo::exists(arguments[0])) return QStringLiteral("%1: there is no such file").arg(arguments[0]);
  // What keeps the path (links, sessions, the recent list) is read where another folder may be the current one.
  const QString path = QFileInfo(arguments[0]).absoluteFilePath();
  if (isRecording(path)) return openRecording(desk, path);
  if (const QString folder = tracedFolder(path); !folder.isEmpty()) {
    desk.settings.addRecentFile(folder);
    desk.debug.openTraced(folder);
    return {};
  }
  if (holdsArrays(path))
    return QStringLiteral("%1 holds arrays, no module: add it to the files of Run…, or drop it onto the open module")
        .arg(QFileInfo(path).fileName());
  desk.document.open(path, arguments.value(1));
  return {};
}

QString openOutcome(const Desk& desk) {
  if (const QString& refused = desk.debug.traced().error; !refused.isEmpty()) return refused;
  if (const RunFailure* failure = desk.debug.failure();
      failure && (failure->rule.startsWith("trace.") || failure->rule.startsWith("store.")))
    return failure->message;
  if (desk.document.state() == Document::State::Failed) return QStringLiteral("the file does not open, see Problems");
  return desk.document.openError();
}

QString openFolder(Desk& desk, const QStringList& arguments) {
  return arguments.isEmpty() ? desk.window.showDialog("openFolder") : openPath(desk, arguments);
}

QString openSample(Desk& desk, const QStringList& arguments) {
  const QString folder = samplesFolder();
  if (arguments.isEmpty() || folder.isEmpty()) return QStringLiteral("there is no samples folder beside the program");
  return openPath(desk, {QDir(folder).filePath(arguments[0])});
}

QString openRecent(Desk& desk, const QStringList& arguments) {
  const QStringList files = desk.settings.recentFiles();
  const int number = countArgument(arguments);
  if (number < 1 || number > files.size()) return QStringLiteral("there is no such recent file");
  return openPath(desk, {files[number - 1]});
}

QString reload(Desk& desk, const QStringList&) {
  desk.document.reload();
  return {};
}

QString close(Desk& desk, const QStringList&) {
  desk.debug.stopEngine();
  desk.document.close();
  desk.debug.openTraced({});
  return {};
}

QString copyLink(Desk& desk, const QStringList&) {
  desk.window.copyText(linkOf(desk.selection.place(), desk.document.path()), QStringLiteral("link"));
  return {};
}

QString openLink(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("openLink");
  Place place;
  QString file;
  if (!placeOfLink(arguments[0], &place, &file)) return QStringLiteral("this is not a relaxscope:// link");
  if (!file.isEmpty() && QFileInfo(file).absoluteFilePath() != QFileInfo(desk.document.path()).absoluteFilePath()) {
    if (!QFileInfo::exists(file)) return QStringLiteral("%1: the link's file does not exist").arg(file);
    desk.document.open(QFileInfo(file).absoluteFilePath());
    desk.document.openAt(place);
    return {};
  }
  if (!when::open(desk)) return QStringLiteral("the link names no file, and none is open");
  const int last = static_cast<int>(desk.document.steps().size()) - 1;
  if (place.stage > last)
    return QStringLiteral("the link's stage %1 is not there: the last is %2").arg(place.stage).arg(last);
  // The text may have changed since the link was made.
  const StageIndexPtr index = desk.document.stage(place.stage, false);
  if (index && !place.function.isEmpty() && !index->function(place.function))
    return QStringLiteral("there is no function %1 in stage %2").arg(place.function, QString::number(place.stage));
  const Place there = index ? movedIn(*index, place) : place;
  desk.selection.select(there);
  goToStage(desk, place.stage);
  desk.selection.select(there);
  if (place.binding >= 0 && there.binding < 0)
    return QStringLiteral("there is no %1 in %2 of stage %3").arg(place.variable, place.function).arg(place.stage);
  return {};
}

QString quit(Desk& desk, const QStringList&) {
  desk.window.quit();
  return {};
}

constexpr Command kRows[] = {
    {"file.open", "Open…",
     "Opens a module file, a folder with module.py or with dumped stages, a recorded run, or a folder of rxs run "
     "--trace.",
     "Ctrl+O", "File", 0, "[PATH [MODULE]]", "load import read", "Open", when::always, openPath, openOutcome},
    {"file.openFolder", "Open Folder…", "Opens a sample folder or the folder of an rxs opt --dump.", "Ctrl+Shift+O",
     "File", 0, "[PATH]", "dump history stages", nullptr, when::always, openFolder, openOutcome},
    {"file.sample", "Open Sample", "Opens one of the samples that come with the program.", "", "File/Open Sample", 0,
     "NAME", "example demo", nullptr, when::always, openSample, openOutcome},
    {"file.recent", "Open Recent", "Opens a file of the recent list; 1 is the last one.", "", "File/Open Recent", 0,
     "[NUMBER]", "history last", nullptr, when::always, openRecent, openOutcome},
    {"file.reload", "Reload", "Reads the file again and keeps the place.", "Ctrl+R", "File", 1, "",
     "refresh revert again", nullptr, when::open, reload, openOutcome},
    {"file.close", "Close", "Closes the module and stops its run.", "Ctrl+Shift+W", "File", 1, "", "", nullptr,
     when::openOrTraced, close, nullptr},
    {"file.saveRecording", "Save Recording…",
     "Writes the run that is shown to a file that can be opened later, with its module beside it.", "", "File", 2,
     "[PATH]", "trace run keep", nullptr, when::hasTrace, saveRecording, nullptr},
    {"file.copyLink", "Copy Link to This Place", "Copies a relaxscope:// link to the selected place and step.",
     "Ctrl+Shift+L", "File", 2, "", "url share moment", nullptr, when::open, copyLink, nullptr},
    {"file.openLink", "Open Link…", "Goes to the place of a relaxscope:// link.", "", "File", 2, "[LINK]",
     "url paste go", nullptr, when::always, openLink, openOutcome},
    {"file.quit", "Quit", "Closes the window; layout and selection return at the next start.", "Ctrl+Q", "File", 3, "",
     "exit leave", nullptr, when::always, quit, nullptr},
};

}  // namespace

std::span<const Command> fileCommands() { return kRows; }

}  // namespace rx::views
