// Dock "Source": the file as it is written, with the findings of the reader and of the check underlined, and arrows at
// the lines that a run stands at. A file that
// does not open is shown here too, while the module that was open stays everywhere else.
#pragma once

#include <optional>

#include "views/models/document.h"
#include "views/models/stage_index.h"
#include "views/panels/panel.h"

namespace rx {
class BannerView;
class TextView;
}  // namespace rx

namespace rx::views {

class SourcePanel : public Panel {
  Q_OBJECT

 public:
  SourcePanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;
  bool showFind() override;
  bool findNext(bool forward) override;
  int find(const QString& text) override;
  QRect caretRect() const override;
  /// goToLine LINE.
  bool obey(const QString& name, const QStringList& arguments) override;

 protected:
  void changeEvent(QEvent* event) override;
  void catchUp(unsigned parts) override;

 private:
  void refresh();
  void showTitle();
  void showProblems();
  void showRun();
  void follow();
  void markName(uint32_t line, const QString& name);
  void selectAt(uint32_t line);
  /// Line of the file that a binding of any stage came from.
  std::optional<uint32_t> lineOf(const BindingRow* binding) const;
  QString file() const;
  PanelContext context_;
  BannerView* page_;
  TextView* view_;
  QString text_;
  bool selecting_ = false;  // by a click here: the text must not jump
};

}  // namespace rx::views
