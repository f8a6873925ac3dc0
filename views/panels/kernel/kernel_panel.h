// Dock "Kernel": the text of the function that the selected binding calls, in the stage that is shown.
#pragma once

#include "views/models/document.h"
#include "views/models/stage_index.h"
#include "views/panels/panel.h"

namespace rx {
class BannerView;
class TextView;
}  // namespace rx

namespace rx::views {

class KernelPanel : public Panel {
  Q_OBJECT

 public:
  KernelPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;
  bool showFind() override;
  bool findNext(bool forward) override;
  int find(const QString& text) override;
  /// wrap on|off.
  bool obey(const QString& name, const QStringList& arguments) override;

 protected:
  void changeEvent(QEvent* event) override;
  void catchUp(unsigned parts) override;

 private:
  void follow();
  /// The selected function where it is a kernel, or what the selected binding calls; null where there is none.
  const FunctionRow* called(const StageIndex& stage) const;
  PanelContext context_;
  BannerView* page_;
  TextView* view_;
  QByteArray text_;
};

}  // namespace rx::views
