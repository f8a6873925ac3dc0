// Dock "Threads": the threads of a device's kernel that the run was stepped into, each with the statement that it runs
// next; the kernel's text, with how many of them stand where; of the chosen one what it sees; and the races that were
// found. Of which launch and group they are is chosen above them.
#pragma once

#include "views/models/kernel_threads.h"
#include "views/models/row_model.h"
#include "views/panels/panel.h"

class QLabel;
class QSpinBox;
class QToolButton;

namespace rx::views {

class ListView;

class ThreadsPanel : public Panel {
  Q_OBJECT

 public:
  ThreadsPanel(const PanelContext& context, QWidget* parent);
  QString dump() const override;
  QStringList menuCommands() const override;

 protected:
  void catchUp(unsigned parts) override;
  /// "show ROW" makes a thread the current one.
  bool obey(const QString& name, const QStringList& arguments) override;

 private:
  QWidget* makeBar();
  /// A number of the place whose threads are looked at.
  QSpinBox* makeNumber(const QString& name, const QString& tip);
  void showPlace();
  /// Goes where the numbers say.
  void choose();
  void refresh();
  /// Makes the thread of a row the current one; false where there is none.
  bool show(int row);
  QString summary() const;

  PanelContext context_;
  RowModel<KernelThreadRow>* threads_;
  RowModel<KernelLineRow>* lines_;
  RowModel<KernelValueRow>* values_;
  ListView* threadView_;
  ListView* lineView_;
  ListView* valueView_;
  QSpinBox* launch_ = nullptr;
  std::vector<QSpinBox*> group_;  // x, y, z
  QLabel* summary_;
  QLabel* races_;
  std::vector<std::pair<QString, QToolButton*>> buttons_;  // by their commands
};

}  // namespace rx::views
