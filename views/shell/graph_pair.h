// Two graph panels, each locked to a stage, that act as one picture: what is selected in one is selected in the other
// and in the window, and where one looks the other looks too.
#pragma once

#include <QObject>
#include <QPointer>
#include <array>

#include "views/models/document.h"
#include "views/shell/panel_lock.h"

namespace rx::views {

class GraphPanel;

class GraphPair : public QObject {
  Q_OBJECT

 public:
  struct Side {
    QPointer<GraphPanel> panel;
    QPointer<PanelLock> lock;
  };
  GraphPair(Document* document, Selection* window, Side left, Side right, QObject* parent);

 private:
  void chosenIn(size_t side);
  void chosenInWindow(const Place& place);
  void movedIn(size_t side);
  /// The same thing at another stage: by origin, else by name; without a binding where it is not there.
  Place placeAt(const Place& place, int stage) const;
  Document* document_;
  Selection* window_;
  std::array<Side, 2> sides_;
  bool acting_ = false;  // what changes now is our own doing
};

}  // namespace rx::views
