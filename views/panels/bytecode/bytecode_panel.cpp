#include "views/panels/bytecode/bytecode_panel.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "views/models/debug_session.h"
#include "views/models/document.h"
#include "views/models/expression_words.h"
#include "views/models/selection.h"
#include "views/panels/binding_menu.h"
#include "views/panels/bytecode/instruction_delegate.h"
#include "views/panels/bytecode/register_list.h"
#include "views/panels/list_view.h"
#include "views/panels/run_watch.h"

namespace rx::views {
namespace {

enum : int { kMarks, kPc, kInstruction, kBinding };

/// What is shown anew.
enum Part : unsigned { kRun = 1, kSelection = 2 };

BreakpointRow breakpointOf(const InstructionRow& at) {
  BreakpointRow row;
  row.kind = BreakpointKind::Instruction;
  row.function = at.function;
  row.instruction = at.offset;
  row.variable = QStringLiteral("pc %1 %2").arg(at.index).arg(at.what);
  return row;
}

}  // namespace

BytecodePanel::BytecodePanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      bytecode_(new BytecodeModel(this)),
      bytecodeView_(new ListView(this)),
      registers_(new RegisterList(context, this)) {
  buildViews();
  connect(bytecodeView_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &BytecodePanel::selectInstruction);
  for (ListView* view : {bytecodeView_, static_cast<ListView*>(registers_)})
    connect(view, &ListView::chosen, this, [this] { context_.commands->run("view.panel", {"ir"}); });
  connect(bytecodeView_, &QTreeView::clicked, this, [this](const QModelIndex& index) {
    const InstructionRow* row = bytecode_->row(index);
    if (row && index.column() == kMarks) toggleBreakpoint(*row);
  });
  watchRun(context.debug, this, [this] { want(kRun); });
  connect(context.debug, &DebugSession::breakpointsChanged, this, [this] { want(kRun); });
  connect(context.selection, &Selection::changed, this,
          [this] { selecting_ ? showSelection(false) : want(kSelection); });
  refresh();
}

void BytecodePanel::catchUp(unsigned parts) {
  if (parts & kRun) refresh();
  if (parts & kSelection) showSelection(true);
}

void BytecodePanel::buildViews() {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* across = new QSplitter(Qt::Horizontal, this);
  across->addWidget(bytecodeView_);
  across->addWidget(registers_);
  across->setStretchFactor(0, 13);
  across->setStretchFactor(1, 12);
  across->setHandleWidth(1);
  layout->addWidget(across);
  bytecodeView_->setModel(bytecode_);
  bytecodeView_->setItemDelegateForColumn(kInstruction, new InstructionDelegate(bytecodeView_));
  bytecodeView_->setStretchColumn(kInstruction);
  bytecodeView_->setAccessibleName(tr("Bytecode"));
  setFocusProxy(bytecodeView_);
}

QString BytecodePanel::emptyText() const {
  switch (context_.debug->state()) {
    case RunState::Starting:
      return tr("The program is being compiled; it stands here at the first stop.");
    case RunState::Running:
      return tr("The program runs; it stands here when it stops (%1).").arg(context_.commands->label("debug.pause"));
    default:
      return tr("The program that runs stands here once a run is started (%1).")
          .arg(context_.commands->label("debug.start"));
  }
}

void BytecodePanel::refresh() {
  const QScopedValueRollback<bool> quiet(showing_, true);
  const Palette& theme = Palette::forQt(palette());
  bytecode_->setPalette(theme);
  bytecodeView_->setEmptyText(emptyText());
  showProgram(context_.debug->instructions());
  bytecode_->setCurrentRow(context_.debug->stop().instruction);
  registers_->refresh();
  bytecodeView_->viewport()->update();  // its columns are fitted when there is another program
  showSelection(false);
  revealCurrent();
}

/// The instruction of what is selected, and over it the one that runs next.
void BytecodePanel::revealCurrent() {
  if (bytecodeView_->currentIndex().isValid()) bytecodeView_->scrollTo(bytecodeView_->currentIndex());
  if (bytecode_->currentRow() >= 0) bytecodeView_->scrollTo(bytecode_->index(bytecode_->currentRow(), 0));
  registers_->revealChanged();
}

/// What was in sight of a larger panel, or one that was hidden behind another tab, need not be in sight now.
void BytecodePanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  QTimer::singleShot(0, this, &BytecodePanel::revealCurrent);
}

void BytecodePanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  QTimer::singleShot(0, this, &BytecodePanel::revealCurrent);
}

