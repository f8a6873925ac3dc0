// Work off the UI thread: a function runs on a pool thread, its result arrives on the owner's thread, or nowhere when
// the owner is gone or has asked for something newer.
#pragma once

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>
#include <memory>
#include <utility>

namespace rx::views {

/// From now on the thread of the window goes before the one that calls this: with more work than processors a click
/// would else wait for its turn among the workers. Does nothing the second time.
void giveWay();

/// Runs `work` on the pool, then `done(result)` on the thread of the application, which is that of `owner`.
template <class Work, class Done>
void runOnWorker(QThreadPool& pool, QObject* owner, Work work, Done done) {
  const QPointer<QObject> alive(owner);
  pool.start([alive, work = std::move(work), done = std::move(done)]() mutable {
    giveWay();
    auto result = std::make_shared<decltype(work())>(work());
    // The owner can go at any moment on its own thread: only there is it asked whether it is still alive.
    if (!qApp) return;
    QMetaObject::invokeMethod(
        qApp,
        [alive, result, done = std::move(done)]() mutable {
          if (alive) done(std::move(*result));
        },
        Qt::QueuedConnection);
  });
}

/// Lets go of something large on the pool: to free a module of many nodes takes longer than a window may stand still.
template <class Thing>
void releaseOnWorker(QThreadPool& pool, Thing thing) {
  pool.start([held = std::make_shared<Thing>(std::move(thing))]() mutable {
    giveWay();
    held.reset();
  });
}

/// The same thing, let go of on the pool, whoever lets go of it last.
template <class Thing>
std::shared_ptr<const Thing> releasedOnWorker(std::shared_ptr<const Thing> thing) {
  const Thing* const known = thing.get();
  return std::shared_ptr<const Thing>(known, [held = std::move(thing)](const Thing*) mutable {
    releaseOnWorker(*QThreadPool::globalInstance(), std::move(held));
  });
}

}  // namespace rx::views
