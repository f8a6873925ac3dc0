// The field of Ctrl+F in the upper right corner of a view without a find bar of its own.
#pragma once

#include <QLineEdit>
#include <functional>

class QAbstractScrollArea;

namespace rx::views {

/// What is typed is looked for at once (textEdited); Enter goes on, Shift+Enter back, Esc closes and gives the focus to
/// the view.
class CornerFind : public QLineEdit {
 public:
  /// Asks `next` for the next or, with false, the previous match.
  CornerFind(QAbstractScrollArea* view, std::function<void(bool forward)> next);
  /// Shows it, with what was typed last selected.
  void open();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  /// It keeps to its corner when the view is resized.
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();
  QAbstractScrollArea* view_;
  std::function<void(bool)> next_;
};

}  // namespace rx::views
