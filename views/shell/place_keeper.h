// Keeps the selection on its thing: from stage to stage through its origin, and on the value that a run just made.
#pragma once

#include <QObject>

#include "views/models/debug_session.h"
#include "views/models/document.h"
#include "views/models/selection.h"

namespace rx::views {

class PlaceKeeper : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  PlaceKeeper(Document* document, Selection* selection, DebugSession* debug, QObject* parent);

 Q_SIGNALS:
  /// What happened to the selected thing: which pass removed it.
  void said(const QString& text);
  /// The machine stands at another point than before: its text is to be seen.
  void stopped();

 private:
  void changed(const Place& place, const Place& old);
  /// Remembers the selected binding, to find what comes from the same lines in another stage.
  void remember(const Place& place);
  void seek();
  /// Says where the selected thing went; false while the stages between are not built.
  bool sayGone(int stage);
  void follow();
  /// What a run that ended came to: the binding that first made NaN or Inf, else the first one that it returns. False
  /// where no result is known.
  bool placeEnd(Place* place) const;
  void move(const Place& place);
  Document* document_;
  Selection* selection_;
  DebugSession* debug_;
  // The last binding that was selected by somebody; it stays while stages are looked at that have nothing of it.
  StageIndexPtr keptStage_;
  QString keptFunction_;
  int kept_ = -1;
  bool seeking_ = false;
  bool moving_ = false;
  int shownStep_ = -1;
};

}  // namespace rx::views
