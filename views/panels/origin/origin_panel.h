// Dock "Origin": where the selected binding comes from, a row a stage that made or changed what computes it, from the
// imported line on. Choosing a row goes to its stage; the rows stay while one walks along them.
#pragma once

#include "views/models/origin_chain.h"
#include "views/models/row_model.h"
#include "views/panels/panel.h"

namespace rx::views {

class ListView;

class OriginPanel : public Panel {
  Q_OBJECT

 public:
  OriginPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;

 protected:
  void catchUp(unsigned parts) override;

 private:
  void refresh();
  /// Number of the row that is selected in the window; -1 where none is.
  int rowOfSelection() const;
  void pick(const QModelIndex& index);
  PanelContext context_;
  RowModel<OriginLink>* model_;
  ListView* view_;
  bool complete_ = false;
};

}  // namespace rx::views
