// Above the stages of a kernel: a button for each kind of them, from TIR to machine code, and the way through all.
#pragma once

#include <QWidget>
#include <vector>

#include "views/models/kernel_listing.h"

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace rx::views {

class StageRow : public QWidget {
  Q_OBJECT

 public:
  explicit StageRow(QWidget* parent = nullptr);
  /// The kinds of stages that the kernel has; null for none.
  void setListing(const KernelListing* kernel);
  /// Which stages are in sight, and the one that was chosen last.
  void setInSight(const KernelListing& kernel, const std::vector<int>& stages, int current);

 Q_SIGNALS:
  /// A kind by its name, the last stage of which is wanted; "next" or "previous".
  void wanted(const QString& stage);

 private:
  QToolButton* addButton(const QString& name, const QString& help);
  QHBoxLayout* row_;
  std::vector<QToolButton*> kinds_;
  QToolButton* back_;
  QToolButton* forth_;
  QLabel* place_;
};

}  // namespace rx::views
