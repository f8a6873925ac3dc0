// The editor of a breakpoint's rule, which stands in the text under the line: when it stops, at which hits, and whether
// it writes to the log instead.
#pragma once

#include <QFrame>

#include "views/models/debug_rows.h"
#include "views/panels/panel.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace rx::views {

class ExpressionEdit;

class ConditionEditor : public QFrame {
  Q_OBJECT

 public:
  /// For a breakpoint as it is, or (number 0) as it would be set.
  ConditionEditor(const PanelContext& context, const BreakpointRow& row, QWidget* parent);
  /// The rule as it stands in the fields.
  BreakpointRule rule() const;
  const BreakpointRow& row() const { return row_; }
  /// Puts the cursor in a field: "condition", "hits" or "log".
  void focusField(const QString& field);
  /// What is said beside the condition: "true now: 18".
  QString verdict() const { return said_; }
  ExpressionEdit* condition() const { return condition_; }

 Q_SIGNALS:
  /// Done was chosen: the rule is to be kept.
  void done();
  /// Remove was chosen.
  void removed();
  /// Escape: nothing changes.
  void cancelled();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void build();
  void fill();
  void check();
  void show(const WatchRow& row);
  void showLog(bool on);
  PanelContext context_;
  BreakpointRow row_;
  QString said_;  // the words of the verdict
  ExpressionEdit* condition_;
  QLabel* verdict_;
  QComboBox* hits_;
  QSpinBox* count_;
  QPushButton* log_;
  QLineEdit* message_;
  QPushButton* done_;
};

}  // namespace rx::views
