// Why the guilty stage computes something else: the value that it leaves, the bytes that two values share, numbers
// before and after, and what can be done now.
#pragma once

#include <QWidget>

#include "views/models/bisect_report.h"
#include "views/panels/panel.h"

class QPushButton;

namespace rx::views {

class LifetimeChart;
class RichLabel;

class BisectReason : public QWidget {
  Q_OBJECT

 public:
  BisectReason(Commands* commands, QWidget* parent);
  /// Hidden where no stage is guilty.
  void setReport(const BisectReport& report);
  /// What it says, as plain text.
  QString text() const;

 private:
  QPushButton* addWay(const QString& label, const QString& command);
  Commands* commands_;
  RichLabel* said_;
  LifetimeChart* chart_;
  QPushButton* debug_;
  QPushButton* diff_;
  QPushButton* disable_;
  int stage_ = -1;
};

}  // namespace rx::views
