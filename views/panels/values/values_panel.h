// Dock "Values": the numbers of the selected binding.
#pragma once

#include "views/panels/panel.h"

namespace rx::views {

class TensorTable;

class ValuesPanel : public Panel {
  Q_OBJECT

 public:
  ValuesPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  bool busy() const override;
  TensorTable* table() const { return table_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void refresh();
  PanelContext context_;
  TensorTable* table_;
};

}  // namespace rx::views
