// Panels that are locked to two stages and act as one picture: what is selected in one is selected in all and in the
// window, and where one graph looks the other looks too.
#pragma once

#include <QObject>
#include <QPointer>
#include <vector>

#include "views/models/document.h"
#include "views/shell/panel_lock.h"

namespace rx {
class GraphCanvas;
}

namespace rx::views {

class Panel;

class LinkedPanels : public QObject {
  Q_OBJECT

 public:
  struct Member {
    QPointer<Panel> panel;
    QPointer<PanelLock> lock;
  };
  LinkedPanels(Document* document, Selection* window, std::vector<Member> members, QObject* parent);

 private:
  void chosenIn(size_t member);
  void chosenInWindow(const Place& place);
  /// The other graphs look where that of a member does; nothing for a member without one.
  void movedIn(size_t member);
  static GraphCanvas* canvasOf(const Member& member);
  /// The same thing at another stage: by origin, else by name; without a binding where it is not there.
  Place placeAt(const Place& place, int stage) const;
  Document* document_;
  Selection* window_;
  std::vector<Member> members_;
  bool acting_ = false;  // what changes now is our own doing
};

}  // namespace rx::views
