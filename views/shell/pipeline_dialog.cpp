// "Edit Pipeline": the pipeline as text, one pass a line.
#include <QCheckBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "views/panels/kernel/kernel_tune.h"
#include "views/panels/panel.h"
#include "views/panels/pipeline/pipeline_rows.h"
#include "views/shell/desk.h"
#include "views/shell/dialogs.h"
#include "views/shell/style.h"
#include "views/theme/fonts.h"

namespace rx::views {

QDialog* makePipelineDialog(Desk& desk, Commands* commands, QWidget* parent) {
  auto* dialog = new QDialog(parent);
  dialog->setWindowTitle("Pipeline");
  auto* column = new QVBoxLayout(dialog);
  auto* help = new QLabel(
      "Passes with their options as in TVM, separated by commas: FuseOps(fuse_opt_level=1), DeadCodeElimination(). "
      "What stands behind a # is left out.",
      dialog);
  help->setWordWrap(true);
  auto* edit = new QPlainTextEdit(dialog);
  edit->setFont(fixedFont(edit->font()));
  edit->setAccessibleName("Passes of the pipeline");
  edit->setPlainText(pipelineText(pipelineRows(desk.document.pipeline(), desk.document.language())));
  edit->setMinimumSize(edit->fontMetrics().averageCharWidth() * 70, edit->fontMetrics().height() * 18);
  auto* tuned = new QCheckBox("&Schedule kernels as tuning found them quickest on this machine", dialog);
  tuned->setObjectName("tuned");
  const bool some = QFileInfo::exists(KernelTune::database());
  tuned->setEnabled(some);
  tuned->setToolTip(some ? "Writes what was measured into the options of the pass that schedules kernels"
                         : "Nothing was tuned yet: Run, Tune Kernels does it");
  auto* refused = new QLabel(dialog);
  refused->setWordWrap(true);
  auto* buttons = new QDialogButtonBox(dialog);
  auto* use = buttons->addButton("Use", QDialogButtonBox::AcceptRole);
  markPrimary(use);
  buttons->addButton(QDialogButtonBox::Cancel);
  column->addWidget(help);
  column->addWidget(edit, 1);
  column->addWidget(tuned);
  column->addWidget(refused);
  column->addWidget(buttons);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, [&desk, commands, dialog, edit, refused, tuned] {
    const QString typed = edit->toPlainText().trimmed();
    commands->run("pass.pipeline", {typed});
    const QString error = desk.document.pipelineError();
    refused->setText(error);
    if (!error.isEmpty()) return;
    if (tuned->isChecked()) commands->run("profile.useTuned");
    dialog->close();
  });
  return dialog;
}

}  // namespace rx::views
