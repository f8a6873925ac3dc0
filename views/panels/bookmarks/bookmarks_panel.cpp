#include "views/panels/bookmarks/bookmarks_panel.h"

#include <QAction>
#include <QKeySequence>
#include <QVBoxLayout>

#include "views/models/document.h"
#include "views/models/selection.h"
#include "views/panels/binding_menu.h"
#include "views/panels/list_view.h"

namespace rx::views {
namespace {

constexpr Column<Note> kColumns[] = {
    {"binding", [](const Note& n) { return n.place.variable; }, false, true, nullptr, nullptr, nullptr, nullptr},
    {"function", [](const Note& n) { return n.place.function; }, false, true},
    {"stage", [](const Note& n) { return QString::number(n.place.stage); }, true, true},
    {"note", [](const Note& n) { return n.text; }, false, false, nullptr, [](const Note& n) { return n.text; }},
};

}  // namespace

BookmarksPanel::BookmarksPanel(const PanelContext& context, QWidget* parent)
    : Panel(parent), context_(context), model_(new RowModel<Note>(kColumns, this)), view_(new ListView(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  view_->setModel(model_);
  view_->setStretchColumn(3);
  view_->setEmptyText(tr("%1 sets a bookmark at the selected place, %2 writes a note there.")
                          .arg(context.commands->label("bookmark.toggle"), context.commands->label("bookmark.note")));
  view_->setAccessibleName(tr("Bookmarks"));
  setFocusProxy(view_);
  auto* remove = new QAction(tr("Remove"), view_);
  remove->setShortcut(QKeySequence::Delete);
  remove->setShortcutContext(Qt::WidgetShortcut);
  view_->addAction(remove);
  connect(remove, &QAction::triggered, this, [this] {
    if (const Note* note = model_->row(view_->currentIndex())) context_.notes->remove(note->place);
  });
  connect(view_, &ListView::picked, this, [this](const QModelIndex& index) {
    const Note* note = model_->row(index);
    if (note && note->place.stage <= context_.document->lastStage()) context_.selection->select(Place(note->place));
  });
  connect(view_, &ListView::chosen, this, &BookmarksPanel::choose);
  connect(context.notes, &Notes::changed, this, &BookmarksPanel::refresh);
  refresh();
}

void BookmarksPanel::refresh() {
  model_->setPalette(Palette::forQt(palette()));
  model_->setRows(context_.notes->rows());
  view_->fitColumns();
  const int count = model_->rowCount();
  Q_EMIT titleChanged(count > 0 ? tr("Bookmarks %1").arg(count) : tr("Bookmarks"));
}

void BookmarksPanel::choose(const QModelIndex& index) {
  const Note* note = model_->row(index);
  if (!note) return;
  const Place place = note->place;
  context_.commands->run("pass.goTo", {QString::number(place.stage)});
  context_.selection->select(place);
  context_.commands->run("view.panel", {"ir"});
}

QStringList BookmarksPanel::menuCommands() const {
  return QStringList{"bookmark.next", "bookmark.previous", "bookmark.note", "-"} + bindingMenu("bookmarks");
}

QString BookmarksPanel::dump() const { return modelText(*model_); }

}  // namespace rx::views
