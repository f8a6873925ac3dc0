#include <QBuffer>
#include <QFileInfo>
#include <QThreadPool>
#include <QWidget>

#include "views/models/output_bytes.h"
#include "views/models/worker.h"
#include "views/shell/command.h"
#include "views/shell/conditions.h"
#include "views/shell/share_page.h"
#include "views/shell/svg_picture.h"

namespace rx::views {
namespace {

QString savePicture(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("savePicture");
  QString id = arguments.value(1);
  for (const QString& panel : desk.window.panelIds()) {
    if (id.isEmpty() && desk.window.panel(panel) == desk.window.focusedPanel()) id = panel;
  }
  QWidget* widget = desk.window.pictured(id);
  if (!widget) return QStringLiteral("of which panel? window, or one of %1").arg(desk.window.panelIds().join(", "));
  if (!widget->isVisible()) return QStringLiteral("%1 is not on screen; view.panel %1 shows it").arg(id);
  const QString path = arguments[0];
  QString refused;
  if (path.endsWith(".svg", Qt::CaseInsensitive)) {
    const QByteArray picture = svgPicture(widget, QFileInfo(path).completeBaseName());
    refused = picture.isEmpty() ? QStringLiteral("%1 can not be written").arg(path) : writeOutput(path, picture);
  } else if (path.endsWith(".png", Qt::CaseInsensitive)) {
    QBuffer picture;
    refused = widget->grab().save(&picture, "PNG") ? writeOutput(path, picture.data())
                                                   : QStringLiteral("%1 can not be written").arg(path);
  } else {
    refused = QStringLiteral("%1: a picture is a .png or an .svg").arg(path);
  }
  if (refused.isEmpty()) desk.window.say(QStringLiteral("The picture is written to %1.").arg(path));
  return refused;
}

/// Makes a page on a worker and writes it; the script's line waits.
void writePage(Desk& desk, const QString& path, std::function<QByteArray()> make) {
  desk.window.countWork(1);
  const auto work = [path, make = std::move(make)] { return writeOutput(path, make()); };
  WindowDeeds* window = &desk.window;
  runOnWorker(*QThreadPool::globalInstance(), &desk.document, work, [window, path](const QString& error) {
    window->countWork(-1);
    if (!error.isEmpty()) return window->sayFailed(error);
    window->say(QStringLiteral("The page is written to %1; it needs nothing beside itself.").arg(path));
  });
}

QString shareStage(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("shareStage");
  const StageIndexPtr stage = desk.document.stage(desk.selection.place().stage, false);
  if (!stage) return QStringLiteral("the stage is not ready");
  writePage(desk, arguments[0], stagePage(pageFacts(desk), stage, valuesBeside(desk, stage)));
  return {};
}

QString shareDiff(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("shareDiff");
  const int right = desk.selection.place().stage;
  const int chosen = desk.selection.compareStage();
  bool ok = true;
  const int left = arguments.size() > 1 ? arguments[1].toInt(&ok) : chosen >= 0 ? chosen : right - 1;
  if (!ok || left < 0) return QStringLiteral("stage %1 has none before it; share.diff FILE STAGE names one").arg(right);
  const StageIndexPtr before = desk.document.stage(left);
  const StageIndexPtr after = desk.document.stage(right);
  if (!before || !after) return QStringLiteral("stage %1 is not ready").arg(before ? right : left);
  writePage(desk, arguments[0], diffPage(pageFacts(desk), before, after));
  return {};
}

QString shareValue(Desk& desk, const QStringList& arguments) {
  if (arguments.isEmpty()) return desk.window.showDialog("shareValue");
  const Place& place = desk.selection.place();
  const ValueSummary value = place.binding >= 0 ? desk.debug.valueOf(place.function, place.binding)
                                                : desk.debug.valueOfParam(place.function, place.variable);
  if (!value.known) return QStringLiteral("the selected binding has no value now");
  const PageFacts facts = pageFacts(desk);
  if (!value.isTensor || value.reference == 0) {
    writePage(desk, arguments[0], valuePage(facts, value, {}));
    return {};
  }
  Desk* known = &desk;
  const ValueWindow window = windowOf(value);
  desk.window.countWork(1);
  desk.debug.fetchSlice(value.reference, window.begin, window.extent, &desk.debug,
                        [known, facts, value, path = arguments[0]](const TensorSlice& slice) {
                          known->window.countWork(-1);
                          if (!slice.error.isEmpty()) return known->window.sayFailed(slice.error);
                          writePage(*known, path, valuePage(facts, value, slice));
                        });
  return {};
}

constexpr Command kRows[] = {
    {"share.stage", "Stage as a Page…", "Writes the selected stage as an HTML page that needs nothing beside itself.",
     "", "File/Share", 0, "[FILE]", "html issue tracker attach", nullptr, when::open, shareStage, nullptr},
    {"share.diff", "Difference as a Page…", "Writes what the pass changed, or the difference to a stage, as HTML.", "",
     "File/Share", 0, "[FILE [STAGE]]", "html issue tracker attach compare", nullptr, when::open, shareDiff, nullptr},
    {"share.value", "Value as a Page…", "Writes the numbers of the selected binding as HTML.", "", "File/Share", 0,
     "[FILE]", "html issue tracker attach tensor", nullptr, when::hasTrace, shareValue, nullptr},
    {"view.savePicture", "Picture of the Panel…", "Writes a panel, or the window, as it is on screen.", "",
     "File/Share", 1, "[FILE [PANEL|window]]", "png svg screenshot image", nullptr, when::always, savePicture, nullptr},
};

}  // namespace

std::span<const Command> shareCommands() { return kRows; }

}  // namespace rx::views
