#include "views/shell/dialogs.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QInputDialog>
#include <QLabel>
#include <QVBoxLayout>

#include "views/panels/panel.h"
#include "views/shell/desk.h"

namespace rx::views {
namespace {

/// Asks for a path and runs a command with it.
QDialog* pathDialog(Commands* commands, QWidget* parent, const QString& title, const QString& command,
                    QFileDialog::FileMode mode, QFileDialog::AcceptMode accept, const QString& filter) {
  auto* dialog = new QFileDialog(parent, title);
  dialog->setFileMode(mode);
  dialog->setAcceptMode(accept);
  if (!filter.isEmpty()) dialog->setNameFilter(filter);
  QObject::connect(dialog, &QFileDialog::fileSelected, parent,
                   [commands, command](const QString& path) { commands->run(command, {path}); });
  return dialog;
}

QDialog* textDialog(Commands* commands, QWidget* parent, const QString& title, const QString& question,
                    const QString& command) {
  auto* dialog = new QInputDialog(parent);
  dialog->setWindowTitle(title);
  dialog->setLabelText(question);
  QObject::connect(dialog, &QInputDialog::textValueSelected, parent, [commands, command](const QString& text) {
    if (!text.trimmed().isEmpty()) commands->run(command, {text.trimmed()});
  });
  return dialog;
}

QDialog* openFolderDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Open Folder", "file.openFolder", QFileDialog::Directory, QFileDialog::AcceptOpen,
                    {});
}
QDialog* saveTextDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Stage as Text", "export.text", QFileDialog::AnyFile, QFileDialog::AcceptSave,
                    "TVMScript (*.py)");
}
QDialog* saveRecordingDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Save Recording", "file.saveRecording", QFileDialog::AnyFile,
                    QFileDialog::AcceptSave, "Recordings (*.rxtrace)");
}
QDialog* saveFixedDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Fixed Text", "file.saveFixed", QFileDialog::AnyFile, QFileDialog::AcceptSave,
                    "TVMScript (*.py)");
}
QDialog* saveValueDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Value as .npy", "export.value", QFileDialog::AnyFile, QFileDialog::AcceptSave,
                    "NumPy (*.npy)");
}
QDialog* saveResultDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Result as .npy", "export.result", QFileDialog::AnyFile, QFileDialog::AcceptSave,
                    "NumPy (*.npy)");
}
QDialog* exportGraphDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Graph", "export.graph", QFileDialog::AnyFile, QFileDialog::AcceptSave,
                    "Graph (*.svg *.pdf *.dot)");
}
QDialog* savePictureDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Picture of the Panel", "view.savePicture", QFileDialog::AnyFile,
                    QFileDialog::AcceptSave, "Picture (*.png *.svg)");
}
QDialog* shareStageDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Stage as a Page", "share.stage", QFileDialog::AnyFile, QFileDialog::AcceptSave,
                    "Page (*.html)");
}
QDialog* shareDiffDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Difference as a Page", "share.diff", QFileDialog::AnyFile,
                    QFileDialog::AcceptSave, "Page (*.html)");
}
QDialog* shareValueDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Value as a Page", "share.value", QFileDialog::AnyFile, QFileDialog::AcceptSave,
                    "Page (*.html)");
}
QDialog* diagnosticsDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Save Diagnostics", "help.saveDiagnostics", QFileDialog::AnyFile,
                    QFileDialog::AcceptSave, "Text (*.txt)");
}
QDialog* loadProfileDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Load Profile", "profile.load", QFileDialog::ExistingFile,
                    QFileDialog::AcceptOpen, "Profiles (*.json);;All files (*)");
}
QDialog* openParametersDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Open Parameters", "debug.openParameters", QFileDialog::ExistingFile,
                    QFileDialog::AcceptOpen, "Arrays (*.npz *.npy *.safetensors);;All files (*)");
}
QDialog* compareRunsDialog(Desk& desk, Commands* commands, QWidget* parent) {
  auto* dialog = static_cast<QInputDialog*>(textDialog(
      commands, parent, "Compare Runs",
      "Compare with a run on this target (cpu, or a kind of device) or library (dnnl, cblas):", "debug.compareRuns"));
  if (!desk.debug.config().target.isEmpty() || !desk.document.target().isEmpty())
    dialog->setTextValue(QStringLiteral("cpu"));
  return dialog;
}
QDialog* openLinkDialog(Desk&, Commands* commands, QWidget* parent) {
  return textDialog(commands, parent, "Open Link", "A relaxscope:// link:", "file.openLink");
}
QDialog* targetDialog(Desk& desk, Commands* commands, QWidget* parent) {
  auto* dialog = static_cast<QInputDialog*>(
      textDialog(commands, parent, "Target of the Passes", "A target, or host for this machine:", "pass.target"));
  dialog->setTextValue(desk.document.target().isEmpty() ? QStringLiteral("host") : desk.document.target());
  return dialog;
}
/// Offers the symbols of the selected function.
QDialog* boundsDialog(Desk& desk, Commands* commands, QWidget* parent) {
  auto* dialog = static_cast<QInputDialog*>(
      textDialog(commands, parent, "Bounds of Symbols", "The largest size of each, such as n=512:", "pass.bounds"));
  QStringList known;
  if (const FunctionRow* function = selectedFunction(desk))
    for (const SymbolRow& symbol : function->symbols) known << symbol.name + '=';
  dialog->setTextValue(known.join(' '));
  return dialog;
}
QDialog* saveLayoutDialog(Desk&, Commands* commands, QWidget* parent) {
  return textDialog(commands, parent, "Save Layout", "Name of the layout:", "view.saveLayout");
}

