// Dock "Bookmarks": the places with a bookmark or a note; Enter goes there, Delete takes one away.
#pragma once

#include "views/models/notes.h"
#include "views/models/row_model.h"
#include "views/panels/panel.h"

namespace rx::views {

class BookmarksPanel : public Panel {
  Q_OBJECT

 public:
  BookmarksPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;

 private:
  void refresh();
  void choose(const QModelIndex& index);
  PanelContext context_;
  RowModel<Note>* model_;
  ListView* view_;
};

}  // namespace rx::views
