#include "views/shell/dialogs.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include "views/models/profile_board.h"
#include "views/models/tool_job.h"
#include "views/panels/panel.h"
#include "views/shell/desk.h"
#include "views/shell/style.h"

namespace rx::views {
namespace {

/// What is written is named after what is open: "mlp" with `of` "stage4" is mlp-stage4.
QString nameFor(const Desk& desk, const QString& of) {
  const QString path = desk.document.path();
  const QString stem = path.isEmpty() ? QStringLiteral("relaxscope") : QFileInfo(path).completeBaseName();
  return of.isEmpty() ? stem : stem + '-' + of;
}
QString stageName(const Desk& desk) {
  return nameFor(desk, QStringLiteral("stage%1").arg(desk.selection.place().stage));
}

/// Asks for a path and runs a command with it.
QFileDialog* pathDialog(const Desk& desk, Commands* commands, QWidget* parent, const QString& title,
                        const QString& command, QFileDialog::FileMode mode, const QString& filter = {}) {
  auto* dialog = new QFileDialog(parent, title, desk.document.folder());
  dialog->setFileMode(mode);
  if (!filter.isEmpty()) dialog->setNameFilters(filter.split(QStringLiteral(";;")));
  QObject::connect(dialog, &QFileDialog::fileSelected, parent,
                   [commands, command](const QString& path) { commands->run(command, {path}); });
  return dialog;
}

/// The same for what is written: `name` stands there to be changed, and a name without an ending gets the first of the
/// filter's.
QFileDialog* saveDialog(const Desk& desk, Commands* commands, QWidget* parent, const QString& title,
                        const QString& command, const QString& filter, const QString& name) {
  QFileDialog* dialog = pathDialog(desk, commands, parent, title, command, QFileDialog::AnyFile, filter);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  const QString ending = filter.section(QStringLiteral("*."), 1, 1).section(QRegularExpression("[ )]"), 0, 0);
  dialog->setDefaultSuffix(ending);
  dialog->selectFile(name + '.' + ending);
  return dialog;
}

/// Asks for a line of text and runs a command with it; what the command refuses stays to be changed.
class AskDialog : public QDialog {
 public:
  AskDialog(Commands* commands, QWidget* parent, const QString& title, const QString& question, const QString& verb,
            const QString& command)
      : QDialog(parent), edit_(new QLineEdit(this)) {
    constexpr int kLetters = 60;
    setWindowTitle(title);
    auto* column = new QVBoxLayout(this);
    auto* label = new QLabel(question, this);
    label->setWordWrap(true);
    label->setBuddy(edit_);
    edit_->setMinimumWidth(fontMetrics().averageCharWidth() * kLetters);
    edit_->setAccessibleName(question);
    column->addWidget(label);
    column->addWidget(edit_);
    auto* buttons = new QDialogButtonBox(this);
    auto* use = buttons->addButton(verb, QDialogButtonBox::AcceptRole);
    markPrimary(use);
    buttons->addButton(QDialogButtonBox::Cancel);
    column->addWidget(buttons);
    connect(edit_, &QLineEdit::textChanged, use,
            [use](const QString& text) { use->setEnabled(!text.trimmed().isEmpty()); });
    use->setEnabled(false);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    // What the command opens instead closes this dialog.
    connect(buttons, &QDialogButtonBox::accepted, this, [this, commands, command, self = QPointer<QDialog>(this)] {
      if (commands->run(command, {edit_->text().trimmed()}) && self) close();
    });
  }
  void setText(const QString& text) {
    edit_->setText(text);
    edit_->selectAll();
  }

