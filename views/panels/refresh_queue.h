// Shows panels anew one after another, as many in an event as take little time together: a stop concerns all of them,
// and in one event they would hold the window up. Between two events the window draws and takes what the user does.
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <deque>

namespace rx::views {

class Panel;

class RefreshQueue : public QObject {
 public:
  explicit RefreshQueue(QObject* parent);
  /// The panel's turn comes once, however often it is added before.
  void add(Panel* panel);
  /// For a panel that comes into sight: true where it may be shown at once, as the first in this event.
  bool isFirst();

 private:
  void next();
  std::deque<QPointer<Panel>> waiting_;
  QTimer timer_;
};

}  // namespace rx::views
