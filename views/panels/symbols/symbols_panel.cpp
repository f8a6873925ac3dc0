#include "views/panels/symbols/symbols_panel.h"

#include <QVBoxLayout>

#include "views/models/debug_session.h"
#include "views/models/selection.h"
#include "views/panels/binding_menu.h"
#include "views/panels/list_view.h"
#include "views/panels/run_watch.h"

namespace rx::views {
namespace {

/// What is shown anew.
enum Part : unsigned { kFunction = 1, kRun = 2 };

}  // namespace

SymbolsPanel::SymbolsPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), model_(new SymbolModel(this)), view_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  view_->setModel(model_);
  view_->setStretchColumn(4);
  view_->setLessImportant(3);
  view_->setEmptyText(tr("The selected function has no symbolic variables: every shape is a number."));
  view_->setAccessibleName(tr("Symbols"));
  setFocusProxy(view_);
  connect(view_, &ListView::picked, this, &SymbolsPanel::pick);
  connect(view_, &ListView::chosen, this, [this](const QModelIndex& index) {
    pick(index);
    context_.commands->run("view.panel", {"ir"});
  });
  connect(context.selection, &Selection::changed, this, [this] { want(kFunction); });
  connect(context.document, &Document::stageReady, this, [this] { want(kFunction); });
  connect(context.document, &Document::stateChanged, this, [this] { want(kFunction); });
  watchRun(context.debug, this, [this] { want(kRun); });
  refresh();
}

void SymbolsPanel::catchUp(unsigned parts) {
  if (parts & kFunction) follow();
  if (parts & kRun) refresh();
}

/// The rows of another function or stage; the selection moves through one function far more often than it leaves it.
void SymbolsPanel::follow() {
  const Place& place = context_.selection->place();
  const StageIndexPtr stage = context_.document->stage(place.stage, false);
  if (stage == stage_ && place.function == function_) return;
  stage_ = stage;
  function_ = place.function;
  lines_.clear();
  if (const FunctionRow* function = stage ? stage->function(place.function) : nullptr) {
    for (const SymbolRow& symbol : function->symbols) lines_.push_back(symbolLine(symbol));
  }
  refresh();
}

void SymbolsPanel::refresh() {
  const auto values =
      context_.debug->hasTrace() ? context_.debug->symbols(function_) : std::vector<std::pair<QString, qint64>>();
  for (SymbolLine& line : lines_) {
    line.hasValue = false;
    for (const auto& [name, value] : values) {
      if (name != line.name) continue;
      line.hasValue = true;
      line.value = value;
    }
  }
  model_->setPalette(Palette::forQt(palette()));
  model_->setRows(lines_);
  view_->fitColumns();
  const int count = model_->rowCount();
  Q_EMIT titleChanged(count > 0 ? tr("Symbols %1").arg(count) : tr("Symbols"));
}

/// Selects who binds the symbol.
void SymbolsPanel::pick(const QModelIndex& index) {
  const SymbolLine* line = model_->row(index);
  if (line && !line->binder.isEmpty()) context_.commands->run("edit.goToName", {line->binder});
}

QStringList SymbolsPanel::menuCommands() const { return bindingMenu("symbols"); }

QString SymbolsPanel::dump() const { return modelText(*model_); }

}  // namespace rx::views