/// A program may have a hundred thousand rows: only the bindings that they belong to are looked at, when it is another.
void BytecodePanel::showProgram(const std::vector<InstructionRow>& program) {
  const int stage = context_.debug->config().stage;
  const bool other = std::exchange(stage_, stage) != stage || bindings_.size() != program.size();
  if (other) {
    bindings_.clear();
    bindings_.reserve(program.size());
    for (const InstructionRow& row : program) bindings_.push_back(row.binding);
  }
  bytecode_->showKept(program, {}, other);
}

/// The instruction that gives the selected binding its value: the last kernel that works for it, else the last of all.
int BytecodePanel::rowOfSelection() const {
  const Place& place = context_.selection->place();
  int found = -1;
  bool kernel = false;
  for (size_t i = 0; i < bindings_.size() && place.binding >= 0; ++i) {
    if (bindings_[i] != place.binding) continue;
    const InstructionRow* row = bytecode_->row(bytecode_->index(static_cast<int>(i), 0));
    if (!row || row->bindingFunction != place.function || (kernel && row->builtin)) continue;
    found = static_cast<int>(i);
    kernel = !row->builtin;
  }
  return place.stage == context_.debug->config().stage ? found : -1;
}

void BytecodePanel::showSelection(bool scroll) {
  const QScopedValueRollback<bool> quiet(showing_, true);
  const int row = rowOfSelection();
  const bool here = row >= 0 && selecting_ && bytecodeView_->hasFocus();  // any of its rows may have been clicked
  if (!here) makeCurrent(bytecodeView_, row >= 0 ? bytecode_->index(row, 0) : QModelIndex(), scroll);
  registers_->showSelection(scroll);
}

void BytecodePanel::selectInstruction(const QModelIndex& index) {
  const InstructionRow* row = bytecode_->row(index);
  if (showing_ || !row || row->binding < 0) return;
  const QScopedValueRollback<bool> mine(selecting_, true);
  const InstructionRow clicked = *row;
  context_.selection->selectBinding(clicked.bindingFunction, clicked.binding, clicked.variable);
}

const BreakpointRow* BytecodePanel::breakpointAt(const InstructionRow& at) const {
  const std::vector<BreakpointRow>& rows = context_.debug->breakpoints();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const BreakpointRow& row) {
    return row.kind == BreakpointKind::Instruction && row.function == at.function && row.instruction == at.offset;
  });
  return found == rows.end() ? nullptr : &*found;
}

bool BytecodePanel::toggleBreakpoint(const InstructionRow& at) {
  if (const BreakpointRow* set = breakpointAt(at))
    context_.debug->removeBreakpoint(set->id);
  else
    context_.debug->addBreakpoint(breakpointOf(at));
  return true;
}

bool BytecodePanel::setCondition(const InstructionRow& at, const QStringList& words) {
  const BreakpointRow* set = breakpointAt(at);
  BreakpointRow row = set ? *set : breakpointOf(at);
  const QString text = words.join(' ');
  if (!text.isEmpty()) row.condition = text == QLatin1String("none") ? QString() : text;
  if (!row.condition.isEmpty() && !expressionFault(row.condition).isEmpty()) return false;
  const int id = set ? set->id : context_.debug->addBreakpoint(row);
  if (set) context_.debug->setBreakpointRule(id, row);
  return !text.isEmpty() || context_.commands->run("debug.editBreakpoint", {QString::number(id)});
}

bool BytecodePanel::obey(const QString& name, const QStringList& arguments) {
  const std::vector<InstructionRow>& rows = context_.debug->instructions();
  int number = bytecodeView_->currentIndex().row();
  if (name == "goTo" && arguments.size() == 2) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const InstructionRow& row) {
      return row.function == arguments[0] && row.offset == arguments[1].toInt();
    });
    if (found == rows.end()) return false;
    bytecodeView_->setCurrentIndex(bytecode_->index(static_cast<int>(found - rows.begin()), 0));
    bytecodeView_->setFocus();
    return true;
  }
  bool given = false;
  if (name == "toggleBreakpoint" && !arguments.isEmpty()) number = arguments[0].toInt(&given);
  if ((!arguments.isEmpty() && name == "toggleBreakpoint" && !given) || number < 0 ||
      number >= static_cast<int>(rows.size()))
    return false;
  const InstructionRow at = rows[static_cast<size_t>(number)];
  if (name == "toggleBreakpoint") return toggleBreakpoint(at);
  return name == "condition" && setCondition(at, arguments);
}

QStringList BytecodePanel::menuCommands() const {
  return QStringList{"debug.toggleInstruction", "debug.instructionCondition", "-"} + bindingMenu("bytecode") +
         QStringList{"-", "export.value"};
}

QString BytecodePanel::dump() const { return modelText(*bytecode_) + "\n-- registers\n" + registers_->dump(); }

void BytecodePanel::setRegistersBeside(bool beside) { registers_->setVisible(beside); }

}  // namespace rx::views
