// "Run": the function, the files that its parameters come from, what each parameter takes, and where the run stops
// first. "Bisect" asks the same as far as it is the same for the runs of all stages.
#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QPalette>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QShortcut>
#include <QSpinBox>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "core/compile/request/request.h"
#include "views/models/run_tool.h"
#include "views/models/tool_job.h"
#include "views/panels/list_view.h"
#include "views/panels/panel.h"
#include "views/shell/argument_plan.h"
#include "views/shell/desk.h"
#include "views/shell/dialogs.h"
#include "views/shell/file_list.h"
#include "views/shell/role_choice.h"
#include "views/shell/run_arguments.h"
#include "views/shell/style.h"

namespace rx::views {
namespace {

/// The field that chooses what a parameter takes, or what it is.
class SourceDelegate : public CellDelegate {
 public:
  explicit SourceDelegate(QObject* parent) : CellDelegate(parent) {}
  QStringList arrays;

  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const override {
    auto* box = new QComboBox(parent);
    if (index.column() == PlanModel::kRole) {
      for (const char* role : {"input", "weight"}) box->addItem(QString::fromLatin1(role), QString::fromLatin1(role));
      return box;
    }
    for (const QString& array : arrays) box->addItem(array, array);
    for (const char* made : {"@seed", "@zero"}) box->addItem(sourceText(made), made);
    return box;
  }
  void setEditorData(QWidget* editor, const QModelIndex& index) const override {
    auto* box = static_cast<QComboBox*>(editor);
    box->setCurrentIndex(box->findData(index.data(Qt::EditRole)));
    connect(box, &QComboBox::activated, this, [this, box] {
      Q_EMIT const_cast<SourceDelegate*>(this)->commitData(box);
      Q_EMIT const_cast<SourceDelegate*>(this)->closeEditor(box);
    });
    QTimer::singleShot(0, box, &QComboBox::showPopup);
  }
  void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override {
    const auto* box = static_cast<QComboBox*>(editor);
    if (box->currentIndex() >= 0) model->setData(index, box->currentData(), Qt::EditRole);
  }
};

/// What is run: the module, to be stepped, or every stage, to be compared.
enum class Runs : uint8_t { One, Stages };

class RunDialog : public QDialog {
 public:
  RunDialog(Runs runs, Desk& desk, Commands* commands, QWidget* parent)
      : QDialog(parent),
        runs_(runs),
        desk_(desk),
        commands_(commands),
        function_(new QComboBox(this)),
        stage_(new QComboBox(this)),
        files_(new FileList("Parameters and inputs", "Arrays (*.npz *.npy *.safetensors);;All files (*)", 4, this)),
        plugins_(new FileList("Plugins", "Shared libraries (*.so);;All files (*)", 1, this)),
        model_(new PlanModel(this)),
        delegate_(new SourceDelegate(this)),
        table_(new ListView(this)),
        preview_(new QPlainTextEdit(this)),
        says_(new QLabel(this)),
        makes_(new QCheckBox("make what no file gives, from seed", this)),
        seed_(new QSpinBox(this)),
        symbols_(new QLineEdit(this)),
        entry_(new QCheckBox("stopped at the first binding", this)),
        nonFinite_(new QCheckBox("stop where the first NaN or Inf is made", this)),
        target_(new QLineEdit(this)),
        mode_(new QComboBox(this)),
        keep_(new QComboBox(this)),
        targetSays_(new QLabel(this)),
        tool_(new ToolJob(this)) {
    const bool one = runs == Runs::One;
    setWindowTitle(one ? "Run" : "Bisect");
    auto* form = new QFormLayout(this);
    const bool chooses = one && !desk.document.canRunPasses();
    if (chooses) form->addRow("&Stage", stage_);
    stage_->setVisible(chooses);
    stage_->setAccessibleName("Stage that runs");
    form->addRow("F&unction", function_);
    setUpFiles();
    form->addRow("&Files", files_);
    form->addRow("&Generated", makeGenerated());
    form->addRow(makeTable());
    form->addRow(says_);
    form->addRow(roles_->says());
    auto* starts = new QHBoxLayout;
    starts->addWidget(entry_);
    starts->addWidget(nonFinite_);
    starts->addStretch();
    QWidget* compile = makeCompile();
    setUpKeep();
    if (one) {
      form->addRow("Start", starts);
      form->addRow("&Compile for", compile);
      form->addRow("&Record", keep_);
      form->addRow("&Plugins", plugins_);
    }
    for (QWidget* part : std::initializer_list<QWidget*>{entry_, nonFinite_, compile, keep_, plugins_})
      part->setVisible(one);
    form->addRow(makeButtons());
    later_.setSingleShot(true);
    later_.setInterval(kTypingPause);
    connect(&later_, &QTimer::timeout, this, &RunDialog::plan);
    fill();
    resize(std::min(parent->width() - 40, fontMetrics().averageCharWidth() * 130),
           std::min(parent->height() - 60, fontMetrics().height() * 34));
  }
  ~RunDialog() override { wait(false); }

