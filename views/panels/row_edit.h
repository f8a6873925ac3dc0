// An expression of a list changed in its place: a line over the cell. Enter keeps what is written, Escape and leaving
// the line do not.
#pragma once

#include <QModelIndex>
#include <QObject>

#include "views/panels/expression_edit.h"

namespace rx::views {

class ListView;

class RowEdit : public QObject {
  Q_OBJECT

 public:
  RowEdit(const PanelContext& context, ListView* view);
  /// Opens the line from a cell to the end of its row; the fault is underlined where there is one.
  void open(const QModelIndex& cell, const QString& name, const QString& text, const QString& fault = {},
            int faultBegin = -1, int faultEnd = -1);
  void close();
  /// The line while it is open, else null.
  ExpressionEdit* line() const { return line_; }

 Q_SIGNALS:
  /// Enter: the text without blanks at its ends. The line is closed by then.
  void kept(const QString& text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  PanelContext context_;
  ListView* view_;
  ExpressionEdit* line_ = nullptr;
};

}  // namespace rx::views
