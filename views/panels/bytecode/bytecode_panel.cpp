#include "views/panels/bytecode/bytecode_panel.h"

#include <QHeaderView>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

#include "views/models/debug_session.h"
#include "views/models/selection.h"
#include "views/panels/list_view.h"

namespace rx::views {

BytecodePanel::BytecodePanel(const PanelContext& context, QWidget* parent)
    : Panel(parent),
      context_(context),
      bytecode_(new BytecodeModel(this)),
      registers_(new RegisterModel(this)),
      heap_(new HeapModel(this)),
      bytecodeView_(new ListView(this)),
      registerView_(new ListView(this)),
      heapView_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* across = new QSplitter(Qt::Horizontal, this);
  auto* values = new QSplitter(Qt::Vertical, this);
  across->addWidget(bytecodeView_);
  across->addWidget(values);
  values->addWidget(registerView_);
  values->addWidget(heapView_);
  values->setStretchFactor(0, 3);
  values->setStretchFactor(1, 2);
  across->setStretchFactor(0, 3);
  across->setStretchFactor(1, 2);
  across->setHandleWidth(1);
  values->setHandleWidth(1);
  layout->addWidget(across);
  bytecodeView_->setModel(bytecode_);
  bytecodeView_->setStretchColumn(2);
  bytecodeView_->setTextElideMode(Qt::ElideMiddle);  // the register that is written stands at the end
  bytecodeView_->setEmptyText(tr("The program that runs stands here once a run is started (F5)."));
  bytecodeView_->setAccessibleName(tr("Bytecode"));
  registerView_->setModel(registers_);
  registerView_->setStretchColumn(1);
  registerView_->setLessImportant(2);
  registerView_->setTextElideMode(Qt::ElideMiddle);  // "NaN" and "Inf" stand at the end
  registerView_->setEmptyText(tr("Registers of the frame that is shown."));
  registerView_->setAccessibleName(tr("Registers"));
  heapView_->setModel(heap_);
  heapView_->setStretchColumn(2);
  heapView_->setLessImportant(3);
  heapView_->setEmptyText(tr("Shape heap: the values of symbolic dimensions."));
  heapView_->setAccessibleName(tr("Shape heap"));
  setFocusProxy(bytecodeView_);
  connect(bytecodeView_, &ListView::chosen, this, [this](const QModelIndex& index) {
    if (const InstructionRow* row = bytecode_->row(index)) selectVariable(row->variable);
  });
  connect(registerView_, &ListView::chosen, this, [this](const QModelIndex& index) {
    if (const RegisterRow* row = registers_->row(index)) selectVariable(row->binding);
  });
  connect(context.debug, &DebugSession::stopChanged, this, &BytecodePanel::refresh);
  connect(context.debug, &DebugSession::stateChanged, this, &BytecodePanel::refresh);
  connect(context.debug, &DebugSession::breakpointsChanged, this, &BytecodePanel::refresh);
  refresh();
}

void BytecodePanel::refresh() {
  const Palette& theme = Palette::forQt(palette());
  bytecode_->setPalette(theme);
  registers_->setPalette(theme);
  heap_->setPalette(theme);
  const std::vector<InstructionRow>& program = context_.debug->instructions();
  int current = -1;
  for (size_t i = 0; i < program.size(); ++i) {
    if (program[i].current) current = static_cast<int>(i);
  }
  showProgram(program);
  bytecode_->setCurrentRow(current);
  // Registers that hold nothing yet are left out: most of a long function's.
  std::vector<RegisterRow> held;
  for (const RegisterRow& row : context_.debug->registers()) {
    if (row.value.known || row.changed) held.push_back(row);
  }
  registers_->setRows(std::move(held));
  int changed = -1;
  for (size_t i = 0; i < registers_->rows().size(); ++i) {
    if (registers_->rows()[i].changed) changed = static_cast<int>(i);
  }
  registers_->setCurrentRow(changed);
  heap_->setRows(context_.debug->heap());
  for (ListView* view : {bytecodeView_, registerView_, heapView_}) view->fitColumns();
  revealCurrent();
}

void BytecodePanel::revealCurrent() {
  if (bytecode_->currentRow() >= 0) bytecodeView_->scrollTo(bytecode_->index(bytecode_->currentRow(), 0));
  if (registers_->currentRow() >= 0) registerView_->scrollTo(registers_->index(registers_->currentRow(), 0));
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

/// A step changes two rows of a program that may have a hundred thousand.
void BytecodePanel::showProgram(const std::vector<InstructionRow>& program) {
  constexpr size_t kFew = 16;
  std::vector<int> changed;
  const std::vector<InstructionRow>& shown = bytecode_->rows();
  if (shown.size() != program.size()) return bytecode_->setRows(program);
  for (size_t i = 0; i < program.size() && changed.size() <= kFew; ++i) {
    if (!(shown[i] == program[i])) changed.push_back(static_cast<int>(i));
  }
  if (changed.size() > kFew) return bytecode_->setRows(program);
  for (const int row : changed) bytecode_->setRow(row, program[static_cast<size_t>(row)]);
}

void BytecodePanel::selectVariable(const QString& variable) {
  if (!variable.isEmpty()) context_.commands->run("edit.goToName", {variable});
}

QString BytecodePanel::dump() const {
  return modelText(*bytecode_) + "\n-- registers\n" + modelText(*registers_) + "\n-- shape heap\n" + modelText(*heap_);
}

}  // namespace rx::views
