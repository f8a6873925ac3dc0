#include "views/shell/when_stopped.h"

#include <memory>
#include <utility>

namespace rx::views {

void whenStopped(Desk& desk, std::function<void()> then) {
  auto* once = new QObject(&desk.debug);
  desk.window.countWork(1);
  // Calls that wait already still come when the first of them did it.
  const auto waits = std::make_shared<bool>(true);
  const auto look = [&desk, once, waits, then = std::move(then)] {
    if (!desk.debug.idle() || !std::exchange(*waits, false)) return;
    once->deleteLater();
    desk.window.countWork(-1);
    if (desk.debug.state() == RunState::Stopped) then();
  };
  // The run may have been refused already. A state is told before all about it is known.
  QMetaObject::invokeMethod(once, look, Qt::QueuedConnection);
  QObject::connect(&desk.debug, &DebugSession::stateChanged, once, look, Qt::QueuedConnection);
  QObject::connect(&desk.debug, &DebugSession::stopChanged, once, look, Qt::QueuedConnection);
}

}  // namespace rx::views