QDialog* noteDialog(Desk& desk, Commands* commands, QWidget* parent) {
  auto* dialog = static_cast<QInputDialog*>(
      textDialog(commands, parent, "Note", "A note at the selected place:", "bookmark.note"));
  if (const Note* note = desk.notes.at(desk.selection.place())) dialog->setTextValue(note->text);
  return dialog;
}
QDialog* saveSessionDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Save Session", "session.save", QFileDialog::AnyFile, QFileDialog::AcceptSave,
                    "Sessions (*.rxsession)");
}
QDialog* openSessionDialog(Desk&, Commands* commands, QWidget* parent) {
  return pathDialog(commands, parent, "Open Session", "session.open", QFileDialog::ExistingFile,
                    QFileDialog::AcceptOpen, "Sessions (*.rxsession);;All files (*)");
}

QDialog* aboutDialog(Desk&, Commands*, QWidget* parent) {
  auto* dialog = new QDialog(parent);
  dialog->setWindowTitle("About relaxscope");
  auto* column = new QVBoxLayout(dialog);
  auto* text = new QLabel(
      QStringLiteral("relaxscope %1\n\nSee, step and ship Relax modules.\n\nThe window never runs compiled code: "
                     "the engine (rxs dap) does, as a process of its own.\nQt %2")
          .arg(QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion())),
      dialog);
  column->addWidget(text);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  column->addWidget(buttons);
  return dialog;
}

struct DialogRow {
  const char* name;
  QDialog* (*make)(Desk& desk, Commands* commands, QWidget* parent);
};
constexpr DialogRow kRows[] = {
    {"open", makeOpenDialog},
    {"openFolder", openFolderDialog},
    {"saveText", saveTextDialog},
    {"saveRecording", saveRecordingDialog},
    {"saveFixed", saveFixedDialog},
    {"saveValue", saveValueDialog},
    {"saveResult", saveResultDialog},
    {"exportGraph", exportGraphDialog},
    {"loadProfile", loadProfileDialog},
    {"savePicture", savePictureDialog},
    {"shareStage", shareStageDialog},
    {"shareDiff", shareDiffDialog},
    {"shareValue", shareValueDialog},
    {"openLink", openLinkDialog},
    {"openParameters", openParametersDialog},
    {"compareRuns", compareRunsDialog},
    {"target", targetDialog},
    {"bounds", boundsDialog},
    {"saveLayout", saveLayoutDialog},
    {"about", aboutDialog},
    {"run", makeRunDialog},
    {"attach", makeAttachDialog},
    {"export", makeExportDialog},
    {"pipeline", makePipelineDialog},
    {"shortcuts", makeShortcutsDialog},
    {"help", makeHelpDialog},
    {"diagnostics", diagnosticsDialog},
    {"settings", makeSettingsDialog},
    {"budgets", makeBudgetsDialog},
    {"note", noteDialog},
    {"saveSession", saveSessionDialog},
    {"openSession", openSessionDialog},
};

}  // namespace

QStringList dialogNames() {
  QStringList names;
  for (const DialogRow& row : kRows) names << QString::fromLatin1(row.name);
  return names;
}

QDialog* makeDialog(const QString& name, Desk& desk, Commands* commands, QWidget* parent) {
  for (const DialogRow& row : kRows) {
    if (name == QLatin1String(row.name)) return row.make(desk, commands, parent);
  }
  return nullptr;
}

}  // namespace rx::views