 private:
  QLineEdit* edit_;
};

QDialog* openFolderDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return pathDialog(desk, commands, parent, "Open Folder", "file.openFolder", QFileDialog::Directory);
}
QDialog* saveTextDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return saveDialog(desk, commands, parent, "Stage as Text", "export.text", "TVMScript (*.py)", stageName(desk));
}
QDialog* saveRecordingDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return saveDialog(desk, commands, parent, "Save Recording", "file.saveRecording", "Recordings (*.rxtrace)",
                    nameFor(desk, "run"));
}
QDialog* saveFixedDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return saveDialog(desk, commands, parent, "Fixed Text", "file.saveFixed", "TVMScript (*.py)", nameFor(desk, "fixed"));
}
QDialog* saveValueDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return saveDialog(desk, commands, parent, "Value as .npy", "export.value", "NumPy (*.npy)",
                    nameFor(desk, desk.selection.place().variable));
}
QDialog* saveResultDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return saveDialog(desk, commands, parent, "Result as .npy", "export.result", "NumPy (*.npy)",
                    nameFor(desk, "result"));
}
QDialog* exportGraphDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return saveDialog(desk, commands, parent, "Graph", "export.graph", "Graph (*.svg *.pdf *.dot)",
                    nameFor(desk, "graph"));
}
QDialog* savePictureDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return saveDialog(desk, commands, parent, "Picture of the Panel", "view.savePicture", "Picture (*.png *.svg)",
                    nameFor(desk, "picture"));
}
QDialog* shareStageDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return saveDialog(desk, commands, parent, "Stage as a Page", "share.stage", "Page (*.html)", stageName(desk));
}
QDialog* shareDiffDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return saveDialog(desk, commands, parent, "Difference as a Page", "share.diff", "Page (*.html)",
                    stageName(desk) + "-diff");
}
QDialog* shareValueDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return saveDialog(desk, commands, parent, "Value as a Page", "share.value", "Page (*.html)",
                    nameFor(desk, desk.selection.place().variable));
}
QDialog* diagnosticsDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return saveDialog(desk, commands, parent, "Save Diagnostics", "help.saveDiagnostics", "Text (*.txt)",
                    "relaxscope-diagnostics");
}
QDialog* loadProfileDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return pathDialog(desk, commands, parent, "Load Profile", "profile.load", QFileDialog::ExistingFile,
                    "Profiles (*.json);;All files (*)");
}
QDialog* saveProfileDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return saveDialog(desk, commands, parent, "Save Profile", "profile.save", "Profiles (*.json)",
                    nameFor(desk, "profile"));
}
QDialog* saveProfileTraceDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return saveDialog(desk, commands, parent, "Profile as Chrome Trace", "profile.saveTrace", "Chrome traces (*.json)",
                    nameFor(desk, "profile-trace"));
}
QDialog* renameProfileDialog(Desk& desk, Commands* commands, QWidget* parent) {
  auto* dialog = new AskDialog(commands, parent, "Rename Profile", "Name of the profile:", "Rename", "profile.rename");
  if (desk.profiles.shown())
    dialog->setText(desk.profiles.entries()[static_cast<size_t>(desk.profiles.shownNumber())].name);
  return dialog;
}
QDialog* openParametersDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return pathDialog(desk, commands, parent, "Open Parameters", "debug.openParameters", QFileDialog::ExistingFile,
                    "Arrays (*.npz *.npy *.safetensors);;All files (*)");
}
QDialog* compareRunsDialog(Desk& desk, Commands* commands, QWidget* parent) {
  auto* dialog = new AskDialog(
      commands, parent, "Compare Runs",
      "Compare with a run on this target (cpu, or a kind of device) or library (dnnl, cblas), or with the "
      "arrays of a file, by the names of bindings:",
      "Compare", "debug.compareRuns");
  if (!desk.debug.config().target.isEmpty() || !desk.document.target().isEmpty())
    dialog->setText(QStringLiteral("cpu"));
  return dialog;
}
QDialog* openLinkDialog(Desk&, Commands* commands, QWidget* parent) {
  return new AskDialog(commands, parent, "Open Link", "A relaxscope:// link:", "Open", "file.openLink");
}
QDialog* targetDialog(Desk& desk, Commands* commands, QWidget* parent) {
  auto* dialog = new AskDialog(commands, parent, "Target of the Passes", "A target, or host for this machine:", "Use",
                               "pass.target");
  dialog->setText(desk.document.target().isEmpty() ? QStringLiteral("host") : desk.document.target());
  return dialog;
}
/// Offers the symbols of the selected function.
QDialog* boundsDialog(Desk& desk, Commands* commands, QWidget* parent) {
  auto* dialog = new AskDialog(commands, parent, "Bounds of Symbols", "The largest size of each, such as n=512:", "Use",
                               "pass.bounds");
  QStringList known;
  if (const FunctionRow* function = selectedFunction(desk))
    for (const SymbolRow& symbol : function->symbols) known << symbol.name + '=';
  dialog->setText(known.join(' '));
  return dialog;
}
QDialog* saveLayoutDialog(Desk&, Commands* commands, QWidget* parent) {
  return new AskDialog(commands, parent, "Save Layout", "Name of the layout:", "Save", "view.saveLayout");
}

