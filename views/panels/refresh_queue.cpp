#include "views/panels/refresh_queue.h"

#include <QElapsedTimer>
#include <algorithm>

#include "views/panels/panel.h"

namespace rx::views {
namespace {

/// Milliseconds in which panels share an event: to arrange and draw the window between two that change little takes
/// longer than they do.
constexpr int kTurn = 8;

}  // namespace

RefreshQueue::RefreshQueue(QObject* parent) : QObject(parent) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &RefreshQueue::next);
}

void RefreshQueue::add(Panel* panel) {
  if (std::find(waiting_.begin(), waiting_.end(), panel) != waiting_.end()) return;
  waiting_.emplace_back(panel);
  if (!timer_.isActive()) timer_.start(0);
}

bool RefreshQueue::isFirst() {
  if (timer_.isActive()) return false;
  timer_.start(0);
  return true;
}

void RefreshQueue::next() {
  const QPointer<RefreshQueue> self(this);
  QElapsedTimer clock;
  clock.start();
  do {
    if (waiting_.empty()) return;
    const QPointer<Panel> panel = waiting_.front();
    waiting_.pop_front();
    if (panel) panel->takeTurn();
    if (!self) return;
  } while (clock.elapsed() < kTurn);
  if (!waiting_.empty()) timer_.start(0);
}

}  // namespace rx::views
