#include "views/panels/bytecode/registers_panel.h"

#include <QTimer>
#include <QVBoxLayout>

#include "views/models/selection.h"
#include "views/panels/binding_menu.h"
#include "views/panels/bytecode/register_list.h"
#include "views/panels/run_watch.h"

namespace rx::views {
namespace {

/// What is shown anew.
enum Part : unsigned { kRun = 1, kSelection = 2 };

/// The register of the selected value, else the last that changed.
void reveal(RegisterList* list) {
  list->revealChanged();
  if (list->currentIndex().isValid()) list->scrollTo(list->currentIndex());
}

}  // namespace

RegistersPanel::RegistersPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), list_(new RegisterList(context, this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(list_);
  setFocusProxy(list_);
  connect(list_, &ListView::chosen, this, [commands = context.commands] { commands->run("view.panel", {"ir"}); });
  watchRun(context.debug, this, [this] { want(kRun); });
  connect(context.selection, &Selection::changed, this, [this] { want(kSelection); });
  list_->refresh();
}

void RegistersPanel::catchUp(unsigned parts) {
  if (parts & kRun) {
    list_->refresh();
    reveal(list_);
  }
  if (parts & kSelection) list_->showSelection(true);
}

/// What was in sight of a larger panel, or one that was hidden behind another tab, need not be in sight now.
void RegistersPanel::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  QTimer::singleShot(0, list_, [list = list_] { reveal(list); });
}

void RegistersPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  QTimer::singleShot(0, list_, [list = list_] { reveal(list); });
}

QStringList RegistersPanel::menuCommands() const { return bindingMenu("registers") + QStringList{"-", "export.value"}; }

QString RegistersPanel::dump() const { return list_->dump(); }

}  // namespace rx::views
