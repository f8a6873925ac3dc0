#include "views/panels/origin/origin_panel.h"

#include <QItemSelectionModel>
#include <QVBoxLayout>

#include "views/models/document.h"
#include "views/models/selection.h"
#include "views/panels/binding_menu.h"
#include "views/panels/list_view.h"

namespace rx::views {
namespace {

/// What is shown anew.
enum Part : unsigned { kChain = 1, kSelection = 2 };

constexpr Column<OriginLink> kColumns[] = {
    {"#", [](const OriginLink& link) { return QString::number(link.stage); }, true, false,
     [](const OriginLink&) { return CellTone::Grey; }},
    {"pass", [](const OriginLink& link) { return link.pass; }},
    {"makes", [](const OriginLink& link) { return link.text; }, false, true, nullptr,
     [](const OriginLink& link) { return link.text; }},
    {"line",
     [](const OriginLink& link) {
       const QString line = QString::number(link.line);
       if (link.fileLine == 0 || link.fileLine == link.line) return line;
       return QStringLiteral("%1, %2 line %3").arg(line, link.file.section('/', -1)).arg(link.fileLine);
     },
     true, false, [](const OriginLink&) { return CellTone::Grey; }},
};

}  // namespace

OriginPanel::OriginPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), model_(new RowModel<OriginLink>(kColumns, this)), view_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  view_->setModel(model_);
  view_->setStretchColumn(2);
  view_->setEmptyText(
      tr("Select a binding: the line that it was imported from stands here, and each pass that made "
         "something else of it."));
  view_->setAccessibleName(tr("Origin of the selected binding"));
  setFocusProxy(view_);
  connect(view_, &ListView::picked, this, &OriginPanel::pick);
  connect(view_, &ListView::chosen, this, [this](const QModelIndex& index) {
    pick(index);
    context_.commands->run("view.panel", {"ir"});
  });
  connect(context.selection, &Selection::changed, this, [this] { want(kSelection); });
  connect(context.document, &Document::opened, this, [this] { want(kChain); });
  connect(context.document, &Document::stageReady, this, [this] {
    if (!complete_) want(kChain);
  });
  refresh();
}

void OriginPanel::catchUp(unsigned parts) {
  if ((parts & kChain) || rowOfSelection() < 0) refresh();
  // Where the last pass that changed it is an earlier one, it stands as that one left it.
  const int selected = rowOfSelection(), row = selected < 0 ? model_->rowCount() - 1 : selected;
  model_->setPalette(Palette::forQt(palette()));
  const QModelIndex wanted = model_->index(row, 0);
  view_->selectionModel()->setCurrentIndex(wanted, wanted.isValid()
                                                       ? QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows
                                                       : QItemSelectionModel::Clear);
}

void OriginPanel::refresh() {
  const Place& place = context_.selection->place();
  const bool open = place.binding >= 0 && context_.document->lastStage() >= 0;
  OriginChain chain =
      open ? originChain(*context_.document, place.stage, place.function, place.binding, true) : OriginChain();
  complete_ = chain.complete;
  model_->setRows(std::move(chain.links));
  view_->fitColumns();
}

int OriginPanel::rowOfSelection() const {
  const Place& place = context_.selection->place();
  for (int row = 0; row < model_->rowCount(); ++row) {
    const OriginLink& link = *model_->row(model_->index(row, 0));
    if (link.stage == place.stage && link.function == place.function && link.binding == place.binding) return row;
  }
  return -1;
}

void OriginPanel::pick(const QModelIndex& index) {
  const OriginLink* link = model_->row(index);
  if (!link) return;
  context_.selection->select({link->stage, link->function, link->binding, link->variable, -1});
}

QStringList OriginPanel::menuCommands() const { return bindingMenu("origin"); }

QString OriginPanel::dump() const { return modelText(*model_); }

}  // namespace rx::views