 private:
  static constexpr int kTypingPause = 150;  // milliseconds

  /// The files that the parameters come from, and the libraries of the user's own functions.
  void setUpFiles() {
    files_->setObjectName("files");
    plugins_->setObjectName("plugins");
    plugins_->setToolTip(
        "Packed functions of your own: libraries of the C interface rxs_plugin.h. They run in the engine.");
    for (FileList* list : {files_, plugins_}) list->setFolder(desk_.document.folder());
    connect(files_, &FileList::changed, this, &RunDialog::plan);
  }

  QWidget* makeGenerated() {
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(makes_);
    row->addWidget(seed_);
    row->addWidget(symbols_, 1);
    box->setFocusProxy(makes_);
    seed_->setMaximum(1 << 30);
    seed_->setAccessibleName("Seed");
    symbols_->setAccessibleName("Values of symbols");
    symbols_->setPlaceholderText("sizes of what is made: n=17 m=4");
    connect(makes_, &QCheckBox::toggled, this, &RunDialog::plan);
    connect(seed_, &QSpinBox::valueChanged, &later_, qOverload<>(&QTimer::start));
    connect(symbols_, &QLineEdit::textChanged, &later_, qOverload<>(&QTimer::start));
    connect(function_, &QComboBox::currentTextChanged, this, [this] {
      choices_.clear();
      plan();
    });
    return box;
  }

  QWidget* makeTable() {
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    table_->setModel(model_);
    table_->setItemDelegate(delegate_);
    table_->setStretchColumn(PlanModel::kParameter);
    table_->setEditTriggers(QAbstractItemView::SelectedClicked | QAbstractItemView::EditKeyPressed);
    table_->setAccessibleName("What each parameter takes");
    table_->setEmptyText("Looking at the files…");
    preview_->setReadOnly(true);
    preview_->setFont(monospaceFont(font()));
    preview_->setAccessibleName("Numbers of the selected parameter");
    preview_->setMinimumWidth(fontMetrics().averageCharWidth() * 34);
    row->addWidget(table_, 3);
    row->addWidget(preview_, 1);
    connect(table_, &ListView::chosen, this, [this](const QModelIndex& index) {
      table_->edit(index.column() == PlanModel::kRole ? index : index.siblingAtColumn(PlanModel::kTakes));
    });
    roles_ = new RoleChoice(desk_, table_, model_, this);
    auto* turn = new QShortcut(Qt::Key_Space, table_, nullptr, nullptr, Qt::WidgetShortcut);
    connect(turn, &QShortcut::activated, this, [this] { roles_->turn(); });
    connect(roles_, &RoleChoice::changed, this, [this] { plan(); });
    connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] { showPreview(); });
    model_->onChoose = [this](const QString& parameter, const QString& from) {
      std::erase_if(choices_, [&](const auto& choice) { return choice.first == parameter; });
      choices_.emplace_back(parameter, from);
      plan();
    };
    return box;
  }

