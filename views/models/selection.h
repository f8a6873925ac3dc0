// The one selection of the window, with its back/forward history. Every view reads it and writes it; none keeps its
// own.
#pragma once

#include <QObject>
#include <vector>

#include "views/models/place.h"

namespace rx::views {

class Selection : public QObject {
  Q_OBJECT

 public:
  explicit Selection(QObject* parent = nullptr);

  const Place& place() const { return history_[at_]; }
  bool canGoBack() const { return at_ > 0; }
  bool canGoForward() const { return at_ + 1 < history_.size(); }
  /// Stage to compare the selected one with in the diff view; -1: the stage before it.
  int compareStage() const { return compareStage_; }

 public Q_SLOTS:
  /// Selects a place. A new spot is remembered in the history; a change of step alone is not.
  void select(const rx::views::Place& place);
  /// Keeps function and binding by name where the caller only changes the stage.
  void selectStage(int stage);
  void selectFunction(const QString& function);
  void selectBinding(const QString& function, int binding, const QString& variable);
  void selectStep(int step);
  void setCompareStage(int stage);
  /// Changes the present place without a history entry (follow the debugger, repair after a reload).
  void replace(const rx::views::Place& place);
  void back();
  void forward();
  /// Forgets the history (another document).
  void reset();

 Q_SIGNALS:
  /// `old` lets a view see what it need not redo.
  void changed(const rx::views::Place& place, const rx::views::Place& old);
  void historyChanged();
  void compareStageChanged(int stage);

 private:
  void moveTo(size_t index);
  std::vector<Place> history_;
  size_t at_ = 0;
  int compareStage_ = -1;
};

}  // namespace rx::views
