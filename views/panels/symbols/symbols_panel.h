// Dock "Symbols": the symbolic variables of the selected function.
#pragma once

#include "views/models/list_models.h"
#include "views/panels/panel.h"

namespace rx::views {

class ListView;

class SymbolsPanel : public Panel {
  Q_OBJECT

 public:
  SymbolsPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;

 protected:
  void catchUp(unsigned parts) override;
  bool titleCounts() const override { return true; }

 private:
  void follow();
  void refresh();
  void pick(const QModelIndex& index);
  PanelContext context_;
  SymbolModel* model_;
  ListView* view_;
  StageIndexPtr stage_;
  QString function_;
  std::vector<SymbolLine> lines_;
};

}  // namespace rx::views