  QWidget* makeCompile() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    auto* row = new QHBoxLayout;
    column->addLayout(row);
    column->addWidget(targetSays_);
    row->addWidget(target_, 1);
    row->addWidget(mode_);
    box->setFocusProxy(target_);
    target_->setObjectName("target");
    target_->setAccessibleName("Target");
    target_->setPlaceholderText("this machine; or llvm -mcpu=x86-64-v3, a tag, JSON of a target");
    mode_->setObjectName("mode");
    mode_->setAccessibleName("How machine code is made");
    for (const compile::ModeRow& known : compile::modes()) {
      mode_->addItem(QString::fromLatin1(known.name), QString::fromLatin1(known.name));
      mode_->setItemData(mode_->count() - 1, QString::fromUtf8(known.help), Qt::ToolTipRole);
    }
    targetSays_->setObjectName("targetProblem");
    targetSays_->setWordWrap(true);
    QPalette ink = targetSays_->palette();
    ink.setColor(QPalette::WindowText, Palette::forQt(palette()).error);
    targetSays_->setPalette(ink);
    targetSays_->hide();
    const auto explain = [this] { mode_->setToolTip(mode_->currentData(Qt::ToolTipRole).toString()); };
    connect(mode_, &QComboBox::currentIndexChanged, this, explain);
    explain();
    connect(target_, &QLineEdit::textChanged, this, [this] { targetSays_->hide(); });
    connect(target_, &QLineEdit::editingFinished, this, &RunDialog::checkTarget);
    return box;
  }

  /// What a recording keeps of the values. The last row may be typed over with another number.
  void setUpKeep() {
    struct Row {
      const char *keep, *help;
    };
    static constexpr Row kRows[] = {
        {"everything", "Every value of every step, for stepping back to any of them."},
        {"bindings", "The values of bindings, and nothing that was written in between."},
        {"statistics", "No elements of what the run makes: smallest, largest, mean, NaN and Inf of each."},
        {"last:1000", "Every value of at least the last 1000 steps; write another number where others are wanted."},
    };
    for (const Row& row : kRows) {
      keep_->addItem(QString::fromLatin1(row.keep));
      keep_->setItemData(keep_->count() - 1, tr(row.help), Qt::ToolTipRole);
    }
    keep_->setEditable(true);
    keep_->setObjectName("keep");
    for (QWidget* field : std::initializer_list<QWidget*>{keep_, keep_->lineEdit()})
      field->setAccessibleName("What the recording keeps of the values");
    keep_->setToolTip(tr("What the recording keeps of the values; its room on disk is a budget of the settings."));
  }

  /// Says what is wrong with the target; true where nothing is.
  bool checkTarget() {
    const QString problem = targetProblem(target_->text().trimmed());
    targetSays_->setText(problem);
    targetSays_->setVisible(!problem.isEmpty());
    return problem.isEmpty();
  }

  QWidget* makeButtons() {
    auto* buttons = new QDialogButtonBox(this);
    auto* start = buttons->addButton(runs_ == Runs::One ? "Run" : "Bisect", QDialogButtonBox::AcceptRole);
    markPrimary(start);
    start->setDefault(true);
    buttons->addButton(QDialogButtonBox::Cancel);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] { startRun(); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    return buttons;
  }

  /// The stage whose module runs: of a folder of stages the chosen one, else the imported module.
  int runStage() const { return desk_.document.canRunPasses() ? 0 : stage_->currentData().toInt(); }

  /// Stages that could not be read can not run.
  void fillStages() {
    for (const StepRow& step : desk_.document.steps()) {
      if (step.state == StepState::Failed) continue;
      stage_->addItem(QStringLiteral("%1 %2").arg(step.number).arg(step.name), step.number);
    }
    stage_->setCurrentIndex(std::max(0, stage_->findData(desk_.selection.place().stage)));
    connect(stage_, &QComboBox::activated, this, [this] {
      desk_.document.stage(runStage());
      fillFunctions();
      plan();
    });
    // The functions of a stage are known when its view is built.
    connect(&desk_.document, &Document::stageReady, this, [this](int stage) {
      if (stage != runStage() || function_->count() > 0) return;
      fillFunctions();
      plan();
    });
  }

  void fillFunctions() {
    const QString before = function_->currentText();
    function_->clear();
    const StageIndexPtr index = desk_.document.stage(runStage(), false);
    if (!index) return;
    for (const FunctionRow& function : index->functions) {
      if (function.binds() && !function.isPrivate) function_->addItem(function.name);
    }
    function_->setCurrentIndex(std::max(0, function_->findText(before)));
  }

  void fill() {
    if (!desk_.document.canRunPasses()) fillStages();
    fillFunctions();
    const int selected = function_->findText(desk_.selection.place().function);
    function_->setCurrentIndex(selected >= 0 ? selected : std::max(0, function_->findText("main")));
    // What a run took that failed is what is to be edited.
    const RunConfig& last = desk_.debug.config();
    const bool again = desk_.debug.failure() && function_->findText(last.function) >= 0;
    if (again) function_->setCurrentText(last.function);
    const RunConfig config =
        again ? last : defaultRun(desk_.document, function_->currentText(), desk_.selection.place().stage);
    QStringList files = QStringList{config.paramsFile, config.inputsFile} + config.files;
    files.removeAll(QString());
    files_->add(files);
    makes_->setChecked(config.generates());
    seed_->setValue(static_cast<int>(config.seed));
    symbols_->setText(config.symbolValues.join(' '));
    for (const QString& choice : config.choices)
      choices_.emplace_back(choice.section('=', 0, 0), choice.section('=', 1));
    // A run goes on being compiled as the last one was, with the same functions.
    plugins_->add(last.plugins);
    target_->setText(last.target);
    mode_->setCurrentIndex(std::max(0, mode_->findData(last.mode.isEmpty() ? QStringLiteral("step") : last.mode)));
    if (!last.keep.isEmpty()) keep_->setCurrentText(last.keep);
    entry_->setChecked(true);
    nonFinite_->setChecked(desk_.settings.value("stopOnNonFinite", false).toBool());
    plan();
  }

  /// A script's line goes on when the tool has said what the parameters take.
  void wait(bool waits) {
    if (waits != waits_) desk_.window.countWork(waits ? 1 : -1);
    waits_ = waits;
  }

  /// Asks the tool what a run with these files would take; the answer of an older question is thrown away.
  void plan() {
    later_.stop();
    const int number = ++asked_;
    tool_->abandon();
    RunConfig config;
    config.function = function_->currentText();
    config.stage = runStage();
    config.files = files_->files();
    config.seed = static_cast<unsigned>(seed_->value());
    config.seeded = makes_->isChecked();
    for (const auto& [parameter, from] : choices_) config.choices << parameter + '=' + from;
    config.symbolValues = symbols_->text().split(' ', Qt::SkipEmptyParts);
    const QStringList words = QStringList{"run"} + toolArguments(desk_.document, config) + QStringList{"--plan"};
    seed_->setEnabled(makes_->isChecked());
    const QPointer<RunDialog> self(this);
    const QString refused = tool_->start(words, [self, number](bool ok, const QString& output) {
      if (!self || number != self->asked_) return;
      self->wait(false);
      self->show(readPlan(ok, output));
    });
    wait(refused.isEmpty());
    if (!refused.isEmpty()) says_->setText(refused);
  }

  void show(const ArgumentTable& table) {
    const int row = std::max(0, table_->currentIndex().row());
    delegate_->arrays = table.arrays;
    model_->setPalette(Palette::forQt(palette()));
    model_->setRows(table.rows);
    roles_->show(function_->currentText());
    table_->setEmptyText(table.error.isEmpty() ? "The function takes no parameters." : "The files can not be read.");
    table_->fitColumns();
    table_->setCurrentIndex(model_->index(std::min(row, model_->rowCount() - 1), 0));
    extra_ = std::any_of(table.rows.begin(), table.rows.end(), [](const PlanRow& r) { return r.status == "extra"; });
    QStringList wrong = table.error.isEmpty() ? table.problems : QStringList{table.error};
    // An array too many is said in its row and does not hold a run up.
    wrong.removeIf([](const QString& problem) { return problem.contains("which a file gives"); });
    const Palette& theme = Palette::forQt(palette());
    QPalette ink = says_->palette();
    ink.setColor(QPalette::WindowText, wrong.isEmpty() ? theme.text : theme.error);
    says_->setPalette(ink);
    says_->setWordWrap(true);
    says_->setText(wrong.isEmpty() ? planSummary(table) : wrong.first());
    says_->setToolTip(wrong.join('\n'));
    showPreview();
  }

  void showPreview() {
    const PlanRow* row = model_->row(table_->currentIndex());
    QStringList lines;
    if (row && !row->why.isEmpty()) lines << row->why << QString();
    if (row)
      lines << (row->parameter.isEmpty() ? row->from
                                         : row->parameter + QStringLiteral(": ") +
                                               (row->from.isEmpty() ? "nothing is chosen" : sourceText(row->from)))
            << row->given << QString() << row->preview;
    preview_->setPlainText(lines.join('\n'));
  }

  void startRun() {
    if (!checkTarget()) return target_->setFocus();
    QStringList arguments{function_->currentText(), "params=", "inputs="};
    for (const QString& file : files_->files()) arguments << "file=" + file;
    if (makes_->isChecked() || files_->files().isEmpty()) arguments << QStringLiteral("seed=%1").arg(seed_->value());
    for (const auto& [parameter, from] : choices_) arguments << "map=" + parameter + '=' + from;
    if (extra_) arguments << "extra=ignore";
    arguments << symbols_->text().split(' ', Qt::SkipEmptyParts);
    if (runs_ == Runs::Stages) {
      arguments.insert(1, QString());  // the limit is the panel's
      if (commands_->run("debug.bisect", arguments)) close();
      return;
    }
    if (!desk_.document.canRunPasses()) arguments << QStringLiteral("stage=%1").arg(runStage());
    if (!entry_->isChecked()) arguments << (nonFinite_->isChecked() ? "stop=nonfinite" : "stop=none");
    if (const QString target = target_->text().trimmed(); !target.isEmpty()) arguments << "target=" + target;
    for (const QString& plugin : plugins_->files()) arguments << "plugin=" + plugin;
    arguments << "mode=" + mode_->currentData().toString() << "keep=" + keep_->currentText().trimmed();
    desk_.settings.setValue("stopOnNonFinite", nonFinite_->isChecked());
    if (commands_->run("debug.start", arguments)) close();
  }

  const Runs runs_;
  Desk& desk_;
  Commands* commands_;
  QComboBox* function_;
  QComboBox* stage_;
  FileList *files_, *plugins_;
  PlanModel* model_;
  SourceDelegate* delegate_;
  RoleChoice* roles_ = nullptr;
  ListView* table_;
  QPlainTextEdit* preview_;
  QLabel* says_;
  QCheckBox* makes_;
  QSpinBox* seed_;
  QLineEdit* symbols_;
  QCheckBox* entry_;
  QCheckBox* nonFinite_;
  QLineEdit* target_;
  QComboBox *mode_, *keep_;
  QLabel* targetSays_;
  ToolJob* tool_;
  QTimer later_;
  std::vector<std::pair<QString, QString>> choices_;  // parameter, and the array that the user chose for it
  int asked_ = 0;
  bool extra_ = false;
  bool waits_ = false;  // for the tool's answer
};

}  // namespace

QDialog* makeRunDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return new RunDialog(Runs::One, desk, commands, parent);
}

QDialog* makeBisectDialog(Desk& desk, Commands* commands, QWidget* parent) {
  return new RunDialog(Runs::Stages, desk, commands, parent);
}

}  // namespace rx::views