QDialog* noteDialog(Desk& desk, Commands* commands, QWidget* parent) {
  auto* dialog = new AskDialog(commands, parent, "Note", "A note at the selected place:", "Keep", "bookmark.note");
  if (const Note* note = desk.notes.at(desk.selection.place())) dialog->setText(note->text);
  return dialog;
}
QDialog* saveSessionDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return saveDialog(desk, commands, parent, "Save Session", "session.save", "Sessions (*.rxsession)",
                    nameFor(desk, {}));
}
QDialog* openSessionDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return pathDialog(desk, commands, parent, "Open Session", "session.open", QFileDialog::ExistingFile,
                    "Sessions (*.rxsession);;All files (*)");
}

QDialog* aboutDialog(Desk&, Commands* commands, QWidget* parent) {
  auto* dialog = new QDialog(parent);
  dialog->setWindowTitle("About relaxscope");
  auto* column = new QVBoxLayout(dialog);
  auto* text = new QLabel(
      QStringLiteral("relaxscope %1\n\nSee, step and ship Relax modules.\n\nThe window never runs compiled code: "
                     "the engine (rxs dap) does, as a process of its own.\nQt %2")
          .arg(QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion())),
      dialog);
  column->addWidget(text);
  // Which LLVM there is only the engine knows; its words come when it has answered, and cost the dialog nothing.
  auto* engine = new QLabel(QStringLiteral("Engine: asking it for its version…"), dialog);
  engine->setObjectName("engineVersion");
  column->addWidget(engine);
  auto* ask = new ToolJob(dialog);
  const QString refused = ask->start({"--version"}, [engine](bool ok, const QString& output) {
    engine->setText(ok ? QStringLiteral("Engine %1").arg(output.trimmed())
                       : QStringLiteral("The engine does not say its version: %1").arg(output.trimmed()));
  });
  if (!refused.isEmpty()) engine->setText(refused);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  auto* diagnostics = buttons->addButton("Save diagnostics…", QDialogButtonBox::ActionRole);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  // The dialog that this opens takes the place of this one.
  QObject::connect(diagnostics, &QPushButton::clicked, parent, [commands] { commands->run("help.saveDiagnostics"); });
  column->addWidget(buttons);
  return dialog;
}

/// What Return presses where no button has the focus: what the dialog is for, else what closes it. Left to Qt it is
/// the first button of all, which in the settings takes everything back.
void setReturn(QDialog& dialog) {
  auto* box = dialog.findChild<QDialogButtonBox*>();
  if (!box) return;
  QPushButton* wanted = nullptr;
  for (QAbstractButton* each : box->buttons()) {
    auto* button = qobject_cast<QPushButton*>(each);
    if (!button) continue;
    if (button->isDefault()) return;
    const QDialogButtonBox::ButtonRole role = box->buttonRole(button);
    if (role == QDialogButtonBox::AcceptRole || (role == QDialogButtonBox::RejectRole && !wanted)) wanted = button;
  }
  if (wanted) wanted->setDefault(true);
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
    {"renameProfile", renameProfileDialog},
    {"saveProfile", saveProfileDialog},
    {"saveProfileTrace", saveProfileTraceDialog},
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
    {"bisect", makeBisectDialog},
    {"attach", makeAttachDialog},
    {"export", makeExportDialog},
    {"pipeline", makePipelineDialog},
    {"shortcuts", makeShortcutsDialog},
    {"help", makeHelpDialog},
    {"diagnostics", diagnosticsDialog},
    {"settings", makeSettingsDialog},
    {"colours", makeColoursDialog},
    {"keys", makeKeysDialog},
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
    if (name != QLatin1String(row.name)) continue;
    QDialog* dialog = row.make(desk, commands, parent);
    setReturn(*dialog);
    return dialog;
  }
  return nullptr;
}

}  // namespace rx::views
