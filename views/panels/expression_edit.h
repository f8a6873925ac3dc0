// A line in which an expression is written: names are completed, what is wrong is underlined at its place.
#pragma once

#include <QLineEdit>

#include "views/models/expression_words.h"
#include "views/panels/panel.h"

class QCompleter;
class QStandardItemModel;

namespace rx::views {

class ExpressionEdit : public QLineEdit {
  Q_OBJECT

 public:
  ExpressionEdit(const PanelContext& context, QWidget* parent);
  /// Names come from this function of a stage; without a call from the one that is selected.
  void setFunction(int stage, const QString& function);
  /// Underlines characters [begin, end); the message is the tip. An empty message underlines nothing.
  void setFault(const QString& message, int begin, int end);
  /// The fault that is shown, for tests and readers of the screen; empty when there is none.
  QString fault() const { return fault_; }
  /// The place of the underline.
  std::pair<int, int> faultPlace() const { return {begin_, end_}; }
  /// What is offered at the cursor now.
  QStringList offered() const;
  /// Opens the list of completions at the cursor (Ctrl+Space).
  void complete();

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  Completions here() const;
  void offer(bool asked);
  void insert(const QString& text);
  PanelContext context_;
  QStandardItemModel* rows_;
  QCompleter* completer_;
  int stage_ = -1;
  QString function_;
  QString fault_;
  int begin_ = 0;
  int end_ = 0;
};

}  // namespace rx::views
