// Brings places along when a module is read again, or was changed since it was last open: a place names its binding,
// and goes where the binding of that name stands now. Where none does, the place waits without one.
#pragma once

#include <QObject>
#include <QStringList>
#include <set>

#include "views/models/moved_place.h"
#include "views/shell/desk.h"

namespace rx::views {

class PlaceMover : public QObject {
  Q_OBJECT

 public:
  PlaceMover(Desk& desk, QObject* parent);
  /// A module is open, and what was kept for it stands at its places: those of the selection, breakpoints, bookmarks
  /// and notes are looked at, each as soon as the rows of its stage are there. `again`: it is the one that was open.
  void look(bool again);

 Q_SIGNALS:
  /// Bindings that a breakpoint stopped at are not there any more; a sentence.
  void said(const QString& text);

 private:
  void followStages();
  void visit();
  void settle(int stage);
  Desk& desk_;
  QStringList names_;      // of the stages of a folder, as they were when it was last read
  std::set<int> waiting_;  // stages whose places have not been looked at
  bool selectionWaits_ = false;
};

}  // namespace rx::views
