#include "views/panels/threads/threads_panel.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
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
    {"threadIdx", [](const KernelThreadRow& row) { return row.name.section(kThread, 1).trimmed(); }, false, false,
     nullptr, [](const KernelThreadRow& row) { return row.name; }},
    {"state", [](const KernelThreadRow& row) { return text(stateOf(row).words); }, false, false,
     [](const KernelThreadRow& row) { return stateOf(row).tone; }},
    {"line", [](const KernelThreadRow& row) { return row.line > 0 ? QString::number(row.line) : QString(); }, true},
    {"runs next", [](const KernelThreadRow& row) { return row.state == QLatin1String("done") ? QString() : row.text; },
     false, true},
};
constexpr Column<KernelLineRow> kLineColumns[] = {
    {"line", [](const KernelLineRow& row) { return QString::number(row.line); }, true, true,
     [](const KernelLineRow&) { return CellTone::Grey; }},
    {"threads", [](const KernelLineRow& row) { return row.threads > 0 ? QString::number(row.threads) : QString(); },
     true, false, [](const KernelLineRow&) { return CellTone::Accent; },
     [](const KernelLineRow&) { return text("So many threads of the group run this line next."); }},
    {"text", [](const KernelLineRow& row) { return row.text; }, false, true},
};
constexpr Column<KernelValueRow> kValueColumns[] = {
    {"name", [](const KernelValueRow& row) { return row.name; }, false, true},
    {"value", [](const KernelValueRow& row) { return row.text; }, false, true, nullptr,
     [](const KernelValueRow& row) { return row.text; }},
    {"where", [](const KernelValueRow& row) { return row.where; }, false, false,
     [](const KernelValueRow&) { return CellTone::Grey; }},
};

/// The lines of the kernel, each with the threads that run it next.
std::vector<KernelLineRow> linesOf(const KernelThreads& threads) {
  std::vector<KernelLineRow> rows;
  if (threads.kernel.isEmpty()) return rows;
  for (const QString& line : threads.lines) rows.push_back({static_cast<int>(rows.size()) + 1, 0, line});
  for (const KernelThreadRow& thread : threads.threads) {
    const bool stands = thread.line > 0 && thread.line <= static_cast<int>(rows.size());
    if (stands && thread.state != QLatin1String("done")) ++rows[static_cast<size_t>(thread.line) - 1].threads;
  }
  return rows;
}

}  // namespace

ThreadsPanel::ThreadsPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      threads_(new RowModel<KernelThreadRow>(kThreadColumns, this)),
      lines_(new RowModel<KernelLineRow>(kLineColumns, this)),
      values_(new RowModel<KernelValueRow>(kValueColumns, this)),
      threadView_(new ListView(this)),
      lineView_(new ListView(this)),
      valueView_(new ListView(this)),
      summary_(new QLabel(this)),
      races_(new QLabel(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(makeBar());
  auto* across = new QSplitter(Qt::Horizontal, this);
  for (ListView* view : {threadView_, lineView_, valueView_}) {
    across->addWidget(view);
    across->setStretchFactor(across->count() - 1, 1);
  }
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
  lineView_->setModel(lines_);
  lineView_->setStretchColumn(2);
  lineView_->setEmptyText(tr("The kernel's text stands here, as its threads run it."));
  lineView_->setAccessibleName(tr("Text of the kernel"));
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
  launch_ = makeNumber(tr("launch"), tr("Which of the kernels that the function starts, in their order"));
  line->addWidget(launch_);
  for (const char* axis : {"x", "y", "z"}) {
    group_.push_back(makeNumber(tr("group %1").arg(QLatin1String(axis)), tr("Which group of its threads")));
    line->addWidget(group_.back());
  }
  summary_->setMinimumWidth(1);
  line->addWidget(summary_, 1);
  return bar;
}

QSpinBox* ThreadsPanel::makeNumber(const QString& name, const QString& tip) {
  auto* number = new QSpinBox(this);
  number->setPrefix(name + ' ');
  number->setToolTip(tip);
  number->setAccessibleName(name);
  number->setKeyboardTracking(false);
  connect(number, &QSpinBox::valueChanged, this, [this] { choose(); });
  return number;
}

void ThreadsPanel::choose() {
  QStringList numbers{QString::number(launch_->value())};
  for (const QSpinBox* number : group_) numbers << QString::number(number->value());
  context_.commands->run(QStringLiteral("debug.chooseGroup"), numbers);
}

/// Where the threads are; numbers that can be no other are left out.
void ThreadsPanel::showPlace() {
  constexpr int kMostLaunches = 9999;  // how many there are is known when they have run
  const KernelThreads& threads = kernelThreads(context_.debug);
  const auto set = [](QSpinBox* box, qint64 value, qint64 most) {
    const QSignalBlocker quiet(box);
    box->setRange(0, static_cast<int>(std::min<qint64>(most, INT_MAX)));
    box->setValue(static_cast<int>(value));
    box->setVisible(most > 0);
  };
  set(launch_, threads.launch, threads.kernel.isEmpty() ? 0 : kMostLaunches);
  for (size_t axis = 0; axis < group_.size(); ++axis) {
    const bool known = axis < threads.group.size() && axis < threads.groups.size();
    set(group_[axis], known ? threads.group[axis] : 0, known ? threads.groups[axis] - 1 : 0);
  }
}

void ThreadsPanel::catchUp(unsigned) { refresh(); }

void ThreadsPanel::refresh() {
  const KernelThreads& threads = kernelThreads(context_.debug);
  const bool inside = !threads.kernel.isEmpty();
  const Palette& colours = Palette::forQt(palette());
  threads_->setPalette(colours);
  values_->setPalette(colours);
  threads_->setRows(threads.threads);
  lines_->setPalette(colours);
  lines_->setRows(linesOf(threads));
  values_->setRows(threads.values);
  showPlace();
  const auto current = std::ranges::find(threads.threads, threads.current, &KernelThreadRow::id);
  threads_->setCurrentRow(current == threads.threads.end() ? -1 : static_cast<int>(current - threads.threads.begin()));
  lines_->setCurrentRow(current == threads.threads.end() || !inside ? -1 : current->line - 1);
  threadView_->fitColumns();
  lineView_->fitColumns();
  if (lines_->currentRow() >= 0) lineView_->scrollTo(lines_->index(lines_->currentRow(), 0));
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
  return QStringList{summary(), modelText(*threads_), modelText(*lines_), modelText(*values_), races}.join('\n');
}

}  // namespace rx::views
