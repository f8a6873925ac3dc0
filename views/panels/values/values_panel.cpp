#include "views/panels/values/values_panel.h"

#include <QEvent>
#include <QVBoxLayout>

#include "views/models/document.h"
#include "views/models/selection.h"
#include "views/panels/values/selected_value.h"
#include "views/panels/values/tensor_table.h"

namespace rx::views {

ValuesPanel::ValuesPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), table_(new TensorTable(context.debug, this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(table_);
  setFocusProxy(table_);
  connect(context.selection, &Selection::changed, this, &ValuesPanel::refresh);
  connect(context.debug, &DebugSession::stopChanged, this, &ValuesPanel::refresh);
  connect(context.debug, &DebugSession::stateChanged, this, &ValuesPanel::refresh);
  connect(context.document, &Document::opened, this, &ValuesPanel::refresh);
  connect(table_->page(), &TensorPage::changed, this, [this] {
    if (!table_->page()->busy()) Q_EMIT settled();
  });
  table_->setTheme(Palette::forQt(palette()));
  refresh();
}

void ValuesPanel::changeEvent(QEvent* event) {
  Panel::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
    table_->setTheme(Palette::forQt(palette()));
}

void ValuesPanel::refresh() {
  const SelectedValue selected = selectedValue(context_);
  table_->setValue(selected.value, selected.absent);
  Q_EMIT titleChanged(selected.value.known ? tr("Values · %1").arg(selected.value.variable) : tr("Values"));
}

QString ValuesPanel::dump() const { return table_->dump(); }

bool ValuesPanel::busy() const { return table_->page()->busy(); }

}  // namespace rx::views
