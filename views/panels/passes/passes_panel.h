// Dock "Passes": the pass history. Selecting a row shows its result at once; selecting a second one compares the two.
#pragma once

#include "views/models/list_models.h"
#include "views/panels/panel.h"

class QPushButton;

namespace rx::views {

class ListView;

class PassesPanel : public Panel {
  Q_OBJECT

 public:
  PassesPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;

 protected:
  void catchUp(unsigned parts) override;

 private:
  void refresh();
  void follow();
  void choose();
  PanelContext context_;
  PassModel* model_;
  ListView* view_;
  void showButtons();
  QString nextLanguage() const;
  QPushButton* run_;
  QPushButton* compare_;
  QPushButton* edit_;
  QPushButton* go_;
  bool following_ = false;
  int before_ = -1;  // the stage that was shown before this one
};

}  // namespace rx::views
