#include "views/panels/symbols/symbols_panel.h"

#include <QVBoxLayout>

#include "views/models/debug_session.h"
#include "views/models/selection.h"
#include "views/panels/list_view.h"

namespace rx::views {

SymbolsPanel::SymbolsPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), model_(new SymbolModel(this)), view_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  view_->setModel(model_);
  view_->setStretchColumn(4);
  view_->setEmptyText(tr("The selected function has no symbolic variables: every shape is a number."));
  view_->setAccessibleName(tr("Symbols"));
  setFocusProxy(view_);
  connect(view_, &ListView::chosen, this, &SymbolsPanel::choose);
  connect(context.selection, &Selection::changed, this, &SymbolsPanel::refresh);
  connect(context.document, &Document::stageReady, this, [this](int) { refresh(); });
  connect(context.document, &Document::stateChanged, this, &SymbolsPanel::refresh);
  connect(context.debug, &DebugSession::stopChanged, this, &SymbolsPanel::refresh);
  connect(context.debug, &DebugSession::stateChanged, this, &SymbolsPanel::refresh);
  refresh();
}

void SymbolsPanel::refresh() {
  const Place& place = context_.selection->place();
  const StageIndexPtr stage = context_.document->stage(place.stage, false);
  const FunctionRow* function = stage ? stage->function(place.function) : nullptr;
  std::vector<SymbolLine> rows;
  if (function) {
    const auto values = context_.debug->hasTrace() ? context_.debug->symbols(function->name)
                                                   : std::vector<std::pair<QString, qint64>>();
    for (const SymbolRow& symbol : function->symbols) {
      SymbolLine line{symbol, false, 0};
      for (const auto& [name, value] : values) {
        if (name != symbol.name) continue;
        line.hasValue = true;
        line.value = value;
      }
      rows.push_back(std::move(line));
    }
  }
  model_->setPalette(Palette::forQt(palette()));
  model_->setRows(std::move(rows));
  view_->fitColumns();
  const int count = model_->rowCount();
  Q_EMIT titleChanged(count > 0 ? tr("Symbols %1").arg(count) : tr("Symbols"));
}

void SymbolsPanel::choose(const QModelIndex& index) {
  const SymbolLine* line = model_->row(index);
  if (line && !line->symbol.binder.isEmpty()) context_.commands->run("edit.goToName", {line->symbol.binder});
}

QString SymbolsPanel::dump() const { return modelText(*model_); }

}  // namespace rx::views
