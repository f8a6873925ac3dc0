#include "views/panels/threads/threads_panel.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/models/debug_session.h"
#include "views/models/kernel_stepper.h"
#include "views/panels/list_view.h"
#include "views/panels/run_watch.h"

namespace rx::views {
namespace {

struct ButtonRow {
  const char* command;
  const char* title;
  const char* tip;
};
constexpr ButtonRow kButtons[] = {
    {"debug.enterThreads", "Enter", "Into the threads of the next kernel that the binding starts on a device"},
    {"debug.stepOver", "Thread", "One statement of the current thread"},
    {"debug.stepWarp", "Warp", "One statement of all threads of its warp"},
    {"debug.stepGroup", "Group", "One statement of all threads of its group"},
    {"debug.stepBack", "Back", "As it was before the last step"},
    {"debug.stepOut", "Leave", "Behind the call, which the device makes"},
};

/// All threads are of one group, whose place stands in front of this.
const QLatin1String kThread("threadIdx");

QString text(const char* source) { return QCoreApplication::translate("ThreadsPanel", source); }

struct StateRow {
  const char* state;
  const char* words;
  CellTone tone;
};
constexpr StateRow kStates[] = {{"ready", "ready", CellTone::Normal},
                                {"waits", "waits for others", CellTone::Accent},
                                {"done", "at its end", CellTone::Grey},
                                {"failed", "failed", CellTone::Error}};

const StateRow& stateOf(const KernelThreadRow& row) {
  const auto* found = std::ranges::find_if(kStates, [&](const StateRow& one) { return row.state == one.state; });
  return found == std::end(kStates) ? kStates[0] : *found;
}

constexpr Column<KernelThreadRow> kThreadColumns[] = {
    {"thread", [](const KernelThreadRow& row) { return row.name.mid(row.name.indexOf(kThread)); }, false, false,
     nullptr, [](const KernelThreadRow& row) { return row.name; }},
    {"state", [](const KernelThreadRow& row) { return text(stateOf(row).words); }, false, false,
     [](const KernelThreadRow& row) { return stateOf(row).tone; }},
    {"line", [](const KernelThreadRow& row) { return row.line > 0 ? QString::number(row.line) : QString(); }, true},
    {"runs next", [](const KernelThreadRow& row) { return row.state == QLatin1String("done") ? QString() : row.text; },
     false, true},
};
constexpr Column<KernelValueRow> kValueColumns[] = {
    {"name", [](const KernelValueRow& row) { return row.name; }, false, true},
    {"value", [](const KernelValueRow& row) { return row.text; }, false, true, nullptr,
     [](const KernelValueRow& row) { return row.text; }},
    {"where", [](const KernelValueRow& row) { return row.where; }, false, false,
     [](const KernelValueRow&) { return CellTone::Grey; }},
};

}  // namespace

ThreadsPanel::ThreadsPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      threads_(new RowModel<KernelThreadRow>(kThreadColumns, this)),
      values_(new RowModel<KernelValueRow>(kValueColumns, this)),
      threadView_(new ListView(this)),
      valueView_(new ListView(this)),
      summary_(new QLabel(this)),
      races_(new QLabel(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(makeBar());
  auto* across = new QSplitter(Qt::Horizontal, this);
  across->addWidget(threadView_);
  across->addWidget(valueView_);
  across->setStretchFactor(0, 3);
  across->setStretchFactor(1, 2);
  column->addWidget(across, 1);
  races_->setWordWrap(true);
  races_->setContentsMargins(8, 4, 8, 4);
  races_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(races_);
  threadView_->setModel(threads_);
  threadView_->setStretchColumn(3);
  threadView_->setEmptyText(
      tr("Where a run on a device stops before a kernel, Enter goes into its threads: they run "
         "statement by statement in the interpreter."));
  threadView_->setAccessibleName(tr("Threads of the kernel"));
  valueView_->setModel(values_);
  valueView_->setStretchColumn(1);
  valueView_->setEmptyText(tr("What the current thread sees stands here."));
  valueView_->setAccessibleName(tr("What the thread sees"));
  setFocusProxy(threadView_);
  connect(threadView_, &ListView::picked, this, [this](const QModelIndex& index) { show(index.row()); });
  watchRun(context.debug, this, [this] { want(); });
  refresh();
}

QWidget* ThreadsPanel::makeBar() {
  auto* bar = new QWidget(this);
  auto* line = new QHBoxLayout(bar);
  line->setContentsMargins(6, 3, 6, 3);
  for (const ButtonRow& row : kButtons) {
    auto* button = new QToolButton(bar);
    button->setText(text(row.title));
    button->setToolTip(text(row.tip));
    button->setAccessibleName(text(row.title));
    button->setAutoRaise(true);
    const QString command = QString::fromUtf8(row.command);
    connect(button, &QToolButton::clicked, this, [this, command] { context_.commands->run(command); });
    line->addWidget(button);
    buttons_.emplace_back(command, button);
  }
  summary_->setMinimumWidth(1);
  line->addWidget(summary_, 1);
  return bar;
}

void ThreadsPanel::catchUp(unsigned) { refresh(); }

void ThreadsPanel::refresh() {
  const KernelThreads& threads = kernelThreads(context_.debug);
  const bool inside = !threads.kernel.isEmpty();
  const Palette& colours = Palette::forQt(palette());
  threads_->setPalette(colours);
  values_->setPalette(colours);
  threads_->setRows(threads.threads);
  values_->setRows(threads.values);
  const auto current = std::ranges::find(threads.threads, threads.current, &KernelThreadRow::id);
  threads_->setCurrentRow(current == threads.threads.end() ? -1 : static_cast<int>(current - threads.threads.begin()));
  threadView_->fitColumns();
  valueView_->fitColumns();
  for (const auto& [command, button] : buttons_)
    button->setEnabled(context_.commands->enabled(command) && inside == (command != buttons_.front().first));
  summary_->setText(summary());
  races_->setText(threads.races.join('\n'));
  races_->setVisible(!threads.races.isEmpty());
}

QString ThreadsPanel::summary() const {
  const KernelThreads& threads = kernelThreads(context_.debug);
  if (threads.kernel.isEmpty()) return {};
  QStringList parts;
  for (const StateRow& row : kStates) {
    const auto count = std::ranges::count(threads.threads, QString::fromUtf8(row.state), &KernelThreadRow::state);
    if (count > 0) parts << QStringLiteral("%1 %2").arg(count).arg(text(row.words));
  }
  const QString first = threads.threads.empty() ? QString() : threads.threads.front().name;
  return tr("%1, %2: %3")
      .arg(threads.kernel, first.section(QStringLiteral(", ") + kThread, 0, 0), parts.join(QStringLiteral(", ")));
}

bool ThreadsPanel::show(int row) {
  const KernelThreadRow* thread = threads_->row(threads_->index(row, 0));
  KernelStepper* stepper = context_.debug->kernelStepper();
  if (!thread || !stepper) return false;
  stepper->showThread(thread->id);
  return true;
}

bool ThreadsPanel::obey(const QString& name, const QStringList& arguments) {
  bool known = false;
  const int row = arguments.value(0).toInt(&known);
  return name == QLatin1String("show") && known && show(row);
}

QStringList ThreadsPanel::menuCommands() const {
  return {"debug.stepOver", "debug.stepWarp", "debug.stepGroup", "debug.stepBack", "-", "debug.stepOut"};
}

QString ThreadsPanel::dump() const {
  const QString races = kernelThreads(context_.debug).races.join('\n');
  return QStringList{summary(), modelText(*threads_), modelText(*values_), races}.join('\n');
}

}  // namespace rx::views
