// What the rule of a problem means, with an example: stands under the list when it is asked for.
#pragma once

#include <QWidget>

class QLabel;
class QPlainTextEdit;

namespace rx::views {

class RulePage : public QWidget {
  Q_OBJECT

 public:
  explicit RulePage(QWidget* parent = nullptr);
  /// False, and nothing changes, where there is no such rule.
  bool showRule(const QString& rule);
  /// The rule that is told of; empty while none is.
  QString rule() const { return isHidden() ? QString() : rule_; }
  /// What is shown as text; empty while nothing is.
  QString text() const;

 Q_SIGNALS:
  /// It was shown, or is gone.
  void cameOrWent();

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QString rule_;
  QLabel* title_;
  QPlainTextEdit* body_;
};

}  // namespace rx::views
