#include "views/panels/bytecode/register_list.h"

#include <QItemSelectionModel>
#include <QScopedValueRollback>
#include <algorithm>

#include "views/models/debug_session.h"
#include "views/models/document.h"
#include "views/models/numbers.h"
#include "views/models/selection.h"

namespace rx::views {
namespace {

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

}  // namespace

void makeCurrent(ListView* view, const QModelIndex& wanted, bool scroll) {
  if (view->currentIndex().row() == wanted.row() && wanted.isValid()) return;
  const auto how =
      wanted.isValid() ? QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows : QItemSelectionModel::Clear;
  view->setAutoScroll(false);
  view->selectionModel()->setCurrentIndex(wanted, how);
  view->setAutoScroll(true);
  if (scroll && wanted.isValid()) view->scrollTo(wanted);
}

RegisterList::RegisterList(const PanelContext& context, QWidget* parent)
    : ListView(parent), context_(context), model_(new StaleRows<RegisterModel>(this)) {
  setModel(model_);
  setStretchColumn(1);
  setItemDelegateForColumn(1, new ValueDelegate(this));
  setEmptyText(tr("Registers and shape heap of the frame that is shown."));
  setAccessibleName(tr("Registers"));
  connect(selectionModel(), &QItemSelectionModel::currentChanged, this, &RegisterList::select);
}

/// The heap stands below the registers.
void RegisterList::refresh() {
  const QScopedValueRollback<bool> quiet(showing_, true);
  model_->setPalette(Palette::forQt(palette()));
  model_->setStale(!context_.debug->pastOf().isEmpty());
  std::vector<RegisterRow> heap;
  for (const HeapRow& slot : context_.debug->heap()) {
    if (slot.set) heap.push_back(registerRow(slot));
  }
  const bool others = model_->showKept(context_.debug->registers(), std::move(heap), false);
  viewport()->update();
  if (!others) fitColumns();  // other rows fit them themselves
  showSelection(false);
}

void RegisterList::showSelection(bool scroll) {
  const QScopedValueRollback<bool> quiet(showing_, true);
  const QString& variable = context_.selection->place().variable;
  QModelIndex holder;
  for (int i = 0; i < model_->rowCount() && !variable.isEmpty(); ++i) {
    const QModelIndex index = model_->index(i, 0);
    const RegisterRow* row = model_->row(index);
    // Names of a large function differ in their last letters: the others are looked at where these are equal.
    if (row && row->binding.endsWith(variable.back()) && row->binding == variable) holder = index;
  }
  if (!(selecting_ && hasFocus())) makeCurrent(this, holder, scroll);
}

void RegisterList::revealChanged() {
  int changed = -1;
  for (int i = 0; i < model_->rowCount(); ++i) {
    const RegisterRow* row = model_->row(model_->index(i, 0));
    if (row && row->changed) changed = i;
  }
  if (changed >= 0 || currentIndex().isValid()) scrollTo(changed >= 0 ? model_->index(changed, 0) : currentIndex());
}

void RegisterList::select(const QModelIndex& index) {
  const RegisterRow* row = model_->row(index);
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

}  // namespace rx::views
