#include "views/panels/traced/traced_panel.h"

#include <QDir>
#include <QVBoxLayout>

#include "views/models/debug_session.h"
#include "views/models/document.h"
#include "views/models/numbers.h"
#include "views/models/selection.h"
#include "views/panels/list_view.h"

namespace rx::views {
namespace {

/// Memory that nothing wrote yet has no numbers to speak of.
QString numberText(const TracedRow& row, double number) {
  return row.allocated ? QStringLiteral("–") : row.value.finite > 0 ? shortNumber(number, 4) : QString();
}
QString countText(const TracedRow& row, qint64 count) {
  return row.allocated ? QStringLiteral("–") : count > 0 ? grouped(count) : QStringLiteral("0");
}
CellTone toneOf(const TracedRow& row) { return row.allocated ? CellTone::Grey : CellTone::Normal; }
CellTone badTone(const TracedRow& row, qint64 count) {
  return count > 0 && !row.allocated ? CellTone::Error : CellTone::Grey;
}

constexpr Column<TracedRow> kColumns[] = {
    {"step", [](const TracedRow& r) { return grouped(r.step); }, true, true,
     [](const TracedRow&) { return CellTone::Grey; }},
    {"function", [](const TracedRow& r) { return r.function; }, false, true, toneOf},
    {"binding", [](const TracedRow& r) { return r.binding; }, false, true, toneOf},
    {"made by", [](const TracedRow& r) { return r.made; }, false, true, [](const TracedRow&) { return CellTone::Grey; },
     [](const TracedRow& r) {
       return r.allocated ? QStringLiteral("Memory that nothing has written to yet.") : r.made;
     }},
    {"shape", [](const TracedRow& r) { return r.value.shape; }, false, true, toneOf},
    {"type", [](const TracedRow& r) { return shortDtype(r.value.dtype); }, false, true, toneOf,
     [](const TracedRow& r) { return r.value.dtype; }},
    {"min", [](const TracedRow& r) { return numberText(r, r.value.min); }, true, true, toneOf},
    {"max", [](const TracedRow& r) { return numberText(r, r.value.max); }, true, true, toneOf},
    {"NaN", [](const TracedRow& r) { return countText(r, r.value.nan); }, true, true,
     [](const TracedRow& r) { return badTone(r, r.value.nan); }},
    {"Inf", [](const TracedRow& r) { return countText(r, r.value.inf); }, true, true,
     [](const TracedRow& r) { return badTone(r, r.value.inf); }},
};
constexpr int kMadeBy = 3;

}  // namespace

TracedPanel::TracedPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), model_(new RowModel<TracedRow>(kColumns, this)), view_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  view_->setModel(model_);
  view_->setStretchColumn(kMadeBy);
  view_->setEmptyText(tr("The values of a folder that rxs run --trace wrote stand here: File, Open."));
  view_->setAccessibleName(tr("Values of a traced run"));
  setFocusProxy(view_);
  connect(view_, &ListView::picked, this, [this](const QModelIndex& index) { show(index.row()); });
  connect(view_, &ListView::chosen, this, [this](const QModelIndex& index) {
    show(index.row());
    context_.commands->run("view.panel", {"values"});
  });
  connect(context.debug, &DebugSession::tracedChanged, this, [this] {
    refresh();
    if (model_->rowCount() == 0) return;
    context_.commands->run("view.panel", {"values"});
    context_.commands->run("view.panel", {"traced"});
    view_->setCurrentIndex(model_->index(0, 0));
    show(0);
  });
  // Who selects another binding wants to see that.
  connect(context.selection, &Selection::changed, this, [this](const Place& place, const Place& old) {
    if (!choosing_ && !sameSpot(place, old)) context_.debug->showTraced(-1);
  });
  connect(context.debug, &DebugSession::stateChanged, this, [this] {
    if (context_.debug->state() == RunState::Starting) context_.debug->showTraced(-1);
  });
  refresh();
}

void TracedPanel::refresh() {
  const TracedValues& traced = context_.debug->traced();
  model_->setPalette(Palette::forQt(palette()));
  model_->setRows(traced.rows);
  view_->fitColumns();
  const QString name = QDir(traced.folder).dirName();
  Q_EMIT titleChanged(traced.folder.isEmpty() ? tr("Trace Values") : tr("Trace Values · %1").arg(name));
}

/// The tensor of a row; where the open module has the binding that it belongs to, that is selected too.
void TracedPanel::show(int row) {
  const TracedRow* found = model_->row(model_->index(row, 0));
  if (!found) return;
  const StageIndexPtr imported = context_.document->stage(0, false);
  const FunctionRow* function = imported ? imported->function(found->function) : nullptr;
  const BindingRow* binding = function ? function->bindingNamed(found->binding) : nullptr;
  choosing_ = true;
  if (binding && context_.selection->place().stage == 0)
    context_.selection->selectBinding(function->name, binding->ordinal, binding->name);
  choosing_ = false;
  context_.debug->showTraced(row);
}

bool TracedPanel::obey(const QString& name, const QStringList& arguments) {
  bool ok = false;
  const int row = arguments.value(0).toInt(&ok);
  if (name == QLatin1String("none")) return context_.debug->showTraced(-1), true;
  if (name != QLatin1String("show") || !ok || row < 0 || row >= model_->rowCount()) return false;
  view_->setCurrentIndex(model_->index(row, 0));
  show(row);
  return true;
}

QStringList TracedPanel::menuCommands() const { return {"view.panel values|Show in Values", "export.value"}; }

QString TracedPanel::dump() const { return modelText(*model_); }

}  // namespace rx::views
