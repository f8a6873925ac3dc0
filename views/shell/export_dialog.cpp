// "Export": writes the compiled package and verifies it, both by `rxs` in processes of their own.
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>

#include "views/models/samples.h"
#include "views/panels/kernel/kernel_tune.h"
#include "views/panels/panel.h"
#include "views/shell/desk.h"
#include "views/shell/dialogs.h"
#include "views/shell/run_arguments.h"
#include "views/shell/style.h"
#include "views/theme/fonts.h"

namespace rx::views {
namespace {

class ExportDialog : public QDialog {
 public:
  ExportDialog(Desk& desk, QWidget* parent)
      : QDialog(parent),
        folder_(new QLineEdit(this)),
        params_(new QLineEdit(this)),
        passes_(new QComboBox(this)),
        tuned_(new QCheckBox("&Kernels as tuning found them quickest on this machine", this)),
        output_(new QPlainTextEdit(this)) {
    setWindowTitle("Export Compiled Package");
    auto* form = new QFormLayout(this);
    auto* what = new QLabel(
        "A folder with the shared library, the parameters, a manifest, a C header and a C runner. It needs neither "
        "this program nor a compiler where it runs. It is verified in a clean process after it was written.",
        this);
    what->setWordWrap(true);
    form->addRow(what);
    folder_->setObjectName("folder");
    folder_->setAccessibleName("Folder");
    params_->setAccessibleName("Parameters");
    output_->setAccessibleName("What the export says");
    form->addRow("&Folder", withBrowse(folder_, QFileDialog::Directory, {}));
    form->addRow("&Parameters", withBrowse(params_, QFileDialog::ExistingFile, "Parameters (*.npz *.safetensors)"));
    passes_->setObjectName("passes");
    passes_->addItem("optimized: kernels fused and scheduled for the processor",
                     static_cast<int>(PackagePasses::Usual));
    passes_->addItem("as in this window: its passes, each kernel as it is shown",
                     static_cast<int>(PackagePasses::AsShown));
    passes_->setCurrentIndex(passes_->findData(static_cast<int>(packagePasses(desk.document))));
    form->addRow("P&asses", passes_);
    tuned_->setObjectName("tuned");
    const bool some = QFileInfo::exists(KernelTune::database());
    tuned_->setEnabled(some);
    tuned_->setToolTip(some
                           ? "What was measured of other kernels, or elsewhere, does nothing: " + KernelTune::database()
                           : QString("Nothing was tuned yet: Run, Tune Kernels does it."));
    form->addRow(QString(), tuned_);
    form->addRow(output_);
    folder_->setText(QDir(desk.document.folder()).filePath("package"));
    params_->setText(fileBeside(desk.document.folder(), "params"));
    params_->setPlaceholderText("empty: no parameters are packed");
    folder_->setMinimumWidth(fontMetrics().averageCharWidth() * 60);
    output_->setReadOnly(true);
    output_->setFont(fixedFont(font()));
    output_->setPlaceholderText("What the export says stands here.");
    auto* buttons = new QDialogButtonBox(this);
    auto* write = buttons->addButton("Write and verify", QDialogButtonBox::ActionRole);
    markPrimary(write);
    write->setDefault(true);  // what Enter does in the fields too
    buttons->addButton(QDialogButtonBox::Close)->setAutoDefault(false);
    form->addRow(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(write, &QPushButton::clicked, this, [this, &desk] { start(desk); });
  }

 private:
  QWidget* withBrowse(QLineEdit* edit, QFileDialog::FileMode mode, const QString& filter) {
    auto* row = new QWidget(this);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    auto* browse = new QPushButton("…", row);
    browse->setAccessibleName("Choose");
    browse->setAutoDefault(false);
    line->addWidget(edit);
    line->addWidget(browse);
    row->setFocusProxy(edit);
    connect(browse, &QPushButton::clicked, this, [this, edit, mode, filter] {
      auto* files = new QFileDialog(this, "Choose", edit->text(), filter);
      files->setFileMode(mode);
      files->setAttribute(Qt::WA_DeleteOnClose);
      connect(files, &QFileDialog::fileSelected, edit, &QLineEdit::setText);
      files->open();
    });
    return row;
  }

  void start(Desk& desk) {
    const QStringList tool = packageArguments(desk.document, folder_->text(), params_->text(),
                                              static_cast<PackagePasses>(passes_->currentData().toInt()),
                                              tuned_->isChecked() ? KernelTune::database() : QString());
    QStringList shown = tool;
    for (QString& word : shown) word = shellWord(word);
    output_->setPlainText("$ rxs " + shown.join(' '));
    const QPointer<ExportDialog> self(this);
    WindowDeeds* window = &desk.window;
    const QString refused = desk.window.runTool("Export", tool, [self, window](bool ok, const QString& text) {
      if (self)
        self->output_->appendPlainText(text.trimmed() +
                                       (ok ? "\nWritten and verified." : "\nFailed: the lines above say why."));
      else if (ok)
        window->say("Export: written and verified. " + text.trimmed());
    });
    if (!refused.isEmpty()) output_->appendPlainText(refused);
  }

  QLineEdit* folder_;
  QLineEdit* params_;
  QComboBox* passes_;
  QCheckBox* tuned_;
  QPlainTextEdit* output_;
};

}  // namespace

QDialog* makeExportDialog(Desk& desk, Commands*, QWidget* parent) { return new ExportDialog(desk, parent); }

}  // namespace rx::views
