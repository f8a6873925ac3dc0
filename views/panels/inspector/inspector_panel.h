// Dock "Inspector": everything about the selected thing, with links to what it names, and its numbers below.
#pragma once

#include "views/panels/inspector/inspection.h"

class QSplitter;
class QTextBrowser;
class QUrl;

namespace rx::views {

class TensorTable;

class InspectorPanel : public Panel {
  Q_OBJECT

 public:
  InspectorPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  bool busy() const override;
  /// follow TARGET: what a click on a link does.
  bool command(const QString& name, const QStringList& arguments) override;
  QTextBrowser* browser() const { return browser_; }

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  void shareHeight();
  void render(const Inspection& inspection);
  bool follow(const QString& target);
  PanelContext context_;
  QSplitter* splitter_;
  QTextBrowser* browser_;
  TensorTable* table_;
  Inspection shown_;
  bool sized_ = false;  // the user chose the heights
};

}  // namespace rx::views
