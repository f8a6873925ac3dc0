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
#include "views/models/numbers.h"
#include "views/models/run_age.h"
#include "views/models/selection.h"
#include "views/panels/binding_menu.h"
#include "views/panels/bytecode/instruction_delegate.h"
#include "views/panels/list_view.h"
#include "views/panels/run_watch.h"

namespace rx::views {
namespace {

enum : int { kMarks, kPc, kInstruction, kBinding };

/// What is shown anew.
enum Part : unsigned { kRun = 1, kSelection = 2 };

/// A value without its type, where both have no room: what is in it never gives way.
class ValueDelegate : public CellDelegate {
 public:
  using CellDelegate::CellDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    CellDelegate::initStyleOption(option, index);
    const auto* model = dynamic_cast<const RegisterModel*>(index.model());
    const RegisterRow* row = model ? model->row(index) : nullptr;
    const QFontMetrics letters(option->font);
    const int room = option->rect.width() - 2 * letters.averageCharWidth();
    if (!row || !row->value.isTensor || option->rect.isEmpty() || letters.horizontalAdvance(option->text) <= room)
      return;
    const QString type = row->value.shape + QLatin1Char(' ') + shortDtype(row->value.dtype);
    if (option->text.startsWith(type) && option->text.size() > type.size())
      option->text = option->text.mid(type.size()).trimmed();
  }
};

BreakpointRow breakpointOf(const InstructionRow& at) {
  BreakpointRow row;
  row.kind = BreakpointKind::Instruction;
  row.function = at.function;
  row.instruction = at.offset;
  row.variable = QStringLiteral("pc %1 %2").arg(at.index).arg(at.text.section(' ', 0, 1));
  return row;
}

}  // namespace

BytecodePanel::BytecodePanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      bytecode_(new BytecodeModel(this)),
      registers_(new StaleRows<RegisterModel>(this)),
      bytecodeView_(new ListView(this)),
      registerView_(new ListView(this)) {
  buildViews();
  connect(bytecodeView_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &BytecodePanel::selectInstruction);
  connect(registerView_->selectionModel(), &QItemSelectionModel::currentChanged, this, &BytecodePanel::selectRegister);
  for (ListView* view : {bytecodeView_, registerView_})
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
  across->addWidget(registerView_);
  across->setStretchFactor(0, 13);
  across->setStretchFactor(1, 12);
  across->setHandleWidth(1);
  layout->addWidget(across);
  bytecodeView_->setModel(bytecode_);
  bytecodeView_->setItemDelegateForColumn(kInstruction, new InstructionDelegate(bytecodeView_));
  bytecodeView_->setStretchColumn(kInstruction);
  bytecodeView_->setEmptyText(
      tr("The program that runs stands here once a run is started (%1).").arg(context_.commands->label("debug.start")));
  bytecodeView_->setAccessibleName(tr("Bytecode"));
  registerView_->setModel(registers_);
  registerView_->setStretchColumn(1);
  registerView_->setItemDelegateForColumn(1, new ValueDelegate(registerView_));
  registerView_->setEmptyText(tr("Registers and shape heap of the frame that is shown."));
  registerView_->setAccessibleName(tr("Registers"));
  setFocusProxy(bytecodeView_);
}

void BytecodePanel::refresh() {
  const QScopedValueRollback<bool> quiet(showing_, true);
  const Palette& theme = Palette::forQt(palette());
  bytecode_->setPalette(theme);
  registers_->setPalette(theme);
  registers_->setStale(!pastOf(*context_.debug).isEmpty());
  showProgram(context_.debug->instructions());
  bytecode_->setCurrentRow(context_.debug->stop().instruction);
  showRegisters();
  for (ListView* view : {bytecodeView_, registerView_}) view->viewport()->update();
  registerView_->fitColumns();  // the program's columns are fitted when there is another one
  showSelection(false);
  revealCurrent();
}

/// The heap stands below the registers.
void BytecodePanel::showRegisters() {
  std::vector<RegisterRow> heap;
  for (const HeapRow& slot : context_.debug->heap()) {
    if (slot.set) heap.push_back(registerRow(slot));
  }
  registers_->showKept(context_.debug->registers(), std::move(heap), false);
}

void BytecodePanel::revealCurrent() {
  if (bytecode_->currentRow() >= 0) bytecodeView_->scrollTo(bytecode_->index(bytecode_->currentRow(), 0));
  int changed = -1;
  for (int i = 0; i < registers_->rowCount(); ++i) {
    const RegisterRow* row = registers_->row(registers_->index(i, 0));
    if (row && row->changed) changed = i;
  }
  if (changed >= 0) registerView_->scrollTo(registers_->index(changed, 0));
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
  const auto mark = [&](ListView* view, const QModelIndex& wanted) {
    if (view->currentIndex().row() == wanted.row() && wanted.isValid()) return;
    const auto how =
        wanted.isValid() ? QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows : QItemSelectionModel::Clear;
    view->setAutoScroll(false);
    view->selectionModel()->setCurrentIndex(wanted, how);
    view->setAutoScroll(true);
    if (scroll && wanted.isValid()) view->scrollTo(wanted);
  };
  const int row = rowOfSelection();
  const bool here = row >= 0 && selecting_ && bytecodeView_->hasFocus();  // any of its rows may have been clicked
  if (!here) mark(bytecodeView_, row >= 0 ? bytecode_->index(row, 0) : QModelIndex());
  const QString& variable = context_.selection->place().variable;
  QModelIndex holder;
  for (int i = 0; i < registers_->rowCount() && !variable.isEmpty(); ++i) {
    const QModelIndex index = registers_->index(i, 0);
    if (const RegisterRow* row = registers_->row(index); row && row->binding == variable) holder = index;
  }
  if (!(selecting_ && registerView_->hasFocus())) mark(registerView_, holder);
}

void BytecodePanel::selectInstruction(const QModelIndex& index) {
  const InstructionRow* row = bytecode_->row(index);
  if (showing_ || !row || row->binding < 0) return;
  const QScopedValueRollback<bool> mine(selecting_, true);
  const InstructionRow clicked = *row;
  context_.selection->selectBinding(clicked.bindingFunction, clicked.binding, clicked.variable);
}

void BytecodePanel::selectRegister(const QModelIndex& index) {
  const RegisterRow* row = registers_->row(index);
  if (showing_ || !row || row->binding.isEmpty()) return;
  const StageIndexPtr stage = context_.document->stage(context_.debug->config().stage, false);
  const QString name = row->binding;
  const QString in =
      context_.debug->frames().empty() ? context_.debug->config().function : context_.debug->frames().front().function;
  const FunctionRow* function = stage ? stage->function(in) : nullptr;
  if (!function) return;
  const BindingRow* binding = function->bindingNamed(name);
  const bool param =
      std::any_of(function->params.begin(), function->params.end(), [&](const ParamRow& p) { return p.name == name; });
  if (!binding && !param) return;
  const QScopedValueRollback<bool> mine(selecting_, true);
  context_.selection->selectBinding(in, binding ? binding->ordinal : -1, name);
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

QString BytecodePanel::dump() const { return modelText(*bytecode_) + "\n-- registers\n" + modelText(*registers_); }

}  // namespace rx::views
