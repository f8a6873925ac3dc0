// "Run": the function, where its parameters and inputs come from, and where it stops first.
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

#include "views/panels/panel.h"
#include "views/shell/desk.h"
#include "views/shell/dialogs.h"
#include "views/shell/run_arguments.h"
#include "views/shell/style.h"

namespace rx::views {
namespace {

class RunDialog : public QDialog {
 public:
  RunDialog(Desk& desk, Commands* commands, QWidget* parent)
      : QDialog(parent),
        desk_(desk),
        commands_(commands),
        function_(new QComboBox(this)),
        params_(new QLineEdit(this)),
        inputs_(new QLineEdit(this)),
        seed_(new QSpinBox(this)),
        symbols_(new QLineEdit(this)),
        entry_(new QCheckBox("stopped at the first binding", this)),
        nonFinite_(new QCheckBox("stop where the first NaN or Inf is made", this)),
        says_(new QLabel(this)) {
    setWindowTitle("Run");
    auto* form = new QFormLayout(this);
    form->addRow("Function", function_);
    form->addRow("Takes", says_);
    form->addRow("Parameter file", withBrowse(params_, "Parameters (*.npz)"));
    form->addRow("Input file", withBrowse(inputs_, "Inputs (*.npz *.npy)"));
    form->addRow("or from seed", seed_);
    form->addRow("Symbols", symbols_);
    form->addRow("Start", entry_);
    form->addRow("", nonFinite_);
    inputs_->setPlaceholderText("empty: generated from the seed");
    params_->setPlaceholderText("empty: parameters are inputs too");
    symbols_->setPlaceholderText("n=17 m=4, for generated inputs");
    for (QLineEdit* edit : {params_, inputs_, symbols_}) edit->setMinimumWidth(fontMetrics().averageCharWidth() * 50);
    says_->setTextFormat(Qt::PlainText);
    says_->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(this);
    auto* start = buttons->addButton("Run", QDialogButtonBox::AcceptRole);
    markPrimary(start);
    start->setDefault(true);
    buttons->addButton(QDialogButtonBox::Cancel);
    form->addRow(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] { startRun(); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(function_, &QComboBox::currentTextChanged, this, [this] { describe(); });
    fill();
  }

 private:
  QWidget* withBrowse(QLineEdit* edit, const QString& filter) {
    auto* row = new QWidget(this);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    auto* browse = new QPushButton("…", row);
    browse->setAccessibleName("Choose a file");
    line->addWidget(edit);
    line->addWidget(browse);
    connect(browse, &QPushButton::clicked, this, [this, edit, filter] {
      auto* files = new QFileDialog(this, "Choose", desk_.document.folder(), filter);
      files->setAttribute(Qt::WA_DeleteOnClose);
      connect(files, &QFileDialog::fileSelected, edit, &QLineEdit::setText);
      files->open();
    });
    return row;
  }

  void fill() {
    if (const StageIndexPtr index = desk_.document.stage(0, false)) {
      for (const FunctionRow& function : index->functions) {
        if (function.kind == FunctionKind::Relax && !function.isPrivate) function_->addItem(function.name);
      }
    }
    const int selected = function_->findText(desk_.selection.place().function);
    const int main = function_->findText("main");
    function_->setCurrentIndex(selected >= 0 ? selected : std::max(0, main));
    const RunConfig config = defaultRun(desk_.document, function_->currentText(), desk_.selection.place().stage);
    params_->setText(config.paramsFile);
    inputs_->setText(config.inputsFile);
    seed_->setMaximum(1 << 30);
    entry_->setChecked(true);
    nonFinite_->setChecked(desk_.settings.value("stopOnNonFinite", false).toBool());
    describe();
  }

  void describe() {
    const StageIndexPtr index = desk_.document.stage(0, false);
    const FunctionRow* function = index ? index->function(function_->currentText()) : nullptr;
    QStringList params;
    if (function) {
      for (const ParamRow& param : function->params) params << param.name + ": " + param.info;
    }
    constexpr qsizetype kShown = 8;
    const qsizetype more = params.size() - kShown;
    params = params.mid(0, kShown);
    if (more > 0) params << QStringLiteral("and %1 more").arg(more);
    says_->setText(params.isEmpty() ? QStringLiteral("no parameters") : params.join('\n'));
  }

  void startRun() {
    QStringList arguments{function_->currentText()};
    arguments << "params=" + params_->text();
    if (inputs_->text().isEmpty()) {
      arguments << QStringLiteral("seed=%1").arg(seed_->value());
    } else {
      arguments << "inputs=" + inputs_->text();
    }
    arguments << symbols_->text().split(' ', Qt::SkipEmptyParts);
    if (!entry_->isChecked()) arguments << (nonFinite_->isChecked() ? "stop=nonfinite" : "stop=none");
    desk_.settings.setValue("stopOnNonFinite", nonFinite_->isChecked());
    if (commands_->run("debug.start", arguments)) close();
  }

  Desk& desk_;
  Commands* commands_;
  QComboBox* function_;
  QLineEdit* params_;
  QLineEdit* inputs_;
  QSpinBox* seed_;
  QLineEdit* symbols_;
  QCheckBox* entry_;
  QCheckBox* nonFinite_;
  QLabel* says_;
};

}  // namespace

QDialog* makeRunDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return new RunDialog(desk, commands, parent);
}

}  // namespace rx::views
